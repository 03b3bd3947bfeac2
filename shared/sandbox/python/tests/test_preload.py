import sys
from types import ModuleType

import pytest

from spade_sandbox.harness import Episode
from spade_sandbox.preload import INJECTED, INJECTED_MEMBERS, STANDARD, TOOL_USE_MODULE, allowed_modules, injected_names
from spade_sandbox.tool_use import ToolUseBaseEnv

# Uses a dozen names that it never imports, as programs of the released pools do.
UNIMPORTED = """
class LooseEnv:
    def __init__(self, max_turns: Optional[int] = 3):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed: Optional[int] = None) -> Tuple[str, Dict[str, Any]]:
        random.seed(seed)
        self.queue = deque(permutations([1, 2, 3]))
        self.counts = Counter(chain("ab", "b"))
        self.total = reduce(operator.add, accumulate([1, 2]))
        self.mean = statistics.mean([1, 2])
        return json.dumps(deepcopy(self.queue[0])), {}
    @lru_cache(maxsize=None)
    def cost(self, n):
        return math.comb(n, 2)
    def step(self, action):
        return str(self.cost(4)), 0.0, True, False, {}
"""


def load(source: str, **options: object) -> Episode:
    preloaded: dict[str, ModuleType] = {}
    episode = Episode(injected_names(), preloaded)
    request = {"clock": "real", "observationBytes": 1000, "rewardMagnitude": 10, "seed": 1, "source": source}
    episode.load({**request, "maxTurns": 9, "ownTurns": False, **options})
    return episode


def test_programs_may_leave_common_imports_out() -> None:
    episode = load(UNIMPORTED)
    assert episode.reset({"seed": 3}) == ["[1, 2, 3]"]
    assert episode.step({"action": "x"}) == ["6", 0.0, True, False, 0]


def test_every_injected_module_is_preloaded() -> None:
    assert set(INJECTED) | set(INJECTED_MEMBERS) <= set(STANDARD)


def test_the_base_class_of_tool_use_can_be_imported_under_the_reference_s_name() -> None:
    assert TOOL_USE_MODULE in allowed_modules()
    load(
        "from tool_use_base_env import ToolUseBaseEnv as Base\n"
        "class ShopEnv(Base):\n    def reset(self, seed=None): return 'x', {}\n    def tool_a(self): return ''\n"
    )
    assert sys.modules[TOOL_USE_MODULE].ToolUseBaseEnv is ToolUseBaseEnv


@pytest.mark.parametrize(
    ("declared", "own_turns", "turns"),
    [("3", False, 9), ("3", True, 3), ("30", True, 9), ("None", True, None), ("'3'", True, 9), ("0", True, 9)],
)
def test_a_program_keeps_its_own_number_of_turns_when_asked(declared: str, own_turns: bool, turns: int | None) -> None:
    source = UNIMPORTED.replace("= 3)", f"= {declared})")
    assert load(source, ownTurns=own_turns)._instance.max_turns == turns
