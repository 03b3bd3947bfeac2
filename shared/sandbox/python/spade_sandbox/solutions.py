"""The value of `solution()`, checked and made plain."""

from .faults import Fault

MAX_ACTIONS = 4096
MAX_TEXT = 262_144


def checked_solution(value: object) -> dict[str, object] | None:
    """`{"text", "actions"}`: a list or tuple of strings is an action sequence, a string is left as text.

    None when there is no solution. Fault: solution.type.
    """
    if value is None:
        return None
    if type(value) in (list, tuple):
        items = list(value)  # type: ignore[call-overload]
        if len(items) > MAX_ACTIONS or any(type(item) not in (str, int, float) for item in items):
            raise Fault("solution.type", "solution returned a sequence of something other than texts")
        actions = [_encodable(str(item)) for item in items]
        return {"text": "\n".join(actions)[:MAX_TEXT], "actions": actions}
    if type(value) in (int, float):
        value = str(value)
    if type(value) is not str:
        raise Fault("solution.type", "solution returned neither a text nor a sequence of texts")
    return {"text": _encodable(value), "actions": None}


def _encodable(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise Fault("solution.type", "the solution is too long")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Fault("solution.type", "the solution holds a lone surrogate") from None
    return text
