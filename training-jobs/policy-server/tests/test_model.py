"""The forward pass against `transformers`, and against itself in other groupings."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from policy_server.arena import Arena
from policy_server.batch import score_prompt
from policy_server.config import ModelConfig, read_config
from policy_server.model import Model, Span
from policy_server.weights import build_weights, read_tensors
from policy_server_testing.policies import write_policy
from torch import Tensor

PROMPTS = [[5], [7, 8, 9, 10, 11, 12, 13], list(range(20, 60))]


def load(directory: Path, dtype: torch.dtype = torch.float64) -> Model:
    config = read_config(directory)
    return Model(config, build_weights(config, read_tensors(directory), dtype))


def fresh(model: Model) -> Arena:
    return Arena(model.config, model.dtype)


def prefill(model: Model, arena: Arena, prompts: list[list[int]], first_row: int = 0) -> Tensor:
    tokens = [token for prompt in prompts for token in prompt]
    return model.forward(arena, Span(first_row, [0] * len(prompts), [len(p) for p in prompts], tokens))


@pytest.mark.parametrize(("heads", "kv_heads", "tied"), [(4, 4, True), (4, 2, False), (5, 1, True)])
def test_logits_and_greedy_completions_equal_those_of_transformers(
    tmp_path: Path, heads: int, kv_heads: int, tied: bool
) -> None:
    transformers = pytest.importorskip("transformers")
    write_policy(tmp_path, heads=heads, kv_heads=kv_heads, tied=tied, seed=heads)
    reference = transformers.Qwen3ForCausalLM.from_pretrained(tmp_path, dtype=torch.float64)
    model = load(tmp_path)
    for prompt in PROMPTS:
        with torch.no_grad():
            logits = reference(torch.tensor([prompt])).logits[0]
        arena = fresh(model)
        ours = model.forward(arena, Span(0, [0], [len(prompt)], prompt), all_positions=True)
        # transformers computes norms in float32 even for float64 weights, hence 1e-4 on logits of size ten.
        torch.testing.assert_close(ours, logits, atol=1e-4, rtol=1e-4)
        written = reference.generate(torch.tensor([prompt]), max_new_tokens=12, do_sample=False, eos_token_id=None)
        assert greedy(model, prompt, 12) == written[0, len(prompt) :].tolist()


def greedy(model: Model, prompt: list[int], count: int) -> list[int]:
    arena = fresh(model)
    logits = prefill(model, arena, [prompt])
    tokens = [int(logits.argmax())]
    while len(tokens) < count:
        start = len(prompt) + len(tokens) - 1
        tokens.append(int(model.forward(arena, Span(0, [start], [1], tokens[-1:])).argmax()))
    return tokens


def test_prompts_read_together_give_what_they_give_alone(policy_dir: Path) -> None:
    model = load(policy_dir)
    together = prefill(model, fresh(model), PROMPTS)
    alone = torch.cat([prefill(model, fresh(model), [prompt]) for prompt in PROMPTS])
    torch.testing.assert_close(together, alone, atol=1e-11, rtol=0)


def test_reading_a_prompt_in_pieces_changes_nothing(policy_dir: Path) -> None:
    model = load(policy_dir)
    prompt = PROMPTS[2]
    arena = fresh(model)
    prefill(model, arena, [prompt[:16], prompt[:3]])
    pieces = model.forward(arena, Span(0, [16, 3], [24, 37], prompt[16:] + prompt[3:]))
    whole = prefill(model, fresh(model), [prompt])
    torch.testing.assert_close(pieces, whole.expand(2, -1), atol=1e-11, rtol=0)


def test_a_row_is_blind_to_the_junk_of_its_last_tenant(policy_dir: Path) -> None:
    model = load(policy_dir)
    arena = fresh(model)
    prefill(model, arena, [PROMPTS[2], PROMPTS[2]])
    again = prefill(model, arena, PROMPTS[:2])
    torch.testing.assert_close(again, prefill(model, fresh(model), PROMPTS[:2]), atol=1e-11, rtol=0)


def test_the_arena_keeps_its_content_when_it_grows_and_when_rows_move(policy_dir: Path) -> None:
    model = load(policy_dir)
    arena = fresh(model)
    prefill(model, arena, [[1, 2, 3], [4, 5, 6, 7]])
    before = arena.keys[1][1, :, :4].clone()
    arena.reserve(40, 200)
    arena.move(1, 0, 4)
    assert torch.equal(arena.keys[1][0, :, :4], before)
    assert arena.keys[0].shape[0] >= 40
    assert arena.values[0].shape[2] >= 200


def test_prompt_logprobs_are_the_log_softmax_of_the_shifted_logits(policy_dir: Path) -> None:
    model = load(policy_dir)
    prompt = PROMPTS[1]
    logits = model.forward(fresh(model), Span(0, [0], [len(prompt)], prompt), all_positions=True)
    expected = [float(torch.log_softmax(logits[i], -1)[prompt[i + 1]]) for i in range(len(prompt) - 1)]
    scored = score_prompt(model, prompt)
    assert scored[0] is None
    assert scored[1:] == pytest.approx(expected, abs=1e-5)
    assert score_prompt(model, [3]) == [None]


def test_float32_is_close_to_float64(policy_dir: Path) -> None:
    wide, narrow = load(policy_dir), load(policy_dir, torch.float32)
    torch.testing.assert_close(
        prefill(narrow, fresh(narrow), PROMPTS).double(), prefill(wide, fresh(wide), PROMPTS), atol=1e-3, rtol=1e-3
    )


def test_shapes_of_the_configuration(policy_dir: Path) -> None:
    config = read_config(policy_dir)
    assert isinstance(config, ModelConfig)
    assert (config.layers, config.heads, config.kv_heads, config.context) == (2, 4, 2, 256)


def test_rows_move_after_the_cache_has_grown_in_a_forward_pass(tmp_path: Path) -> None:
    model = load(write_policy(tmp_path))
    arena = fresh(model)
    long = [7] * 70
    prefill(model, arena, [[5, 6], long])
    arena.move(1, 0, len(long))
    moved = model.forward(arena, Span(0, [len(long)], [1], [9]))
    torch.testing.assert_close(moved, prefill(model, fresh(model), [[*long, 9]]))
