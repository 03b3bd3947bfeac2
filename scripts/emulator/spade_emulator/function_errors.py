"""Function errors under their own names: MiniStack 1.5.33 calls every one of them Runtime.HandlerError."""

from __future__ import annotations

import re
from typing import Any

from ministack.services import lambda_svc


def install() -> None:
    """Wrap the executor of Node functions."""
    execute = lambda_svc._execute_function_warm

    def named(function: dict[str, Any], event: Any, request_id: str) -> dict[str, Any]:
        result: dict[str, Any] = execute(function, event, request_id)
        body = result.get("body")
        if result.get("error") and isinstance(body, dict) and body.get("errorType") == "Runtime.HandlerError":
            first = body["errorMessage"].split("\n")[0]
            found = re.search(rf"^(\w+): {re.escape(first)}", result.get("log", ""), re.MULTILINE)
            if found:
                body["errorType"] = found.group(1)
        return result

    lambda_svc._execute_function_warm = named
