"""The loop of a confined process: one program, one episode, requests and replies over one descriptor.

The process holds what the program may know and no more: its own source and the seed of the current episode arrive here
after the fork; hints, other programs and answers never do. Requests: `{"op": …}`; replies: `{"i": n, "v": …}` for the
n-th request, or `{"i": n, "e": [reason, detail]}`.
"""

import json
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from . import analysis, tool_use
from .classes import check_signatures, construct, find_environment_class, name_of
from .faults import ENVIRONMENT_FILE, Fault, fault_of
from .frames import FrameReader, write_frame
from .preload import TOOL_USE_MODULE, allowed_modules
from .solutions import checked_solution
from .tool_use import ToolUseBaseEnv, tools_of
from .values import (
    Bounds,
    checked_flag,
    checked_observation,
    checked_reward,
    count_dropped,
    unpacked_reset,
    unpacked_step,
)
from .worlds import shift_clock

MODULE_NAME = "environment"
Request = dict[str, Any]

# Bound once: `json.loads` would first guess the encoding, anew for each request.
_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


class Episode:
    """The program under test and the instance being played."""

    def __init__(self, injected: dict[str, object], preloaded: dict[str, types.ModuleType]) -> None:
        self._injected = injected
        self._preloaded = preloaded
        self._cls: type | None = None
        self._instance: Any = None
        self._fresh = False
        self._max_turns: int | None = None
        self._own_turns = False
        self._bounds = Bounds(0, 0.0)

    def load(self, request: Request) -> object:
        """Imports the program and constructs its environment."""
        if request["clock"] == "other":
            shift_clock()
        self._bounds = Bounds(request["observationBytes"], request["rewardMagnitude"])
        self._max_turns = request["maxTurns"]
        self._own_turns = request["ownTurns"]
        random.seed(request["seed"])
        if "numpy" in self._preloaded:
            self._preloaded["numpy"].random.seed(request["seed"] % 2**32)
        namespace = self._execute(request["source"])
        self._cls = find_environment_class(namespace, frozenset({ToolUseBaseEnv}))
        check_signatures(self._cls)
        self._construct()
        tools = tools_of(self._instance)
        return {
            "title": name_of(self._cls),
            "hasSolution": callable(getattr(self._cls, "solution", None)),
            "toolUse": tools is not None,
            "tools": tools or [],
        }

    def _execute(self, source: str) -> dict[str, object]:
        module = types.ModuleType(MODULE_NAME)
        namespace = module.__dict__
        namespace.update(self._injected)
        namespace["ToolUseBaseEnv"] = ToolUseBaseEnv
        sys.modules[MODULE_NAME] = module
        sys.modules[TOOL_USE_MODULE] = tool_use
        try:
            code = compile(source, ENVIRONMENT_FILE, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Fault("source.syntax", fault_of(error, "run").detail) from None
        except (RecursionError, MemoryError):
            raise Fault("source.too_complex", "the compiler gave up") from None
        try:
            exec(code, namespace)
        except BaseException as error:
            raise fault_of(error, "import") from None
        return namespace

    def _construct(self) -> None:
        if self._cls is None:
            raise Fault("contract.lifecycle", "nothing is loaded")
        try:
            self._instance = construct(self._cls, self._max_turns, own_turns=self._own_turns)
        except BaseException as error:
            raise fault_of(error, "construct") from None
        self._fresh = True

    def reset(self, request: Request) -> object:
        """First observation; a used instance is replaced unless `reuse` asks for a second reset of the same one."""
        if not self._fresh and not request.get("reuse"):
            self._construct()
        self._fresh = False
        observation = unpacked_reset(self._instance.reset(seed=request["seed"]))
        return [checked_observation(observation, self._bounds, may_be_empty=False)]

    def step(self, request: Request) -> object:
        """`[observation, reward, terminated, truncated, dropped]`."""
        result = unpacked_step(self._instance.step(request["action"]))
        reward = checked_reward(result[1], self._bounds)
        terminated, truncated = checked_flag(result[2], "terminated"), checked_flag(result[3], "truncated")
        observation = checked_observation(result[0], self._bounds, may_be_empty=terminated or truncated)
        return [observation, reward, terminated, truncated, count_dropped(result[4])]

    def solution(self, _request: Request) -> object:
        """The reference solution of the instance as it stands, or null."""
        if not callable(getattr(self._instance, "solution", None)):
            return None
        try:
            value = self._instance.solution()
        except BaseException as error:
            fault = fault_of(error, "run")
            raise Fault(
                "solution.exception" if fault.reason == "env.exception" else fault.reason, fault.detail
            ) from None
        return checked_solution(value)

    def analyse(self, request: Request) -> object:
        """Facts about a source that is not run."""
        return analysis.analyse(request["source"], allowed_modules(tuple(self._preloaded)))


def serve(connection: int, injected: dict[str, object], preloaded: dict[str, types.ModuleType]) -> None:
    """Answers requests until the connection ends. Leaves by exception only when the connection is gone."""
    episode = Episode(injected, preloaded)
    operations: dict[str, Callable[[Request], object]] = {
        "load": episode.load,
        "reset": episode.reset,
        "step": episode.step,
        "solution": episode.solution,
        "analyse": episode.analyse,
        "end": lambda _request: None,
    }
    decode, encode, read, write = _decode, _encode, FrameReader(connection).read, write_frame
    index = 0
    while True:
        request = decode(read().decode())
        try:
            reply = f'{{"i":{index},"v":{encode(operations[request["op"]](request))}}}'
        except BaseException as error:
            fault = fault_of(error, "run")
            reply = f'{{"i":{index},"e":{encode([fault.reason, fault.detail])}}}'
        write(connection, reply.encode())
        index += 1


def leave() -> None:
    """Ends the process without running finalisers, exit handlers or destructors of the program."""
    os._exit(0)
