"""Messages to ids: exact for well-formed text, and never a forged marker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_server.chat import ChatTemplate, Message, load_template
from policy_server.errors import BadRequest, PolicyLoadError
from policy_server.tokens import TextCodec
from policy_server_testing.policies import LINES_TEMPLATE, MARKER_TEMPLATE, PLAIN_ADDED, SPECIAL, write_tokenizer

TEMPLATES = {"markers": MARKER_TEMPLATE, "lines": LINES_TEMPLATE}
ROLES = ("system", "user", "assistant", "tool")
ADDED = (*SPECIAL, *PLAIN_ADDED)


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> TextCodec:
    directory = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(directory)
    return TextCodec.load(directory, frozenset({1}))


def template(name: str, codec: TextCodec) -> ChatTemplate:
    return ChatTemplate(TEMPLATES[name], codec, {})


def rendered(name: str, messages: list[Message]) -> str:
    """What the templates write, said again in Python."""
    feed = "\n" if name == "lines" else ""
    turns = []
    for m in messages:
        text = m.content
        if name == "lines" and m.role == "assistant" and "</think>" in text:
            text = text.split("</think>")[-1].lstrip("\n")
        turns.append(f"<|{m.role}|>{feed}{text}<|end|>{feed}")
    return "".join(turns) + f"<|assistant|>{feed}"


def markers(ids: list[int]) -> list[int]:
    return [token for token in ids if token < len(SPECIAL)]


pieces = st.one_of(
    st.text(max_size=12),
    st.sampled_from(ADDED),
    st.sampled_from(
        ["<|", "|>", "<|end", "end|>", "<", "\n", " ", "</", "think>", "\ufdd0", "0\ufdd1", "\ufdd00\ufdd1"]
    ),
)
contents = st.lists(pieces, max_size=8).map("".join)
plain_contents = contents.filter(lambda text: not any(added in text for added in ADDED))
conversations = st.lists(st.builds(Message, st.sampled_from(ROLES), contents), min_size=1, max_size=5)
plain_conversations = st.lists(st.builds(Message, st.sampled_from(ROLES), plain_contents), min_size=1, max_size=5)


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=150)
@given(messages=plain_conversations)
def test_well_formed_messages_give_what_the_whole_rendered_string_gives(
    name: str, codec: TextCodec, messages: list[Message]
) -> None:
    assert template(name, codec).encode(messages) == codec.encode_prompt(rendered(name, messages))


@pytest.mark.parametrize("name", TEMPLATES)
@settings(max_examples=150)
@given(messages=conversations)
def test_no_content_forges_a_role_or_closes_a_turn(name: str, codec: TextCodec, messages: list[Message]) -> None:
    ids = template(name, codec).encode(messages)
    harmless = template(name, codec).encode([Message(m.role, "x") for m in messages])
    assert markers(ids) == markers(harmless)


@settings(max_examples=100)
@given(messages=conversations)
def test_the_text_of_every_message_survives(codec: TextCodec, messages: list[Message]) -> None:
    ids = template("markers", codec).encode(messages)
    text = codec._full.decode(ids, skip_special_tokens=False)
    assert text == rendered("markers", messages)


def test_only_an_assistant_may_have_written_thinking_marks(codec: TextCodec) -> None:
    think = codec.added_ids["</think>"]
    chat = template("markers", codec)
    assert think not in chat.encode([Message("user", "a</think>b")])
    assert think in chat.encode([Message("assistant", "a</think>b"), Message("user", "go on")])


def test_earlier_thinking_is_dropped_where_the_template_does_so(codec: TextCodec) -> None:
    chat = template("lines", codec)
    turns = [Message("user", "q"), Message("assistant", "<think>long</think>\nshort"), Message("user", "next")]
    assert chat.encode(turns) == codec.encode_prompt(rendered("lines", turns))


@settings(max_examples=60)
@given(first=contents, answer=plain_contents, then=contents)
def test_the_next_prompt_begins_with_the_last_prompt_and_its_completion(
    codec: TextCodec, first: str, answer: str, then: str
) -> None:
    chat = template("markers", codec)
    prompt = chat.encode([Message("user", first)])
    completion = [*codec.encode_plain(answer), codec.added_ids["<|end|>"]]
    later = chat.encode([Message("user", first), Message("assistant", answer), Message("user", then)])
    assert later[: len(prompt) + len(completion)] == prompt + completion


def test_a_template_may_refuse_messages(codec: TextCodec) -> None:
    chat = ChatTemplate("{{ raise_exception('roles must alternate') }}", codec, {})
    with pytest.raises(BadRequest, match="roles must alternate"):
        chat.encode([Message("user", "a")])


def test_a_template_cannot_reach_the_interpreter(codec: TextCodec) -> None:
    chat = ChatTemplate("{{ messages.__class__.__mro__ }}", codec, {})
    with pytest.raises(BadRequest, match="unsafe"):
        chat.encode([Message("user", "a")])


@pytest.mark.parametrize(
    ("settings_json", "jinja", "expected"),
    [
        ({"chat_template": "A"}, None, "A"),
        ({"chat_template": "A"}, "B", "B"),
        ({"bos_token": {"content": "<|user|>"}, "chat_template": "{{ bos_token }}"}, None, "<|user|>"),
    ],
)
def test_where_a_template_is_found(
    tmp_path: Path, codec: TextCodec, settings_json: dict[str, Any], jinja: str | None, expected: str
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings_json))
    if jinja is not None:
        (tmp_path / "chat_template.jinja").write_text(jinja)
    found = load_template(tmp_path, codec)
    assert found is not None
    assert found.encode([Message("user", "x")]) == codec.encode_prompt(expected)


def test_no_template_is_none_and_a_broken_one_is_refused(tmp_path: Path, codec: TextCodec) -> None:
    assert load_template(tmp_path, codec) is None
    (tmp_path / "chat_template.jinja").write_text("{% if %}")
    with pytest.raises(PolicyLoadError, match=r"chat_template\.jinja"):
        load_template(tmp_path, codec)
