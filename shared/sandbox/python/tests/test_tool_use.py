from typing import Any

import pytest

from spade_sandbox.tool_use import MAX_CALLS_PER_MESSAGE, ToolUseBaseEnv, calls_in, tools_of


class CounterEnv(ToolUseBaseEnv):
    """One task, as the reference's single-task programs: the answer is a number."""

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        self.turn_count = 0
        self._call_history = []
        self._state = {"count": seed or 0}
        self._tools = {"add": {"description": "Add.", "parameters": {"type": "object", "properties": {"by": {}}}}}
        self._expected_answer = "$1,250.00"
        return "Report the count." + self._obs_suffix(), {}

    def tool_add(self, by: int = 1) -> str:
        self._state["count"] += by
        return f"count is {self._state['count']}"

    def solution(self) -> str:
        return f"{call('add', '{}')}<answer>1250</answer>"


class TwoStepsEnv(CounterEnv):
    """Two instructions, without a helper of its own."""

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed)
        self._expected_answer = "done"
        self._user_messages = ["Make it three.", "Make it five."]
        self._message_criteria = [lambda s: s["count"] == 3, lambda s: s["count"] == 5]
        self._current_msg = 0
        return self._user_messages[0], {}


class OwnHelperEnv(TwoStepsEnv):
    """The same with the helper that the reference asks programs to write, called by the tool itself."""

    def _advance_if_done(self) -> str:
        if self._current_msg < 2 and self._message_criteria[self._current_msg](self._state):
            self._current_msg += 1
            return " [own]"
        return ""

    def tool_add(self, by: int = 1) -> str:
        return super().tool_add(by) + self._advance_if_done()


def call(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


def test_a_right_answer_ends_the_episode() -> None:
    env = CounterEnv()
    assert env.reset(seed=2)[0] == "Report the count."
    assert env.step(call("add", '{"by": 3}')) == ("Tool result:\ncount is 5", 0.0, False, False, {})
    assert env.step("<answer>1249</answer>")[1:4] == (0.0, False, False)
    assert env.step("I think it is <answer> 1250.001 </answer>") == ("Correct!", 1.0, True, False, {})
    assert env._call_history == [{"name": "add", "arguments": {"by": 3}, "result": "count is 5"}]


@pytest.mark.parametrize("kind", [TwoStepsEnv, OwnHelperEnv])
def test_instructions_come_one_after_the_other(kind: type[TwoStepsEnv]) -> None:
    env = kind()
    assert env.reset(seed=0)[0] == "Make it three."
    assert "step 1 of 2" in env.step("<answer>done</answer>")[0].lower()
    assert env._current_msg == 0
    shown = env.step(call("add", '{"by": 3}'))[0]
    assert ("Make it five." in shown) == (kind is TwoStepsEnv)
    assert env._current_msg == 1
    assert env.step(call("add", '{"by": 2}') + "<answer>done</answer>")[1:3] == (1.0, True)


def test_bad_messages_are_answered_and_cost_a_little() -> None:
    env = CounterEnv(max_turns=50)
    env.reset(seed=0)
    assert env.step("hello")[:2] == (
        "Format error: use tools to call a function, or <answer>result</answer> to submit.",
        -0.1,
    )
    assert env.step("<tool_call>{</tool_call>")[:2] == ("Format error: invalid tool call arguments.", -0.1)
    for bad in ("[1]", "7", '{"name": 3}'):
        assert "a JSON object" in env.step(f"<tool_call>{bad}</tool_call>")[0]
    assert "Unknown tool 'rm'. Available: add" in env.step(call("rm", "{}"))[0]
    assert "Error calling add:" in env.step(call("add", '{"to": 1}'))[0]
    assert "count is 1" in env.step(call("add", "3"))[0]


def test_the_turn_limit_cuts_and_tells_the_solution() -> None:
    env = CounterEnv(max_turns=1)
    env.reset(seed=0)
    observation, reward, terminated, truncated, _ = env.step("hello")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert env.solution() in observation


def test_a_closing_tag_inside_a_string_does_not_end_a_call() -> None:
    text = call("add", '{"note": "a</tool_call>b"}') + " and " + call("add", '{"by": 2}')
    assert [c["arguments"] for c in calls_in(text)] == [{"note": "a</tool_call>b"}, {"by": 2}]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", 0),
        ("<tool_call>", 0),
        ('<tool_call>{"name": "add"}', 0),
        ("<tool_call></tool_call>", 1),
        ("<tool_call>{“name”: “add”}</tool_call>", 1),
        ("<tool_call>" + "[" * 100_000 + "</tool_call>", 1),
        (call("add", "{}") * 500, MAX_CALLS_PER_MESSAGE),
    ],
)
def test_any_message_is_read(text: str, found: int) -> None:
    assert len(calls_in(text)) == found
    env = CounterEnv()
    env.reset(seed=0)
    assert len(env.step(text)) == 5


def test_tools_are_shown_as_plain_json_and_games_have_none() -> None:
    assert tools_of(CounterEnv()) == [
        {
            "type": "function",
            "function": {
                "name": "add",
                "description": "Add.",
                "parameters": {"type": "object", "properties": {"by": {}}},
            },
        }
    ]
    assert tools_of(object()) is None
