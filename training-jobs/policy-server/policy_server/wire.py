"""What a request may say: closed schemas of the two completion endpoints and of the policy endpoint.

The fields and their defaults are vLLM's; a field that this server does not implement is refused and not ignored.
"""

from __future__ import annotations

import difflib
import secrets
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from .errors import BadRequest
from .sampling import SamplingParams

MAX_CHOICES = 256

TokenIds = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Sampling(_Closed):
    """What both endpoints share. Temperatures and probabilities are plain numbers, 0 ≤ temperature ≤ 100."""

    model: str
    n: int = Field(1, ge=1, le=MAX_CHOICES)
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    temperature: float = Field(1.0, ge=0.0, le=100.0, allow_inf_nan=False)
    top_p: float = Field(1.0, gt=0.0, le=1.0)
    top_k: int = Field(0, ge=-1)
    max_tokens: int | None = Field(None, ge=1)
    stop: str | list[str] | None = None
    return_token_ids: bool = False
    stream: Literal[False] = False
    user: str | None = None

    @field_validator("stop")
    @classmethod
    def _no_empty_stop(cls, value: str | list[str] | None) -> str | list[str] | None:
        texts = [value] if isinstance(value, str) else value or []
        if len(texts) > 16 or not all(texts):
            raise ValueError("expected at most 16 strings, none of them empty")
        return value

    def params(self) -> SamplingParams:
        """The sampling part."""
        return SamplingParams(self.temperature, self.top_p, max(self.top_k, 0))

    def stops(self) -> tuple[str, ...]:
        """Stop strings, possibly none."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    def chosen_seed(self) -> int:
        """The request's seed, or a fresh random one."""
        return secrets.randbits(62) if self.seed is None else self.seed


class ChatMessage(_Closed):
    """One turn. `content` is plain text and can hold no role marker: see `chat`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    name: str | None = None


class ChatRequest(_Sampling):
    """Body of POST /v1/chat/completions."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool = False
    top_logprobs: Literal[0] | None = None


class CompletionRequest(_Sampling):
    """Body of POST /v1/completions. A string prompt is trusted: role markers in it count. Ids are taken as they are."""

    prompt: str | TokenIds
    logprobs: Literal[0, 1] | None = None
    prompt_logprobs: Literal[0, 1] | None = None
    echo: Literal[False] = False


class PolicyRequest(_Closed):
    """Body of POST /v1/policies."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    path: str = Field(min_length=1)


Request = TypeVar("Request", bound=BaseModel)


def parse(kind: type[Request], body: bytes) -> Request:
    """A body as a typed request.

    Raises:
        BadRequest: not JSON, or not of this shape; the message names the field, and the nearest valid one if unknown.

    """
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise BadRequest(_explain(kind, path, first), path or None) from error


def _explain(kind: type[BaseModel], path: str, error: Any) -> str:
    if error["type"] == "json_invalid":
        return f"the body is not JSON: {error['msg']}"
    if error["type"] != "extra_forbidden":
        return f"{path or 'body'}: {error['msg']}"
    near = difflib.get_close_matches(path, kind.model_fields, n=1)
    return f"{path}: unknown field" + (f", did you mean {near[0]!r}?" if near else "")
