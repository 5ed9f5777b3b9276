"""PF106: a loader that a DistributedSampler already shards is prepared."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import PrepareCall
from prepare_fix.flow.objects import ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropImport, DropStatement, Repair, SetKeywords
from prepare_fix.rules import Rule
from prepare_fix.rules.story import describe, report, tell


class ShardedDataloaderPrepared(Rule):
    """A DataLoader with a ``DistributedSampler`` goes through ``Accelerator.prepare``, which shards it again.

    What it does:
        Finds DataLoaders that are built with a ``DistributedSampler``, or on a slice of the data that is chosen by
        ``accelerator.process_index``, and prepared.

    Why it matters:
        On two processes each rank sees a quarter of the samples, and half of them are never used. There is no message.

    Example:
        ```python
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader, DistributedSampler

        def train(model, dataset):
            accelerator = Accelerator()
            sampler = DistributedSampler(dataset, accelerator.num_processes, accelerator.process_index)
            loader = DataLoader(dataset, batch_size=8, sampler=sampler)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader

        def train(model, dataset):
            accelerator = Accelerator()
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Unsafe: which of the two shards the data is the author's choice; the repair drops the sampler, carries its
        ``shuffle`` over (a ``DistributedSampler`` shuffles by default) and drops the ``set_epoch`` calls, which a
        prepared loader makes itself. None for a sampler with a seed, ``drop_last`` or unknown arguments of its own,
        which a DataLoader can't be told, for one that a ``BatchSampler`` draws from, and for slices.

    Limits:
        Silent where the sampler is made under a condition, or with ``split_batches``.

    Source:
        accelerate 1.15.0, ``src/accelerate/data_loader.py`` (``prepare_data_loader``).
    """

    code = "PF106"
    name = "sharded-dataloader-prepared"
    summary = "A loader that a DistributedSampler already shards is prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepared loader with a DistributedSampler."""
        if "split_batches" in trace.source.text:
            return
        is_cut_by_hand = "process_index" in trace.source.text
        for call in trace.prepare_calls:
            for argument in call.arguments:
                for number, _ in argument.value:
                    if number in trace.objects and trace.role(number) is Role.DATALOADER:
                        loader, name = trace.root(number), trace.text(argument.node)
                        sampler = _sampler(trace, loader)
                        if sampler is not None:
                            proposal = _propose(trace, loader, sampler)
                            yield self._finding(trace, call, name, loader, "has a DistributedSampler", proposal)
                        elif is_cut_by_hand and _is_sliced(trace, loader):
                            reason = "whether the slice goes or the loader stays out of prepare is the author's choice"
                            yield self._finding(
                                trace, call, name, loader, "walks one process's slice of the data", reason
                            )

    def _finding(
        self, trace: Trace, call: PrepareCall, name: str, loader: ObjectId, what: str, proposal: Proposal | str
    ) -> Finding:
        story = (
            f"{describe(trace, name, loader)} {what} and is prepared on line {trace.line(call.node)}, which shards it "
            f"again"
        )
        consequence = "on two processes each rank sees a quarter of the samples, and half of them are never used"
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = (tell(trace, name, loader, (), created="is created, sharded"),)
        span = trace.span(call.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _sampler(trace: Trace, loader: ObjectId) -> ObjectId | None:
    """Return the DistributedSampler that a loader, or its batch sampler, is surely built with."""
    for number in sorted(trace.objects[loader].built_from):
        obj = trace.objects.get(number)
        kind = obj.name.rpartition(".")[2] if obj is not None else ""
        if kind not in {"DistributedSampler", "BatchSampler"} or not _is_surely_handed(trace, number, loader):
            continue
        found = number if kind == "DistributedSampler" else _sampler(trace, number)
        if found is not None:
            return None if _is_for_one_process(trace, found) else found
    return None


def _is_for_one_process(trace: Trace, sampler: ObjectId) -> bool:
    """Return whether a sampler is told that there is one process, and so gives all the data to each."""
    made = trace.objects[sampler].node
    if not isinstance(made, ast.Call):
        return False
    told = [*made.args[1:2], *(word.value for word in made.keywords if word.arg == "num_replicas")]
    return [ast.unparse(each) for each in told] == ["1"]


def _is_surely_handed(trace: Trace, sampler: ObjectId, to: ObjectId) -> bool:
    """Return whether a sampler is made and handed on under no condition."""
    made, handed = trace.creation_statement(sampler), trace.creation_statement(to)
    if made is None or handed is None or trace.outline.between(made, handed) is None:
        return False
    return not any(isinstance(node, (ast.IfExp, ast.BoolOp)) for node in (*ast.walk(made), *ast.walk(handed)))


def _is_sliced(trace: Trace, loader: ObjectId) -> bool:
    """Return whether a loader is surely built on the part of the data that belongs to the running process."""
    node, creation = trace.objects[loader].node, trace.creation_statement(loader)
    if not isinstance(node, ast.Call) or creation is None:
        return False
    handed = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "dataset")]
    for data in handed:
        bound = [
            each for each in trace.assignments_to(trace.text(data)) if trace.outline.between(each, creation) is not None
        ]
        return any(_takes_a_share(trace, each) for each in (data, *(each.value for each in bound[-1:])))
    return False


def _takes_a_share(trace: Trace, data: ast.expr) -> bool:
    """Return whether ``data`` is a slice, a ``Subset`` or a ``shard`` that is chosen by the process index."""
    if isinstance(data, ast.Subscript):
        chosen: list[ast.AST] = [data.slice]
    elif isinstance(data, ast.Call) and ast.unparse(data.func).rpartition(".")[2] in {"Subset", "shard", "select"}:
        chosen = [*data.args, *data.keywords]
    else:
        return False
    return {"process_index", "num_processes"} <= _attributes_read(trace, chosen)


def _attributes_read(trace: Trace, nodes: list[ast.AST]) -> set[str]:
    """Return the attributes that ``nodes`` are computed from, through variables that are bound in one place."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = list(nodes)
    while todo:
        for node in ast.walk(todo.pop()):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                bound = trace.assignments_to(node.id)
                todo += [each.value for each in bound] if len(bound) == 1 else []
    return found


def _propose(trace: Trace, loader: ObjectId, sampler: ObjectId) -> Proposal | str:
    node, made = trace.objects[loader].node, trace.objects[sampler].node
    if not isinstance(node, ast.Call) or not isinstance(made, ast.Call):
        return "the loader is not built where the sampler can be left out"
    known = {"num_replicas", "rank", "shuffle", "dataset"}
    surplus = next((word.arg for word in made.keywords if word.arg not in known), None)
    if surplus is not None or len(made.args) > 4:
        return f"the sampler's `{surplus or 'arguments'}` can't be carried over to the loader"
    own = {word.arg: word.value for word in node.keywords}
    if "batch_sampler" in own:
        return "a batch sampler draws from it: let that one draw from a `RandomSampler`, which prepare shares out"
    if "sampler" not in own or "shuffle" in own:
        return "the loader is not given the sampler by keyword"
    shuffle = next((trace.text(word.value) for word in made.keywords if word.arg == "shuffle"), "True")
    if len(made.args) == 4:
        shuffle = trace.text(made.args[3])
    words: tuple[tuple[str, str | None], ...] = (("sampler", None), ("shuffle", shuffle))
    repairs: list[Repair] = [SetKeywords(trace.span(node), words)]
    if own["sampler"] is not made:
        left = _drop_sampler(trace, trace.text(own["sampler"]), made)
        if isinstance(left, str):
            return left
        repairs += left
    repairs += _drop_import(trace, made)
    return Proposal("Leave the sharding to prepare", Applicability.UNSAFE, tuple(repairs))


def _drop_sampler(trace: Trace, name: str, made: ast.Call) -> list[Repair] | str:
    """Return the removal of the sampler's variable and its ``set_epoch`` calls, or why it has to stay."""
    assigned = trace.assignments_to(name)
    if len(assigned) != 1 or assigned[0].value is not made:
        return f"`{name}` is assigned elsewhere too"
    calls = trace.calls_of_method(name, "set_epoch")
    if trace.readings(name) != len(calls) + 1:
        return f"`{name}` is used for something else as well"
    return [DropStatement(trace.span(statement)) for statement in (assigned[0], *calls)]


def _drop_import(trace: Trace, made: ast.Call) -> list[Repair]:
    if not isinstance(made.func, ast.Name) or trace.readings(made.func.id) != 1:
        return []
    statement = trace.import_of(made.func.id)
    return [DropImport(trace.span(statement), made.func.id)] if statement is not None else []
