"""PF303: the loss is computed by the bare model behind a prepared one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Certainty, Finding, Proposal
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropStatement, RenameUses, ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.reading import trains_unwrapped, written
from prepare_fix.rules.story import report, tell_use
from prepare_fix.sources.text import Span

_REPEATS = re.compile(r"%|main_process")


class TrainingThroughUnwrapped(Rule):
    """The loss is computed by the bare model behind a prepared one.

    What it does:
        Finds calls of what ``unwrap_model`` (or ``.module``) gave whose result goes backward, for models that an
        optimizer of the file trains: called in place, under an alias, or because the name of the prepared model
        itself was bound to the bare one inside the loop.

    Why it matters:
        On one process nothing is wrong. On two, the bare model knows nothing of the gradient exchange: the ranks train
        for themselves and diverge, without a message.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            bare = accelerator.unwrap_model(model)
            for batch in loader:
                accelerator.backward(bare(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            bare = accelerator.unwrap_model(model)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: on several processes the script trains something else afterwards, which is the point. Where the
        prepared model's own name was bound to the bare one, that statement is dropped, or the bare model gets a name
        of its own where only the statements behind use it.

    Limits:
        Sampling, generation, validation and methods that the wrapper does not have are no findings. Silent where
        gradients are reduced by hand, and where one of several networks is called bare in the loss of another.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``unwrap_model``), ``utils/other.py``.
    """

    code = "PF303"
    name = "training-through-unwrapped"
    summary = "The loss is computed by the bare model behind a prepared one"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each place where a bare model is called for the loss."""
        groups: dict[int, list[Use]] = {}
        for use in trace.uses:
            if trains_unwrapped(trace, use):
                groups.setdefault(id(use.node), []).append(use)
        for uses in groups.values():
            mixed = any(stage is Stage.PREPARED for _, stage in uses[0].value) and uses[0].name != "module"
            if not mixed or (len(_rebindings(trace, uses[0])) == 1 and _comes_again(trace, uses[0])):
                yield self._finding(trace, uses[0], mixed)

    def _finding(self, trace: Trace, use: Use, mixed: bool) -> Finding:
        written_as = trace.text(written(use) if use.kind is UseKind.METHOD else use.node)
        rebound = f", since line {trace.line(_rebindings(trace, use)[0])} binds the name to it," if mixed else ""
        story = (
            f"`{written_as}` is the bare model behind a prepared one{rebound} and is called for the loss on line "
            f"{trace.line(use.node)}"
        )
        consequence = (
            f"on several processes its gradients are not averaged and the ranks diverge; one process "
            f"{'has no `.module`' if 'module' in written_as.split('.') else 'is right'}"
        )
        return report(
            self,
            trace,
            story,
            consequence,
            trace.span(use.node),
            f"{trace.scope(use.where.statement)}:{written_as}",
            objects=(tell_use(trace, use, "is called past its wrapper" if use.name == "module" else ""),),
            proposal=_propose(trace, use),
            certainty=Certainty.SOME_PATH if mixed else Certainty.EVERY_PATH,
        )


def _propose(trace: Trace, use: Use) -> Proposal | str:
    node: ast.expr = written(use) if use.kind is UseKind.METHOD else use.node
    inner = _behind(use.node)
    if use.name == "module":
        return _call_instead(trace, node, trace.text(use.node))
    known = {str(place) for place in use.replacements}
    if inner is not None and trace.text(inner) in known:
        return _call_instead(trace, node, trace.text(inner))
    if known:
        return _call_instead(trace, node, min(known, key=lambda text: (len(text), text)))
    rebindings = _rebindings(trace, use)
    if len(rebindings) == 1:
        return _propose_for_rebinding(trace, use, rebindings[0])
    return f"no name holds the prepared model where the bare one is called on line {trace.line(use.node)}"


def _call_instead(trace: Trace, node: ast.expr, place: str) -> Proposal:
    title = f"Call the prepared `{place}`"
    return Proposal(title, Applicability.UNSAFE, (ReplaceExpression(trace.span(node), place),))


def _behind(node: ast.expr) -> ast.expr | None:
    """Return what ``unwrap_model(...)`` or ``....module`` is asked for the bare model of; None for anything else."""
    if isinstance(node, ast.Attribute) and node.attr == "module":
        return node.value
    if isinstance(node, ast.Call) and node.args:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node.args[0] if name in {"unwrap_model", "extract_model_from_parallel"} else None
    return None


def _rebindings(trace: Trace, use: Use) -> tuple[ast.Assign, ...]:
    """Return where, in the function of ``use``, the name that is called is bound to the bare model behind itself."""
    text, scope = trace.text(use.node), trace.scope(use.where.statement)
    return tuple(
        each
        for each in trace.assignments_to(text)
        if trace.scope(each) == scope and (inner := _behind(each.value)) is not None and ast.unparse(inner) == text
    )


def _comes_again(trace: Trace, use: Use) -> bool:
    """Return whether a round of the loop may follow on the one that binds the name: a condition that neither counts
    rounds nor speaks of processes may be that of the last one."""
    for statement in trace.outline.around(_rebindings(trace, use)[0])[1:]:
        if isinstance(statement, (ast.For, ast.While)):
            return True
        if isinstance(statement, ast.If) and not _REPEATS.search(trace.text(statement.test)):
            return False
    return False


def _propose_for_rebinding(trace: Trace, use: Use, rebinding: ast.Assign) -> Proposal | str:
    text, line = trace.text(use.node), trace.line(rebinding)
    spot = trace.outline.spot(rebinding)
    following = spot.siblings[spot.index + 1 :]
    reads = _names_in(following, text, ast.Load)
    pair = trace.outline.in_one_block(rebinding, use.where.statement)
    if not reads or (pair is not None and pair[0] is rebinding and trace.outline.precedes(*pair)):
        drop = DropStatement(trace.span(rebinding))
        return Proposal(f"Leave `{text}` the prepared model", Applicability.UNSAFE, (drop,))
    own = f"unwrapped_{text}"
    target = rebinding.targets[0]
    if not isinstance(target, ast.Name) or own in trace.source.text or _names_in(following, text, ast.Store):
        return (
            f"line {line} binds `{text}` to the bare model, and what follows uses it: give it a name of its own there"
        )
    spans: list[Span] = [trace.span(target), *(trace.span(read) for read in reads)]
    repair = RenameUses(tuple(sorted(spans)), own)
    return Proposal(f"Give the bare model of line {line} a name of its own", Applicability.UNSAFE, (repair,))


def _names_in(statements: tuple[ast.stmt, ...], text: str, context: type[ast.expr_context]) -> list[ast.expr]:
    return [
        node
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, context) and ast.unparse(node) == text
    ]
