from typing import Any

from spade_sandbox.tool_use import ToolUseBaseEnv, tools_of


class CounterEnv(ToolUseBaseEnv):
    def __init__(self, max_turns: int = 5) -> None:
        super().__init__(max_turns)
        self._state = {"count": 0}
        self._tools = [{"type": "function", "function": {"name": "add", "parameters": {}}}]
        self._user_messages = ["Make it three.", "Make it five."]
        self._message_criteria = [{"count": 3}, lambda state: state["count"] == 5]

    def _tool_add(self, by: int) -> dict[str, Any]:
        self._state["count"] += by
        return {"count": self._state["count"]}


def call(arguments: str) -> str:
    return f'<tool_call>{{"name": "add", "arguments": {arguments}}}</tool_call>'


def test_an_episode_that_meets_both_criteria_earns_one() -> None:
    env = CounterEnv()
    assert env.reset(1)[0] == "Make it three."
    assert '"count": 3' in env.step(call('{"by": 3}'))[0]
    observation, reward, terminated, _, _ = env.step("<answer>three</answer>")
    assert (observation, reward, terminated) == ("Make it five.", 0.0, False)
    assert env.step(call('{"by": 2}') + "<answer>five</answer>")[1:3] == (1.0, True)


def test_a_missed_criterion_earns_its_share() -> None:
    env = CounterEnv()
    env.reset(1)
    env.step("<answer>done</answer>")
    assert env.step(call('{"by": 5}') + "<answer>five</answer>")[1] == 0.5


def test_bad_calls_are_answered() -> None:
    env = CounterEnv(max_turns=50)
    env.reset(1)
    for bad in ("{", "[1]", "7", '{"name": 3}', '{"name": "add", "arguments": 3}', '{"name": "rm", "arguments": {}}'):
        assert "<tool_response>" in env.step(f"<tool_call>{bad}</tool_call>")[0]
    assert "unexpected keyword" in env.step(call('{"to": 1}'))[0]
    assert "<tool_call>" in env.step("hello")[0]


def test_the_turn_limit_cuts() -> None:
    env = CounterEnv(max_turns=1)
    env.reset(1)
    assert env.step("hello")[2:4] == (False, True)


def test_tools_are_shown_as_plain_json_and_games_have_none() -> None:
    assert tools_of(CounterEnv()) == [{"type": "function", "function": {"name": "add", "parameters": {}}}]
    assert tools_of(object()) is None
