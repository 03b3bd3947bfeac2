"""Strategic Planning: do the jobs so that every deadline is met."""

from __future__ import annotations

import re
from random import Random

from .base import Constants, Family, Slip, View, boxed, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """One more job with every level."""
    return {"jobs": level + 2 + rng.randint(0, 1)}


def write(size: Constants, style: Style) -> str:
    """The program that lists jobs with their deadlines and asks for the order of work."""
    words = style.phrase("plan the", "schedule the")
    jobs = size["jobs"]
    return single_turn(
        style,
        "Plan",
        [f'self.xs = dict(zip("ABCDEFGHK", {style.rng}.sample(range(10, 99), {jobs})))'],
        f'"{words} {style.noun}, due " + " ".join(f"{{c}}{{t}}" for c, t in self.xs.items())',
        '"".join(sorted(self.xs, key=self.xs.get))',
    )


def jobs_of(view: View) -> dict[str, int]:
    """Job → deadline."""
    return {job: int(due) for job, due in re.findall(r"\b([A-K])(\d+)\b", view.observation)}


def expert(view: View, slip: Slip) -> str:
    """The deadlines from the earliest on, each with its job."""
    due = jobs_of(view)
    order = sorted(due, key=lambda job: due[job])
    for index in range(len(order) - 1):
        if slip.happens():
            order[index], order[index + 1] = order[index + 1], order[index]
    return worked([f"{due[job]}{job}" for job in order], "".join(order))


def naive(view: View, slip: Slip) -> str:
    """The most urgent job first, the others as they come."""
    due = jobs_of(view)
    first = min(due, key=lambda job: due[job])
    rest = [job for job in due if job != first]
    slip.rng.shuffle(rest)
    return boxed(first + "".join(rest))


FAMILY = Family(
    name="schedule",
    skill="Strategic Planning",
    title="Plan",
    hints=(
        "write the deadlines from the earliest on with their jobs",
        "sort by what is due first, then read off the jobs",
    ),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: float(len(re.findall(r"[A-K]\d\d", observation))),
)
