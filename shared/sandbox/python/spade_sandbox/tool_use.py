"""`ToolUseBaseEnv`: the base class that tool-use programs of the SPADE reference expect under this name.

Written anew from its protocol: the program sets `_state`, `_tools` (OpenAI function schemas), `_user_messages` and
`_message_criteria`, and defines one method per tool. The agent writes `<tool_call>{"name", "arguments"}</tool_call>`
any number of times in a message; `<answer>…</answer>` ends the current user message. The reward of the episode is the
share of user messages whose criterion held when they were answered.
"""

import json
import re
from collections.abc import Callable
from typing import Any

MAX_CALLS_PER_MESSAGE = 32
MAX_RESULT = 8000
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


def tools_of(instance: Any) -> list[Any] | None:
    """Tool schemas of a tool-use environment as plain JSON, or None for a game."""
    if not isinstance(instance, ToolUseBaseEnv) and not callable(getattr(type(instance), "get_tools", None)):
        return None
    tools: list[Any] = json.loads(json.dumps(instance.get_tools(), allow_nan=False))
    return tools


class ToolUseBaseEnv:
    """Several user instructions in turn over a simulated back end."""

    def __init__(self, max_turns: int = 25) -> None:
        self.max_turns = max_turns
        self._state: dict[str, Any] = {}
        self._tools: list[dict[str, Any]] = []
        self._user_messages: list[str] = []
        self._message_criteria: list[Any] = []
        self._restart()

    def _restart(self) -> None:
        self._turn = 0
        self._message_index = 0
        self._passed: list[bool] = []
        self._last_answer = ""

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Calls the program's `_setup(seed)` when it has one, and shows the first user message."""
        self._restart()
        setup = getattr(self, "_setup", None)
        if callable(setup):
            setup(seed)
        return self._user_messages[0], {}

    def get_tools(self) -> list[dict[str, Any]]:
        """OpenAI function schemas."""
        return self._tools

    def execute_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Runs the method of that name (or `_tool_NAME`). Errors are answers to the agent, not faults."""
        known = {(tool.get("function") or tool).get("name") for tool in self.get_tools()}
        method: Callable[..., Any] | None = getattr(self, f"_tool_{name}", None) or getattr(self, name, None)
        if name not in known or not callable(method):
            return {"error": f"unknown tool {name}"}
        try:
            return method(**arguments)
        except TypeError as error:
            return {"error": str(error)}
        except (KeyError, ValueError, IndexError) as error:
            return {"error": f"{type(error).__name__}: {error}"}

    def evaluate(self) -> float:
        """Share of user messages whose criterion held, in [0, 1]."""
        return sum(self._passed) / max(1, len(self._user_messages))

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Runs the tool calls of one message; an answer moves on to the next user message."""
        self._turn += 1
        answer = _ANSWER.search(action)
        parts = [self._run_call(text) for text in _CALL.findall(action)[:MAX_CALLS_PER_MESSAGE]]
        if answer is not None:
            self._last_answer = answer.group(1).strip()
            self._passed.append(self._criterion_holds(self._message_index))
            self._message_index += 1
            if self._message_index >= len(self._user_messages):
                return "Done.", float(self.evaluate()), True, False, {}
            parts.append(self._user_messages[self._message_index])
        if not parts:
            parts.append("Call a tool with <tool_call>{...}</tool_call> or finish with <answer>...</answer>.")
        cut = self._turn >= self.max_turns
        return "\n".join(parts), float(self.evaluate()) if cut else 0.0, False, cut, {}

    def _run_call(self, text: str) -> str:
        try:
            call = json.loads(text)
        except (ValueError, RecursionError):
            return "<tool_response>the call is not valid JSON</tool_response>"
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return "<tool_response>a call is an object with a name and arguments</tool_response>"
        arguments = call.get("arguments", {})
        if not isinstance(arguments, dict):
            return "<tool_response>arguments must be an object</tool_response>"
        result = json.dumps(self.execute_tool(call["name"], arguments), default=str)
        return f"<tool_response>{result[:MAX_RESULT]}</tool_response>"

    def _criterion_holds(self, index: int) -> bool:
        if index >= len(self._message_criteria):
            return False
        criterion = self._message_criteria[index]
        if callable(criterion):
            return bool(criterion(self._state))
        return all(self._state.get(key) == value for key, value in dict(criterion).items())
