import pytest
from grpo.config import parse_config
from grpo.errors import ContractError


def test_strings_become_numbers_and_defaults_fill_the_rest() -> None:
    config = parse_config({"policy_version": "7", "learning_rate": "3e-4", "gradient_checkpointing": "true"})
    assert (config.policy_version, config.learning_rate, config.gradient_checkpointing) == (7, 3e-4, True)
    assert (config.clip_low, config.clip_high, config.adam_beta2) == (0.2, 0.28, 0.98)


def test_keys_of_the_sagemaker_toolkit_are_ignored() -> None:
    assert parse_config({"policy_version": "1", "sagemaker_program": "train.py"}).policy_version == 1


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("learning_rat", "1", "did you mean 'learning_rate'"),
        ("learning_rate", "fast", "expected float"),
        ("learning_rate", "nan", "finite"),
        ("learning_rate", "-1", ">= 0"),
        ("epochs", "0", ">= 1"),
        ("epochs", "1.5", "expected int"),
        ("adam_beta2", "1", "[0, 1)"),
        ("clip_low", "1.2", "[0, 1]"),
        ("tis_cap", "0", "> 0"),
        ("aggregation", "mean", "sample-mean, token-mean"),
        ("precision", "float16", "float32"),
        ("optimizer_state", "keep", "carry"),
        ("gradient_checkpointing", "perhaps", "expected bool"),
    ],
)
def test_bad_values_are_named(key: str, value: str, message: str) -> None:
    with pytest.raises(ContractError, match=message.replace("[", r"\[").replace(")", r"\)")) as caught:
        parse_config({"policy_version": "1", key: value})
    assert key in str(caught.value)


def test_the_version_to_make_has_no_default() -> None:
    with pytest.raises(ContractError, match="policy_version"):
        parse_config({})
