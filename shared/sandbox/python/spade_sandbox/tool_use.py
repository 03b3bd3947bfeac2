"""`ToolUseBaseEnv`: the base class that tool-use programs of the SPADE reference expect under this name.

Written anew from its protocol, so that programs of the released pools load unchanged. A program defines
`reset(seed)`, one method `tool_NAME(**arguments)` for each tool, and `solution()`; `reset` sets `_tools` (name ->
`{"description", "parameters"}`), `_state` and `_expected_answer`. A program with several instructions also sets
`_user_messages` and `_message_criteria` (functions of the state): the next instruction is shown once the criterion of
the current one holds.

The agent writes `<tool_call>{"name", "arguments"}</tool_call>` and, at the end, `<answer>…</answer>`. Where this class
differs from the reference: all calls of a message run in order and then its answer is read, where the reference runs
one call or reads the answer; a closing tag inside a JSON string does not end a call; `_advance_if_done` and the check
that all instructions were carried out exist for programs that do not bring their own.
"""

import json
import re
from typing import Any

MAX_CALLS_PER_MESSAGE = 32
MAX_RESULT = 8000
FORMAT_REWARD = -0.1
TOLERANCE = 0.01
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_FORMAT_HELP = "Format error: use tools to call a function, or <answer>result</answer> to submit."
_decode = json.JSONDecoder().raw_decode


def tools_of(instance: Any) -> list[Any] | None:
    """Tool schemas of a tool-use environment as plain JSON, or None for a game."""
    if not isinstance(instance, ToolUseBaseEnv) and not callable(getattr(type(instance), "get_tools", None)):
        return None
    tools: list[Any] = json.loads(json.dumps(instance.get_tools(), allow_nan=False))
    return tools


def calls_in(message: str) -> list[Any]:
    """Calls of a message, in order, at most `MAX_CALLS_PER_MESSAGE`: what was decoded, or None where it is no JSON."""
    calls: list[Any] = []
    position = message.find(_OPEN)
    while position >= 0 and len(calls) < MAX_CALLS_PER_MESSAGE:
        start = position + len(_OPEN)
        end = message.find(_CLOSE, start)
        try:
            body = message[start:].lstrip()
            call, length = _decode(body)
            offset = len(message) - len(body) + length
            if not message[offset:].lstrip().startswith(_CLOSE):
                raise ValueError
            end = message.index(_CLOSE, offset)
        except (ValueError, RecursionError):
            call = None
        if end < 0:
            break
        calls.append(call)
        position = message.find(_OPEN, end)
    return calls


class ToolUseBaseEnv:
    """Tools over a simulated back end, for one task or for several instructions in turn."""

    def __init__(self, max_turns: int = 10, **_kwargs: Any) -> None:
        self.max_turns = max_turns
        self.turn_count = 0
        self._tools: Any = {}
        self._state: dict[str, Any] = {}
        self._call_history: list[dict[str, Any]] = []
        self._expected_answer: Any = None
        self.reset()

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Draws the task; every program brings its own."""
        raise NotImplementedError("a tool-use program defines reset")

    def solution(self) -> str:
        """Calls and answer that carry out the task; every program brings its own."""
        raise NotImplementedError("a tool-use program defines solution")

    def get_tools(self) -> list[dict[str, Any]]:
        """OpenAI function schemas of `_tools`."""
        nothing = {"type": "object", "properties": {}}
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": tool.get("description", ""),
                    "parameters": tool.get("parameters", nothing),
                },
            }
            for name, tool in self._tools.items()
        ]

    def execute_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Runs one tool: `{"output": str, "returncode": 0 or 1}`. An exception of the tool is told to the agent."""
        method = getattr(self, f"tool_{name}", None)
        if not callable(method):
            return {"output": f"Unknown tool '{name}'. Available: {', '.join(self._tools)}", "returncode": 1}
        try:
            result = str(method(**arguments))
        except Exception as error:
            return {"output": f"Error calling {name}: {error}", "returncode": 1}
        self._call_history.append({"name": name, "arguments": arguments, "result": result})
        if type(self)._advance_if_done is ToolUseBaseEnv._advance_if_done:
            result += self._advance_if_done()
        return {"output": result, "returncode": 0}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Runs the calls of a message, then its answer. Only a right answer ends the episode; the last turn cuts it."""
        self.turn_count += 1
        cut = self.turn_count >= self.max_turns
        calls = calls_in(action)
        parts = [f"Tool result:\n{self._run(call)[:MAX_RESULT]}" for call in calls]
        reward = 0.0
        answer = _ANSWER.search(action)
        if answer is not None:
            if self._check_answer(answer.group(1).strip()):
                return "\n\n".join([*parts, "Correct!"]), 1.0, True, False, {}
            parts.append(self._incorrect_answer_feedback())
        elif not calls or calls == [None]:
            parts = [_FORMAT_HELP if not calls else "Format error: invalid tool call arguments."]
            reward = FORMAT_REWARD
        if cut:
            parts.append(f"Time up. Solution:\n{self.solution()}")
        return "\n\n".join(parts), 0.0 if cut else reward, False, cut, {}

    def _run(self, call: Any) -> str:
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return "Format error: a call is a JSON object with a name and arguments."
        arguments = call.get("arguments", {})
        return str(self.execute_tool(call["name"], arguments if isinstance(arguments, dict) else {})["output"])

    def _advance_if_done(self) -> str:
        """Moves on when the current instruction's criterion holds; the text to append to a tool's result."""
        messages = getattr(self, "_user_messages", ())
        current = getattr(self, "_current_msg", 0)
        if current >= len(messages) or not self._message_criteria[current](self._state):  # type: ignore[attr-defined]
            return ""
        self._current_msg = current + 1
        if self._current_msg >= len(messages):
            return "\n\n[ALL STEPS COMPLETE] Submit <answer>done</answer>."
        return f"\n\n[STEP {self._current_msg} COMPLETE - NEW INSTRUCTION] {messages[self._current_msg]}"

    def _check_answer(self, answer: str) -> bool:
        """Equal without case, or as numbers within 0.01; and no instruction may be left."""
        if getattr(self, "_current_msg", 0) < len(getattr(self, "_user_messages", ())):
            return False
        given, expected = str(answer).strip(), str(self._expected_answer).strip()
        if given.lower() == expected.lower():
            return True
        try:
            return abs(_number(given) - _number(expected)) < TOLERANCE
        except ValueError:
            return False

    def _incorrect_answer_feedback(self) -> str:
        """What a wrong answer is told: with several instructions, which one is still open."""
        messages = getattr(self, "_user_messages", ())
        current = getattr(self, "_current_msg", 0)
        if not 0 <= current < len(messages):
            return "Incorrect. Keep using tools."
        return (
            f"Incorrect. Step {current + 1} of {len(messages)} is still open: {messages[current]} "
            "Carry it out with the tools before you answer."
        )

    def _obs_suffix(self) -> str:
        """Nothing: old programs append it to their first observation, where the tools used to be listed."""
        return ""

    def close(self) -> None:
        """Nothing to release."""


def _number(text: str) -> float:
    return float(text.replace("$", "").replace(",", ""))
