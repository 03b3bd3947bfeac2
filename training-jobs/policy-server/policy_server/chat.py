"""Messages to token ids by the policy's chat template, so that no message content can forge a role or close a turn.

Contents pass through the template as they are, except that the texts of added tokens in them are replaced by
place-holders. After rendering, an added token's text can only have come from the template and becomes that token;
place-holders become their text again and are tokenised as plain text, together with the text around them. Without such
texts in the contents the result is exactly what Hugging Face gives for the rendered string.

An assistant's content may hold the texts of added tokens that are not special (`<think>`, `<tool_call>`): the model
wrote them as tokens, and templates look for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .config import read_json
from .errors import BadRequest, PolicyLoadError
from .tokens import TextCodec

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Unicode non-characters around a place-holder's number; if a content holds them they are replaced themselves."""


@dataclass(frozen=True)
class Message:
    """One turn of a conversation. `role` is one of system, user, assistant, tool."""

    role: str
    content: str


class ChatTemplate:
    """A compiled Jinja template with the codec of its policy."""

    def __init__(self, source: str, codec: TextCodec, names: dict[str, str]) -> None:
        """Compile `source`; `names` are the texts of bos_token, eos_token and so on that templates may use.

        Raises:
            jinja2.TemplateSyntaxError: the source is no template.

        """
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.filters["tojson"] = _tojson
        environment.globals["raise_exception"] = _raise_exception
        environment.globals["strftime_now"] = lambda layout: datetime.now().strftime(layout)
        self._template = environment.from_string(source)
        self._codec = codec
        self._names = names
        added = sorted(codec.added_ids, key=len, reverse=True)
        special = [text for text in added if text in codec.special_texts]
        self._escapes = {True: _pattern([*special, _OPEN, _CLOSE]), False: _pattern([*added, _OPEN, _CLOSE])}
        self._marks = re.compile("(" + "|".join([f"{_OPEN}\\d+{_CLOSE}", *map(re.escape, added)]) + ")")

    def encode(self, messages: Sequence[Message]) -> list[int]:
        """Ids of the conversation up to where the assistant begins to write.

        Raises:
            BadRequest: the template refuses these messages.

        """
        held: list[str] = []
        turns = [{"role": m.role, "content": self._escape(m, held)} for m in messages]
        try:
            text = self._template.render(messages=turns, add_generation_prompt=True, tools=None, **self._names)
        except jinja2.TemplateError as error:
            raise BadRequest(f"the chat template refuses these messages: {error}", "messages") from error
        return self._encode_rendered(text, held)

    def _escape(self, message: Message, held: list[str]) -> str:
        def hold(match: re.Match[str]) -> str:
            held.append(match.group())
            return f"{_OPEN}{len(held) - 1}{_CLOSE}"

        return self._escapes[message.role == "assistant"].sub(hold, message.content)

    def _encode_rendered(self, text: str, held: Sequence[str]) -> list[int]:
        ids: list[int] = []
        run: list[str] = []
        for index, part in enumerate(self._marks.split(text)):
            if index % 2 == 0:
                run.append(part)
            elif part.startswith(_OPEN):
                run.append(held[int(part[1:-1])])
            else:
                ids += self._encode_run(run)
                ids.append(self._codec.added_ids[part])
                run = []
        return ids + self._encode_run(run)

    def _encode_run(self, run: Sequence[str]) -> list[int]:
        text = "".join(run)
        return self._codec.encode_plain(text) if text else []


def load_template(directory: Path, codec: TextCodec) -> ChatTemplate | None:
    """The template of `chat_template.jinja`, or else of `tokenizer_config.json`; None if the policy has none.

    Raises:
        PolicyLoadError: a file is damaged, or the template does not compile.

    """
    path = directory / "tokenizer_config.json"
    settings = read_json(path) if path.exists() else {}
    source = settings.get("chat_template")
    jinja = directory / "chat_template.jinja"
    if jinja.exists():
        path, source = jinja, jinja.read_text(encoding="utf-8")
    if source is None:
        return None
    if not isinstance(source, str):
        raise PolicyLoadError(f"{path}: chat_template is not a string")
    try:
        return ChatTemplate(source, codec, _token_names(settings))
    except jinja2.TemplateSyntaxError as error:
        raise PolicyLoadError(f"{path}: {error}") from error


def _token_names(settings: dict[str, Any]) -> dict[str, str]:
    """bos_token, eos_token, …: a string, or an object with the string as `content`."""
    found = {name: settings.get(name) for name in ("bos_token", "eos_token", "pad_token", "unk_token")}
    texts = {name: value.get("content") if isinstance(value, dict) else value for name, value in found.items()}
    return {name: text for name, text in texts.items() if isinstance(text, str)}


def _pattern(texts: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, texts)))


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None) -> str:
    """Templates expect JSON without the HTML escapes of Jinja's own filter."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)
