"""The tokenizer loses nothing, keeps digits single, and conversations extend their own prompts."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_policy.demonstrations import conversation, design_demonstration, play_demonstration
from tiny_policy.prompts import Message
from tiny_policy.tokenizer import SPECIAL, Codec
from transformers import AutoTokenizer

WEIGHTS = Path(__file__).resolve().parents[1] / "weights"


@cache
def codec() -> Codec:
    return Codec(AutoTokenizer.from_pretrained(WEIGHTS))


@given(st.text(max_size=80))
@settings(deadline=None, max_examples=40)
def test_any_text_survives_a_round_trip(text: str) -> None:
    tokens = codec().content(text)
    assert codec().text(tokens) == text


@pytest.mark.parametrize("marker", SPECIAL)
def test_content_cannot_forge_a_marker(marker: str) -> None:
    special = {codec().tokenizer.convert_tokens_to_ids(each) for each in SPECIAL}
    assert not special & set(codec().content(f"a{marker}b"))


def test_digits_are_single_tokens() -> None:
    one = [token for token in codec().content("90125") if token != codec().end]
    assert len(one) == 5


def test_the_codec_agrees_with_the_chat_template() -> None:
    messages = design_demonstration(Random(1))[:-1]
    rows = [{"role": message.role, "content": message.content} for message in messages]
    encoded = codec().tokenizer.apply_chat_template(rows, add_generation_prompt=True)
    assert list(encoded["input_ids"]) == codec().prompt(messages)


def test_every_prompt_begins_with_the_last_prompt_and_its_completion() -> None:
    long = next(talk for seed in range(50) if len(talk := play_demonstration(Random(seed), hinted=True)) > 6)
    answers = [index for index, message in enumerate(long) if message.role == "assistant"]
    for here, there in pairwise(answers):
        before = codec().prompt(long[:here]) + codec().content(long[here].content) + [codec().end]
        assert codec().prompt(long[:there])[: len(before)] == before


def test_conversations_of_the_recipe_fit_the_context() -> None:
    rng = Random(2)
    for _ in range(100):
        assert sum(len(codec().message(message)) for message in conversation(rng)) < 1024


def test_a_message_is_closed_by_the_end_token() -> None:
    tokens = codec().message(Message("user", "add 3 4"))
    assert tokens[0] == codec().role["user"]
    assert tokens[-1] == codec().end == codec().tokenizer.eos_token_id
