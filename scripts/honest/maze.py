import random
from collections import deque

SIZE = 5

STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}


class Maze:
    """A perfect maze, carved depth first without recursion."""

    def __init__(self, size, rng):
        self.size = size
        self.doors = {(x, y): set() for x in range(size) for y in range(size)}
        stack, seen = [(0, 0)], {(0, 0)}
        while stack:
            x, y = stack[-1]
            ways = [(d, (x + a, y + b)) for d, (a, b) in STEPS.items() if (x + a, y + b) in self.doors]
            ways = [(d, cell) for d, cell in ways if cell not in seen]
            if not ways:
                stack.pop()
                continue
            way, cell = rng.choice(ways)
            self.doors[x, y].add(way)
            self.doors[cell].add({"north": "south", "south": "north", "east": "west", "west": "east"}[way])
            seen.add(cell)
            stack.append(cell)

    def path(self, start, goal):
        queue, came = deque([start]), {start: None}
        while queue:
            cell = queue.popleft()
            if cell == goal:
                break
            for way in sorted(self.doors[cell]):
                following = (cell[0] + STEPS[way][0], cell[1] + STEPS[way][1])
                if following not in came:
                    came[following] = (cell, way)
                    queue.append(following)
        ways = []
        while came[goal] is not None:
            goal, way = came[goal]
            ways.append(way)
        return ways[::-1]


class MazeEnv:
    """Find the way out of a maze of SIZE by SIZE rooms in one answer."""

    def __init__(self, max_turns=6):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.maze = Maze(SIZE, self.rng)
        self.goal = max(self.maze.doors, key=lambda cell: (len(self.maze.path((0, 0), cell)), cell))
        self.turn = 0
        rooms = "; ".join(f"{x},{y}: {' '.join(sorted(ways))}" for (x, y), ways in sorted(self.maze.doors.items()))
        return (
            f"Doors of each room as column,row: {rooms}. You are at 0,0; the exit is at "
            f"{self.goal[0]},{self.goal[1]}. Answer \\boxed{{the ways, separated by spaces}}."
        ), {}

    def step(self, action):
        self.turn += 1
        text = action.split("\\boxed{")[-1].split("}")[0].lower().replace(",", " ")
        cell = (0, 0)
        for way in text.split():
            if way not in self.maze.doors[cell]:
                return f"No door {way[:20]!r} at {cell[0]},{cell[1]}.", 0.0, False, self.turn >= self.max_turns, {}
            cell = (cell[0] + STEPS[way][0], cell[1] + STEPS[way][1])
        done = cell == self.goal
        seen = "You are out." if done else f"You end at {cell[0]},{cell[1]}."
        return seen, float(done), done, not done and self.turn >= self.max_turns, {}

    def solution(self):
        return "\\boxed{" + " ".join(self.maze.path((0, 0), self.goal)) + "}"
