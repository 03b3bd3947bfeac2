"""A game written as the SPADE reference writes them: common names are not imported, the constructor resets without a seed."""


class FerryTimetableEnv:
    """Several tries at one puzzle: the earliest arrival over a small network of ferries."""

    def __init__(self, max_turns: int = 4, **kwargs):
        self.max_turns = max_turns
        self.turn_count = 0
        self.reset()

    def reset(self, seed: Optional[int] = None) -> Tuple[str, Dict[str, Any]]:
        if seed is not None:
            random.seed(seed)
        self.turn_count = 0
        self.harbours = ["Alder", "Birch", "Cedar", "Dogwood", "Elm"]
        self.ferries = [
            (a, b, departure, departure + random.randint(10, 70))
            for a, b in combinations(self.harbours, 2)
            for departure in sorted(random.sample(range(0, 240, 10), 2))
        ]
        random.shuffle(self.ferries)
        return self._task() + "\nAnswer with \\boxed{minutes}.", {}

    def _task(self) -> str:
        table = "\n".join(f"{a} {departure} -> {b} {arrival}" for a, b, departure, arrival in self.ferries)
        return f"Ferries (harbour, minute of departure -> harbour, minute of arrival):\n{table}\nEarliest arrival at Elm, from Alder at minute 0?"

    def solution(self) -> str:
        earliest = defaultdict(lambda: math.inf, {"Alder": 0})
        for a, b, departure, arrival in sorted(self.ferries, key=operator.itemgetter(2)):
            if earliest[a] <= departure:
                earliest[b] = min(earliest[b], arrival)
        return str(earliest["Elm"])

    def step(self, action: str) -> Tuple[str, float, bool, bool, Dict[str, Any]]:
        self.turn_count += 1
        truncated = self.turn_count >= self.max_turns
        match = re.search(r"\\boxed\{\s*(\d+)\s*\}", action)
        if match and match.group(1) == self.solution():
            return "Correct.", 1.0, True, False, {}
        if truncated:
            return f"Out of tries. It was {self.solution()}.", 0.0, False, True, {}
        if not match:
            return f"Answer with \\boxed{{minutes}}.\n{self._task()}", 0.0, False, False, {}
        side = "later" if int(match.group(1)) < int(self.solution()) else "earlier"
        return f"Wrong: it is {side}.\n{self._task()}", 0.0, False, False, {}

    def close(self):
        pass
