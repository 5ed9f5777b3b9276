"""PF601: a checkpoint is loaded before there is anything to load it into."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import AcceleratorCall, PrepareCall
from prepare_fix.flow.objects import Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import MoveStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.story import arguments_of, enumerate_names, note, report, tell_arguments

# What has to be registered before a checkpoint is loaded, besides what prepare registers.
_REGISTERING = frozenset({"register_for_checkpointing", "register_load_state_pre_hook", "register_save_state_pre_hook"})


class LoadStateBeforePrepare(Rule):
    """``accelerator.load_state`` runs before the objects are prepared.

    What it does:
        Finds ``load_state`` of an accelerator that is built in the file, where no prepare call ran before on any path
        and a model or optimizer is prepared later in the same function.

    Why it matters:
        ``load_state`` fills the objects that prepare has registered, and there are none yet. It raises nothing,
        and the training starts from fresh weights.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader, checkpoint):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            accelerator.load_state(checkpoint)
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

        def train(model, loader, checkpoint):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            accelerator.load_state(checkpoint)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the run resumes afterwards, and did not before. The statement moves behind the last prepare
        call of its block, with the ``if`` around it. None where something in between needs what it sets.

    Limits:
        ``load_state`` in a helper function is not looked at, nor one of an accelerator that comes from outside.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``load_state``).
    """

    code = "PF601"
    name = "load-state-before-prepare"
    summary = "A checkpoint is loaded before the objects are prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each checkpoint that is loaded into nothing."""
        loads = [call for call in trace.accelerator_calls if call.method == "load_state"]
        prepares = {call.key: call for call in trace.prepare_calls}
        for load in loads:
            later = [call for call in prepares.values() if _comes_later(trace, load, call)]
            same = [other for other in loads if other.node is load.node]
            # A method that may be called again sees its own calls as earlier ones: not so the first time.
            if any(_ran_before(trace, other, prepares[key]) for other in same for key in other.earlier):
                continue
            if any(_registers(trace, call) for call in later) and all(trace.created_at(n) for n in load.accelerator):
                yield self._finding(trace, load, later)

    def _finding(self, trace: Trace, load: AcceleratorCall, later: list[PrepareCall]) -> Finding:
        first = min(later, key=lambda call: trace.line(call.node))
        names = enumerate_names(arguments_of(first) or [trace.text(each.node) for each in first.arguments])
        story = (
            f"`{trace.text(load.node.func)}` on line {trace.line(load.node)} runs before {names} "
            f"{'is' if ' and ' not in names else 'are'} prepared on line {trace.line(first.node)}"
        )
        consequence = "it has nothing to load into and raises nothing, training starts from fresh weights"
        key = f"{trace.scope(load.where.statement)}:{trace.text(load.node)}"
        proposal = _propose(trace, load, later)
        objects = tell_arguments(trace, first)
        notes = (note(trace, load.node, load.where.context, "finds nothing to load into"),)
        span = trace.span(load.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _ran_before(trace: Trace, load: AcceleratorCall, call: PrepareCall) -> bool:
    again = _comes_later(trace, load, call) and not set(load.where.loops) & set(call.where.loops)
    return bool(call.accelerator & load.accelerator) and not again


def _comes_later(trace: Trace, load: AcceleratorCall, call: PrepareCall) -> bool:
    if not call.accelerator & load.accelerator or call.where.context != load.where.context:
        return False
    if call.where.function is not load.where.function:
        return False
    pair = trace.outline.in_one_block(load.where.statement, call.where.statement)
    return pair is not None and trace.outline.precedes(*pair)


def _registers(trace: Trace, call: PrepareCall) -> bool:
    """Return whether a raw model or optimizer goes into ``call``."""
    return any(
        stage is Stage.RAW and trace.role(number) in {Role.MODEL, Role.OPTIMIZER}
        for argument in call.arguments
        for number, stage in argument.value | argument.members
        if number in trace.objects
    )


def _propose(trace: Trace, load: AcceleratorCall, later: list[PrepareCall]) -> Proposal | str:
    registering = [call for call in trace.accelerator_calls if call.method in _REGISTERING]
    statements = [call.where.statement for call in later]
    statements += [call.where.statement for call in registering if call.where.function is load.where.function]
    around = trace.outline.around(load.where.statement)
    moved = next(each for each in reversed(around) if _meets(trace, each, statements))
    behind = max(_meets(trace, moved, statements), key=lambda each: each.lineno)
    if moved is not load.where.statement and not isinstance(moved, ast.If):
        return f"it stands in a block on line {moved.lineno} that can't be moved as a whole"
    obstacle = _obstacle(trace, moved, behind, [place for call in later for place in call.target_nodes])
    if obstacle:
        return obstacle
    repair = MoveStatement(trace.span(moved), trace.span(behind))
    return Proposal(f"Move it behind line {behind.end_lineno}", Applicability.UNSAFE, (repair,))


def _meets(trace: Trace, statement: ast.stmt, others: Iterable[ast.stmt]) -> list[ast.stmt]:
    """Return the statements behind ``statement``, in its block, that ``others`` are or stand in."""
    found = []
    for other in others:
        pair = trace.outline.in_one_block(statement, other)
        if pair is not None and pair[0] is statement and trace.outline.precedes(*pair):
            found.append(pair[1])
    return found


def _obstacle(trace: Trace, moved: ast.stmt, behind: ast.stmt, prepared: list[ast.expr]) -> str:
    if any(isinstance(node, (ast.Return, ast.Break, ast.Continue)) for node in ast.walk(moved)):
        return f"the block on line {moved.lineno} leaves the code around it"
    crossed = (*(trace.outline.between(moved, behind) or ()), behind)
    given = {ast.unparse(node) for node in prepared}
    bound, read = _places(moved, ast.Store), _places(moved, ast.Load) - _measured(moved)
    if read & given:
        return f"the block on line {moved.lineno} also uses {enumerate_names(sorted(read & given))}, not yet prepared"
    for statement in crossed:
        used = _places(statement, ast.Load) & bound
        if used:
            return f"line {statement.lineno}, which it would have to pass, uses {enumerate_names(sorted(used))}"
        changed = (_places(statement, ast.Store) - given) & (read | bound)
        if changed:
            return f"line {statement.lineno}, which it would have to pass, changes {enumerate_names(sorted(changed))}"
    return ""


def _places(statement: ast.stmt, context: type[ast.expr_context]) -> set[str]:
    return {
        ast.unparse(node)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, context)
    }


def _measured(statement: ast.stmt) -> set[str]:
    """Return the places of which only the length is asked: a resumed run skips batches of the prepared loader."""
    lengths = [
        node.args[0]
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and node.args
    ]
    texts = {ast.unparse(each) for each in lengths}
    inside = {id(each) for each in lengths}
    others = {
        ast.unparse(n) for n in ast.walk(statement) if isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in inside
    }
    return texts - others
