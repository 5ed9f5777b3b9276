"""What the scripts of ``cases/`` must come to, in plain Python: no torch, no accelerate.

A line ``weight * x + bias`` is fitted to the samples of ``cases/toy.py`` by gradient descent on the mean squared
error, as ``processes`` that share out the batches would do it together. The same arithmetic with one thing done wrong
gives the wrong answers that have a name, so the table of measurements does not have to guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

SAMPLES = 16
BATCH = 2
RATE = 0.1

Parameters = tuple[float, float]


@dataclass(frozen=True)
class Course:
    """How a training goes.

    ``schedule`` is "" for a constant rate, "linear" for one that gets to zero with the last step, "halving" for one
    that is halved after each epoch, "plateau" for one that is halved whenever two epochs bring nothing new. ``clip``
    is the largest norm of the gradients, ``bound`` the largest value of each. ``order`` is the order of the samples
    where they are ``shuffled``.

    The rest are mistakes: ``keep`` is what counts of the micro batches of a step ("all" or "last"), ``factor`` what
    the gradients are multiplied by, ``pace`` how many steps a scheduler takes for one.
    """

    processes: int = 1
    accumulation: int = 1
    epochs: int = 1
    samples: int = SAMPLES
    schedule: str = ""
    clip: float = math.inf
    bound: float = math.inf
    start: Parameters = (0.0, 0.0)
    shuffled: bool = False
    order: tuple[int, ...] = ()
    steps_each: bool = False
    clips_each: bool = False
    keep: str = "all"
    factor: float = 1.0
    drops_rest: bool = False
    raw_scheduler: bool = False
    pace: int = 1

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


def clipped(total: Parameters, course: Course) -> Parameters:
    weight, bias = (max(-course.bound, min(course.bound, each)) for each in total)
    share = min(1.0, course.clip / (math.hypot(weight, bias) or 1.0))
    return weight * share, bias * share


def rate_at(course: Course, update: int, taken: int, epoch: int) -> float:
    """Return the rate after ``update`` steps, ``taken`` micro batches and ``epoch`` epochs."""
    if course.schedule == "linear":
        # The length is that of the batches of one process in groups: a raw scheduler counts what it sees itself.
        length = math.ceil(course.samples / BATCH) // course.accumulation
        return RATE * max(0.0, 1 - (taken / length if course.raw_scheduler else course.pace * update / course.updates))
    steps = epoch * course.pace
    halvings = {"": 0, "halving": steps, "plateau": max(0, (steps - 1) // 2)}
    return RATE * 0.5 ** halvings[course.schedule]


def rounds(course: Course) -> Iterator[list[list[tuple[float, float]]]]:
    """Yield what the processes take at the same time, one batch each; what is missing at the end begins anew."""
    rows = points(course.samples)
    rows = [rows[index] for index in course.order] if course.order else rows
    batches = [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
    for first in range(0, len(batches), course.processes):
        yield [batches[(first + rank) % len(batches)] for rank in range(course.processes)]


def follow(course: Course) -> tuple[Parameters, float]:
    """Return the parameters and the learning rate that ``course`` ends with."""
    (weight, bias), update, taken = course.start, 0, 0
    for epoch in range(course.epochs):
        total = (0.0, 0.0)
        for number, batches in enumerate(rounds(course), start=1):
            share = course.factor / course.accumulation / len(batches)
            parts = [gradient((weight, bias), batch) for batch in batches]
            if course.keep == "last":
                total = (0.0, 0.0)
            total = (total[0] + share * sum(a for a, _ in parts), total[1] + share * sum(b for _, b in parts))
            rest = number == course.batches and not course.drops_rest
            complete = number % course.accumulation == 0 or rest
            if complete or course.clips_each or course.steps_each:
                total = clipped(total, course)
            if complete or course.steps_each:
                rate = rate_at(course, update, taken, epoch)
                weight, bias = weight - rate * total[0], bias - rate * total[1]
                total, update = (0.0, 0.0), update + 1
            taken += 1
    return (weight, bias), rate_at(course, update, taken, course.epochs)


def faults_in(course: Course) -> dict[str, dict[str, Any]]:
    """Return the mistakes that make a difference to ``course``, each with what it changes."""
    count = course.accumulation
    faults: dict[str, dict[str, Any]] = {}
    if count > 1:
        faults["steps on every micro batch"] = {"steps_each": True}
        faults["only the last micro batch counts"] = {"keep": "last"}
        faults[f"gradients {count} times too big"] = {"factor": float(count)}
        faults[f"gradients {count} times too small"] = {"factor": 1 / count}
        faults["clips on every micro batch"] = {"clips_each": True}
        faults["the last window never steps"] = {"drops_rest": True}
    if min(course.clip, course.bound) < math.inf:
        faults["not clipped"] = {"clip": math.inf, "bound": math.inf}
    if course.epochs > 1:
        faults["the result of one epoch"] = {"epochs": 1}
    if course.schedule == "linear":
        faults["the scheduler steps once with every micro batch"] = {"raw_scheduler": True}
    if course.schedule:
        faults["the schedule runs 2 times too fast"] = {"pace": 2}
    return faults


def wrong_answers(course: Course) -> dict[str, Parameters]:
    """Return the parameters that well-known mistakes lead to, by what is done wrong."""
    alone = replace(course, processes=1)
    named = {"no training": course.start}
    if course.processes > 1:
        named["the result of one process"] = follow(alone)[0]
    for words, fault in faults_in(course).items():
        named[words] = follow(replace(course, **fault))[0]
        if course.processes > 1:
            named[f"{words}, else the result of one process"] = follow(replace(alone, **fault))[0]
    return named
