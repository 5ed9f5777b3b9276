"""PF503: a model is saved through its wrapper."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal, Related
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.reading import accelerator_at, by_expression, propose_unwrap, root_of, written
from prepare_fix.rules.story import describe, note, report, tell_use


class WrappedStateDict(Rule):
    """A prepared model is saved through its wrapper, by ``state_dict`` or ``save_pretrained``.

    What it does:
        Finds state dicts of prepared models that are written to a file (``torch.save``, ``accelerator.save``,
        ``save_file``), as they are or within a dict, and ``save_pretrained`` of prepared models.

    Why it matters:
        On one process the file is right. Under DDP every key of the state dict begins with ``module.``, so the bare
        model does not load it; ``save_pretrained`` raises an AttributeError there.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
            accelerator.save(model.state_dict(), "model.pt")
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
            accelerator.save(accelerator.get_state_dict(model), "model.pt")
        ```

    Fix safety:
        Always unsafe: on several processes the file has other keys afterwards. ``get_state_dict`` is a collective call,
        so it is only written where surely all processes come by; anywhere else ``unwrap_model(model).state_dict()``.
        None where the script loads such a state dict into the prepared model again: both ends have to change.

    Limits:
        Silent where the script takes ``module.`` out of the keys itself, and where a condition asks for the wrapper
        or for the number of processes. State dicts that are handed to other functions are not followed.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``get_state_dict``, ``unwrap_model``).
    """

    code = "PF503"
    name = "wrapped-state-dict"
    summary = "A prepared model is saved through its wrapper"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each state dict, or ``save_pretrained``, of a prepared model."""
        for uses in by_expression(use for use in trace.wrapped_reads if _saves_wrapped(trace, use)):
            yield self._finding(trace, uses)

    def _finding(self, trace: Trace, uses: list[Use]) -> Finding:
        use = uses[0]
        name, node, model = (
            trace.text(use.node),
            written(use),
            describe(trace, trace.text(use.node), root_of(trace, use)),
        )
        saving = trace.saving_of(use)
        notes: tuple[Related, ...] = ()
        if saving is None:
            story = f"{model} is saved through its wrapper on line {trace.line(node)}"
            consequence = (
                f"under DDP that has no `{use.name}`, an AttributeError on several processes; one process works"
            )
        else:
            story = (
                f"the state dict that line {trace.line(saving)} writes to a file is taken through the wrapper of "
                f"{model}"
            )
            consequence = "under DDP its keys begin with `module.`, and the bare model does not load them"
            notes = (note(trace, saving, use.where.context, "is written to a file"),)
        return report(
            self,
            trace,
            story,
            consequence,
            trace.span(node),
            f"{trace.scope(use.where.statement)}:{name}.{use.name}",
            objects=(tell_use(trace, use, "is saved"),),
            notes=notes,
            proposal=_propose(trace, uses),
        )


def _saves_wrapped(trace: Trace, use: Use) -> bool:
    if use.kind is not UseKind.METHOD or use.name not in {"state_dict", "save_pretrained"}:
        return False
    if trace.knows_wrappers(use.node, use.where):
        return False
    if use.name == "save_pretrained":
        return trace.hides(use)
    # Who speaks of the prefix takes it away, here or where the file is loaded.
    return trace.saving_of(use) is not None and '"module.' not in trace.source.text.replace("'", '"')


def _propose(trace: Trace, uses: list[Use]) -> Proposal | str:
    use = uses[0]
    if use.name == "state_dict":
        loading = _loading(trace, use)
        if loading is not None:
            return (
                f"line {trace.line(loading.node)} loads into the prepared model, which wants the keys as they are: "
                f"save and load the bare model, `unwrap_model(...)`, in both places"
            )
        accelerator = accelerator_at(uses)
        everywhere = not any(trace.may_be_on_one_process(each.where) for each in uses)
        if accelerator and everywhere and isinstance(use.call, ast.Call) and not (use.call.args or use.call.keywords):
            code = f"{accelerator}.get_state_dict({trace.text(use.node)})"
            title = f"Take the state dict with `{accelerator}.get_state_dict`"
            return Proposal(title, Applicability.UNSAFE, (ReplaceExpression(trace.span(use.call), code),))
    return propose_unwrap(trace, uses, Applicability.UNSAFE)


def _loading(trace: Trace, use: Use) -> Use | None:
    """Return where a state dict is loaded into the prepared model."""
    for other in trace.uses_of(root_of(trace, use)):
        prepared = any(stage is Stage.PREPARED for _, stage in other.value)
        if prepared and other.kind is UseKind.METHOD and other.name == "load_state_dict":
            return other
    return None
