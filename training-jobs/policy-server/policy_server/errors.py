"""What can be wrong with a request or with a policy directory, in OpenAI's error shape."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """A request that is answered with an error: HTTP status, OpenAI error `type`, message, and the field at fault."""

    def __init__(
        self, status: int, kind: str, message: str, *, param: str | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.param = param
        self.retry_after = retry_after

    def body(self) -> dict[str, Any]:
        """The response object, `{"error": {message, type, param, code}}`; `code` repeats the status as vLLM does."""
        return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.status}}


class BadRequest(ApiError):
    """400: the request itself is wrong; sending it again cannot help."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(400, "invalid_request_error", message, param=param)


class ModelNotFound(ApiError):
    """404: no loaded policy version has this name."""

    def __init__(self, model: str, loaded: list[str]) -> None:
        known = ", ".join(loaded) or "none"
        super().__init__(404, "not_found_error", f"model {model!r} is not loaded (loaded: {known})", param="model")


class Overloaded(ApiError):
    """429: the queue is full; the client should wait `Retry-After` seconds and send the request again."""

    def __init__(self, waiting: int) -> None:
        super().__init__(429, "rate_limit_error", f"{waiting} sequences are already waiting", retry_after=1)


class Draining(ApiError):
    """503: the server is stopping and takes no new work."""

    def __init__(self) -> None:
        super().__init__(503, "service_unavailable_error", "the server is stopping", retry_after=1)


class PolicyLoadError(Exception):
    """A policy directory that cannot be served; the message names the file and what is wrong with it."""
