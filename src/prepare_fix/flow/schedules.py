"""Schedulers and loaders: what a schedule's length is counted in, and how often it steps."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, TrackedObject
from prepare_fix.flow.roles import Roles

# The schedule then advances once per step, prepared or not (accelerate 1.15, scheduler.py, AcceleratedScheduler.step).
_ONCE_PER_STEP = re.compile(r"split_batches\s*=\s*True|step_scheduler_with_optimizer\s*=\s*False")
# Data that shards itself, or is cut up by hand: preparing its loader would shard it twice.
_SHARDED = re.compile(
    r"process_index|process_rank|\bRANK\b|DistributedSampler|split_dataset_by_node|IterableDataset|streaming\s*=\s*True|webdataset"
    r"|\bwds\.|get_rank\(|\.shard\(|split_between_processes|split_batches"
)


class Schedules(Roles):
    """Adds questions about schedulers and about loaders that shard themselves."""

    def length_sources(self, scheduler: ObjectId) -> tuple[TrackedObject, ...]:
        """Return what the arguments of a scheduler's constructor, other than the optimizer, are computed from."""
        handed = [
            number
            for number in self.objects[self.root(scheduler)].built_from
            if number in self.objects and self.role(number) is not Role.OPTIMIZER
        ]
        return tuple(self.objects[number] for number in self.sources_of(handed, detached=True))

    def lengths_taken(self, scheduler: ObjectId) -> frozenset[ObjectId]:
        """Return the objects whose ``len`` the length of a schedule is computed from."""
        return frozenset(
            number for obj in self.length_sources(scheduler) if obj.name == "len" for number in obj.built_from
        )

    def counts_updates(self, scheduler: ObjectId) -> bool:
        """Return whether the length of a schedule is divided by the number of micro batches per update."""
        return any(isinstance(operator, (ast.Div, ast.FloorDiv)) for operator in self._uses_of_count(scheduler))

    def is_multiplied_by_count(self, scheduler: ObjectId) -> bool:
        """Return whether the length of a schedule is multiplied by the number of micro batches per update: it is made
        for raw steps, even where it was divided by that number first."""
        return any(isinstance(operator, ast.Mult) for operator in self._uses_of_count(scheduler))

    def _uses_of_count(self, scheduler: ObjectId) -> list[ast.operator]:
        return [
            obj.node.op
            for obj in self.length_sources(scheduler)
            if isinstance(obj.node, ast.BinOp)
            if "accum" in self.text(obj.node.right).lower() or "accum" in self.text(obj.node.left).lower()
        ]

    def counts_processes(self, scheduler: ObjectId) -> bool:
        """Return whether the length of a schedule takes the number of processes into account."""
        return any("num_processes" in obj.name or "world_size" in obj.name for obj in self.length_sources(scheduler))

    def optimizers_of(self, scheduler: ObjectId) -> frozenset[ObjectId]:
        """Return the optimizers that went into a scheduler, raw or prepared as they were."""
        return frozenset(
            number
            for number in self.objects[self.root(scheduler)].built_from
            if number in self.objects and self.role(number) is Role.OPTIMIZER
        )

    def scheduler_steps(self, scheduler: ObjectId) -> tuple[Use, ...]:
        """Return the uses in which a scheduler, raw or prepared, steps."""
        return tuple(use for use in self.uses_of(scheduler) if use.kind is UseKind.METHOD and use.name == "step")

    @cached_property
    def batch_loops(self) -> frozenset[int]:
        """The loops that walk a loader for training, or in which the next batch is taken from one."""
        loops = set()
        for use in self.uses:
            if use.kind is UseKind.ITERATE and self.is_training(use):
                if use.loop is not None and any(self.role(number) is Role.DATALOADER for number, _ in use.value):
                    loops.add(use.loop)
                elif use.loop is None and use.where.loops:
                    loops.add(use.where.loops[-1])
        return frozenset(loops)

    def steps_with_batches(self, use: Use) -> bool:
        """Return whether a step is made in each round of a loop over batches, under no condition of its own."""
        return bool(self.batch_loops & set(use.where.loops)) and not use.where.guards

    def steps_with_epochs(self, use: Use) -> bool:
        """Return whether a step is made outside the loop over batches, in a loop around it.

        A loop over micro batches within one update is no epoch: there the optimizer steps behind it too.
        """
        loops = use.where.loops
        if not loops or self.batch_loops & set(loops):
            return False
        updates = [
            other.where.loops
            for other in self.uses
            if other.kind is UseKind.METHOD and other.name == "step"
            if any(self.role(number) is Role.OPTIMIZER for number, _ in other.value)
        ]
        around = [inner for inner in updates if inner[: len(loops)] == loops]
        return any(self.batch_loops & set(inner) for inner in around) and loops not in around

    def steps_once_anyway(self) -> bool:
        """Return whether the script sets what makes a prepared scheduler advance once per step."""
        return _ONCE_PER_STEP.search(self.source.text) is not None

    def shards_by_hand(self) -> bool:
        """Return whether the script speaks of data that shards itself, or that it cuts up by process."""
        return _SHARDED.search(self.source.text) is not None

    def has_data_of_its_own(self, loader: ObjectId) -> bool:
        """Return whether each process may walk other data: the data set is given the accelerator, by which it may
        shard itself, or a model that went through prepare made what is in it."""
        sources = self.sources_of(self.objects[self.root(loader)].built_from, detached=True)
        return any(self.objects[number].kind is Kind.ACCELERATOR for number in sources) or any(
            use.result in sources and any(stage is not Stage.RAW for _, stage in use.value) for use in self.uses
        )

    def trains_prepared(self, loop: int) -> bool:
        """Return whether a prepared model is called for a loss inside a loop."""
        return any(
            loop in use.where.loops and use.kind is UseKind.CALL and self.is_training(use)
            for use in self.uses
            if any(stage is Stage.PREPARED for _, stage in use.value)
        )

    def own_iteration(self, loader: ObjectId) -> bool:
        """Return whether a loader is of a class of the file that iterates in its own way."""
        if self._machine is None or loader not in self._machine.class_of:
            return False
        return self._machine.find_member(self._machine.class_of[loader], "__iter__") is not None

    def is_beside_accelerator(self, parameter: ObjectId) -> bool:
        """Return whether an object is a parameter (no ``*args``) of a function that builds an accelerator itself."""
        wanted = self.objects[parameter].node
        return wanted in self._beside_accelerators

    @cached_property
    def _beside_accelerators(self) -> frozenset[ast.AST | None]:
        """The parameters (no ``*args``) of functions that build an accelerator themselves."""
        built = {self.scope(made) for made in map(self.creation_statement, self._accelerators) if made is not None}
        return frozenset(
            parameter
            for node in self.statements
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and self.scope(node.body[0]) in built
            for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        )

    @cached_property
    def _accelerators(self) -> tuple[ObjectId, ...]:
        return tuple(
            number
            for number, obj in self.objects.items()
            if obj.kind is Kind.ACCELERATOR and isinstance(obj.node, ast.Call)
        )

    def iterator_around(self, number: ObjectId) -> frozenset[ObjectId]:
        """Return the loaders that an iterator or generator was made from; nothing for any other object."""
        found: set[ObjectId] = set()
        seen: set[ObjectId] = set()
        todo = [number]
        while todo:
            view = self.objects[todo.pop()]
            if view.kind is not Kind.VIEW or view.name in recognise.SKIPPING_CALLS or view.id in seen:
                continue
            seen.add(view.id)
            for source in view.built_from | self._contained.get(view.id, set()):
                if source in self.objects:
                    todo.append(source)
                    if self.role(source) is Role.DATALOADER:
                        found.add(source)
        return frozenset(found)
