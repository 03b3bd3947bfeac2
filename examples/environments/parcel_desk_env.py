"""A tool-use environment written as the SPADE reference writes them: three instructions in turn over a simulated back end."""

import json
import random
from typing import Tuple


class ParcelDeskEnv(ToolUseBaseEnv):
    """The agent looks up, moves and hands over a parcel; each instruction is shown once the one before it is done."""

    def reset(self, seed=None) -> Tuple[str, dict]:
        self.turn_count = 0
        self._call_history = []
        if seed is not None:
            random.seed(seed)
        names = random.sample(["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"], 5)
        codes = random.sample(range(1000, 9999), 5)
        shelves = random.choices("ABCD", k=5)
        self._state = {
            "parcels": {str(code): {"for": name, "shelf": shelf} for code, name, shelf in zip(codes, names, shelves)},
            "last_found": None,
            "handed_over": [],
        }
        self._customer = names[0]
        self._code = str(codes[0])
        self._shelf = random.choice([shelf for shelf in "ABCD" if shelf != shelves[0]])
        name, code, shelf = self._customer, self._code, self._shelf
        text = {"type": "string"}
        self._tools = {
            "find": {
                "description": "Find the parcels of a customer.",
                "parameters": {"type": "object", "properties": {"customer": text}, "required": ["customer"]},
            },
            "move": {
                "description": "Move a parcel to a shelf.",
                "parameters": {
                    "type": "object",
                    "properties": {"code": text, "shelf": {"type": "string", "enum": ["A", "B", "C", "D"]}},
                    "required": ["code", "shelf"],
                },
            },
            "hand_over": {
                "description": "Hand a parcel over to its customer.",
                "parameters": {"type": "object", "properties": {"code": text}, "required": ["code"]},
            },
            "weigh": {
                "description": "Weigh a parcel.",
                "parameters": {"type": "object", "properties": {"code": text}, "required": ["code"]},
            },
        }
        self._user_messages = [
            f"Is there anything for {name}?",
            f"Please put it on shelf {shelf} for now.",
            f"{name} is here: hand it over.",
        ]
        self._message_criteria = [
            lambda s: s["last_found"] == name,
            lambda s: code in s["parcels"] and s["parcels"][code]["shelf"] == shelf,
            lambda s: s["handed_over"] == [code],
        ]
        self._current_msg = 0
        self._expected_answer = "done"
        return self._user_messages[0], {}

    def _advance_if_done(self) -> str:
        if self._current_msg >= len(self._user_messages):
            return ""
        if not self._message_criteria[self._current_msg](self._state):
            return ""
        self._current_msg += 1
        if self._current_msg >= len(self._user_messages):
            return "\n\n[ALL STEPS COMPLETE] Submit <answer>done</answer>."
        return f"\n\n[STEP {self._current_msg} COMPLETE - NEW INSTRUCTION] {self._user_messages[self._current_msg]}"

    def _check_answer(self, answer: str) -> bool:
        return answer.strip().lower() == "done" and self._current_msg >= len(self._user_messages)

    def tool_find(self, customer="") -> str:
        found = {code: parcel for code, parcel in self._state["parcels"].items() if parcel["for"] == customer}
        self._state["last_found"] = customer if found else None
        return (json.dumps(found) if found else f"Error: nothing for {customer}") + self._advance_if_done()

    def tool_move(self, code="", shelf="") -> str:
        if code not in self._state["parcels"] or shelf not in "ABCD":
            return f"Error: no parcel {code} or no shelf {shelf}" + self._advance_if_done()
        self._state["parcels"][code]["shelf"] = shelf
        return f"Moved {code} to {shelf}" + self._advance_if_done()

    def tool_hand_over(self, code="") -> str:
        if self._state["parcels"].pop(code, None) is None:
            return f"Error: no parcel {code}" + self._advance_if_done()
        self._state["handed_over"].append(code)
        return f"Handed over {code}" + self._advance_if_done()

    def tool_weigh(self, code="") -> str:
        return ("1.2 kg" if code in self._state["parcels"] else f"Error: no parcel {code}") + self._advance_if_done()

    def solution(self) -> str:
        calls = [
            {"name": "find", "arguments": {"customer": self._customer}},
            {"name": "move", "arguments": {"code": self._code, "shelf": self._shelf}},
            {"name": "hand_over", "arguments": {"code": self._code}},
        ]
        return "".join(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls) + "<answer>done</answer>"
