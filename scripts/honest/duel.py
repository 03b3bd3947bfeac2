import functools
import itertools
import random

SIZE = 5

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def winner(board):
    return next((board[a] for a, b, c in LINES if board[a] != "." and board[a] == board[b] == board[c]), None)


@functools.lru_cache(maxsize=None)
def value(board, player):
    """Of the game for x, by minimax."""
    won = winner(board)
    if won or "." not in board:
        return {"x": 1, "o": -1, None: 0}[won]
    following = (value(board[:i] + player + board[i + 1 :], "xo"[player == "x"]) for i in free(board))
    return max(following) if player == "x" else min(following)


def free(board):
    return [i for i, mark in enumerate(board) if mark == "."]


class DuelEnv:
    """Positions of noughts and crosses in which one move wins by force; SIZE such positions in a row."""

    ROUNDS = SIZE

    def __init__(self, max_turns=10):
        self.max_turns = max_turns
        self.boards, self.index = [], 0

    def _positions(self, rng):
        while True:
            board = "." * 9
            for player in itertools.islice(itertools.cycle("xo"), rng.choice((2, 4))):
                i = rng.choice(free(board))
                board = board[:i] + player + board[i + 1 :]
            best = self._winning(board)
            if not winner(board) and 1 == len(best) < len(free(board)):
                yield board

    @staticmethod
    def _winning(board):
        return [i for i in free(board) if value(board[:i] + "x" + board[i + 1 :], "o") == 1]

    def _show(self):
        board = self.boards[self.index]
        rows = "\n".join(board[i : i + 3] for i in (0, 3, 6))
        return f"Position {self.index + 1} of {self.ROUNDS}; x moves and must win:\n{rows}\nAnswer \\boxed{{0-8}}."

    def reset(self, seed=None):
        positions = self._positions(random.Random(seed))
        self.boards, self.index = [next(positions) for _ in range(self.ROUNDS)], 0
        return self._show(), {}

    def step(self, action):
        text = action.split("\\boxed{")[-1].rstrip("}").strip()
        board = self.boards[self.index]
        if text not in set("012345678") or int(text) not in free(board):
            return "Not a free square: the duel is lost.", 0.0, True, False, {}
        if int(text) not in self._winning(board):
            return f"That does not win; {self._winning(board)[0]} would have.", 0.0, True, False, {}
        self.index += 1
        if self.index == self.ROUNDS:
            return "All won.", 1.0, True, False, {}
        return self._show(), 0.0, False, False, {}

    def solution(self):
        return [f"\\boxed{{{self._winning(board)[0]}}}" for board in self.boards]
