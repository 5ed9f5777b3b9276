"""What the scripts of ``cases/`` must come to, in plain Python: no torch, no accelerate.

A line ``weight * x + bias`` is fitted to the samples of ``cases/toy.py`` by gradient descent on the mean squared
error, as ``processes`` that share out the batches would do it together. The same arithmetic with one thing done wrong
gives the wrong answers that have a name, so the table of measurements does not have to guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

SAMPLES = 16
BATCH = 2
RATE = 0.1

Parameters = tuple[float, float]


@dataclass(frozen=True)
class Course:
    """How a training goes.

    ``schedule`` is "" for a constant rate, "linear" for one that gets to zero with the last step, "halving" for one
    that is halved after each epoch. ``clip`` is the largest norm of the gradients. The rest are mistakes: ``keep`` is
    what counts of the micro batches of a step ("all" or "last"), ``factor`` what the gradients are multiplied by.
    """

    processes: int = 1
    accumulation: int = 1
    epochs: int = 1
    samples: int = SAMPLES
    schedule: str = ""
    clip: float = math.inf
    start: Parameters = (0.0, 0.0)
    steps_each: bool = False
    clips_each: bool = False
    keep: str = "all"
    factor: float = 1.0

    @property
    def batches(self) -> int:
        """How many batches one process takes in one epoch."""
        return math.ceil(math.ceil(self.samples / BATCH) / self.processes)

    @property
    def updates(self) -> int:
        """How many steps of the optimizer there are in all."""
        return math.ceil(self.batches / self.accumulation) * self.epochs


def points(samples: int) -> list[tuple[float, float]]:
    inputs = [index / 8 - 1 for index in range(samples)]
    return [(value, 2 * value + (index * 5 % 7 - 3) / 3) for index, value in enumerate(inputs)]


def gradient(parameters: Parameters, batch: list[tuple[float, float]]) -> Parameters:
    weight, bias = parameters
    errors = [(weight * x + bias - y, x) for x, y in batch]
    return 2 * sum(error * x for error, x in errors) / len(batch), 2 * sum(error for error, _ in errors) / len(batch)


def clipped(total: Parameters, largest: float) -> Parameters:
    norm = math.hypot(*total)
    return total if norm <= largest else (total[0] * largest / norm, total[1] * largest / norm)


def rate_at(course: Course, update: int, epoch: int) -> float:
    factors = {"": 1.0, "linear": max(0.0, 1 - update / course.updates), "halving": 0.5**epoch}
    return RATE * factors[course.schedule]


def rounds(course: Course) -> Iterator[list[list[tuple[float, float]]]]:
    """Yield what the processes take at the same time, one batch each; what is missing at the end begins anew."""
    rows = points(course.samples)
    batches = [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
    for first in range(0, len(batches), course.processes):
        yield [batches[(first + rank) % len(batches)] for rank in range(course.processes)]


def follow(course: Course) -> tuple[Parameters, float]:
    """Return the parameters and the learning rate that ``course`` ends with."""
    (weight, bias), update = course.start, 0
    for epoch in range(course.epochs):
        total = (0.0, 0.0)
        for number, batches in enumerate(rounds(course), start=1):
            share = course.factor / course.accumulation / len(batches)
            parts = [gradient((weight, bias), batch) for batch in batches]
            if course.keep == "last":
                total = (0.0, 0.0)
            total = (total[0] + share * sum(a for a, _ in parts), total[1] + share * sum(b for _, b in parts))
            complete = number % course.accumulation == 0 or number == course.batches
            if complete or course.clips_each or course.steps_each:
                total = clipped(total, course.clip)
            if complete or course.steps_each:
                rate = rate_at(course, update, epoch)
                weight, bias = weight - rate * total[0], bias - rate * total[1]
                total, update = (0.0, 0.0), update + 1
    return (weight, bias), rate_at(course, update, course.epochs)


def wrong_answers(course: Course) -> dict[str, Parameters]:
    """Return the parameters that well-known mistakes lead to, by what is done wrong."""
    alone = replace(course, processes=1)
    count = course.accumulation
    faults = {
        "steps on every micro batch": {"steps_each": True},
        "only the last micro batch counts": {"keep": "last"},
        f"gradients {count} times too big": {"factor": float(count)},
        f"gradients {count} times too small": {"factor": 1 / count},
        "clips on every micro batch": {"clips_each": True},
    }
    named = {"no training": course.start}
    if course.clip < math.inf:
        named["not clipped"] = follow(replace(course, clip=math.inf))[0]
    if course.processes > 1:
        named["the result of one process"] = follow(alone)[0]
    for words, fault in faults.items() if count > 1 else ():
        named[words] = follow(replace(course, **fault))[0]  # type: ignore[arg-type]
        if course.processes > 1:
            named[f"{words}, otherwise the result of one process"] = follow(replace(alone, **fault))[0]  # type: ignore[arg-type]
    return named
