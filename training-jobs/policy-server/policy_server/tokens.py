"""Text to token ids and back, with the added tokens (role markers and the like) under control."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from .config import read_json
from .errors import PolicyLoadError


class TextCodec:
    """A `tokenizer.json`. Immutable after loading and used from several threads."""

    def __init__(self, raw: dict[str, Any], end_ids: frozenset[int]) -> None:
        added = {token["content"]: int(token["id"]) for token in raw.get("added_tokens") or []}
        self.end_ids = end_ids
        self.added_ids: dict[str, int] = added
        self.special_texts = frozenset(t["content"] for t in raw.get("added_tokens") or [] if t.get("special"))
        self._full: Tokenizer = Tokenizer.from_str(json.dumps(raw))
        # The same pipeline without added tokens: whatever it reads, it can only give tokens of plain text.
        self._plain: Tokenizer = Tokenizer.from_str(json.dumps({**raw, "added_tokens": [], "post_processor": None}))
        self._pieces: dict[int, str] = {}

    @classmethod
    def load(cls, directory: Path, end_ids: frozenset[int]) -> TextCodec:
        """Read `tokenizer.json`.

        Raises:
            PolicyLoadError: it is missing or no tokenizer.

        """
        path = directory / "tokenizer.json"
        raw = read_json(path)
        try:
            return cls(raw, end_ids)
        except Exception as error:  # the bindings raise bare Exception
            raise PolicyLoadError(f"{path}: {error}") from error

    def encode_plain(self, text: str) -> list[int]:
        """Ids of plain text; the text of a role marker in it becomes ordinary tokens."""
        ids: list[int] = self._plain.encode(text, add_special_tokens=False).ids
        return ids

    def encode_prompt(self, text: str) -> list[int]:
        """Ids of a whole prompt; the texts of added tokens are those tokens, as when Hugging Face reads a string."""
        ids: list[int] = self._full.encode(text).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Text of a completion; special tokens leave no trace, incomplete UTF-8 becomes U+FFFD."""
        text: str = self._full.decode(ids, skip_special_tokens=True)
        return text

    def piece(self, token: int) -> str:
        """Text of one token alone, special ones included."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._full.decode([token], skip_special_tokens=False)
        return piece
