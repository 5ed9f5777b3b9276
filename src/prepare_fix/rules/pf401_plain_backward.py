"""PF401: the loss of prepared objects goes backward around the accelerator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow import recognise
from prepare_fix.flow.events import Backward
from prepare_fix.flow.place import Place
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import CallAccelerator, DropDivision
from prepare_fix.rules import Rule
from prepare_fix.rules.story import report

_CONFIGURED = re.compile(r"gradient_accumulation_(?:steps\s*=\s*(?!1\b)|plugin\s*=)")


class PlainBackward(Rule):
    """``loss.backward()`` on the loss of a prepared model.

    What it does:
        Finds ``.backward()`` calls on a loss that is computed by prepared objects, where an accelerator is at hand.

    Why it matters:
        In full precision and without gradient accumulation nothing is wrong. With accumulation the loss is not divided by
        the number of micro batches: gradients are that many times too big. With fp16 the loss is not scaled and the step
        raises an AssertionError (measured with an emulated scaler).

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                loss = model(batch).mean()
                loss.backward()
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
            for batch in loader:
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe where the loss is not divided by hand. Unsafe, and together with the division, where it is and the
        accelerator has an accumulation count. None where it is and the accelerator has none, and for a positional
        gradient, which ``Accelerator.backward`` can't pass on.

    Limits:
        Silent in branches that run without an accelerator, for a GradScaler of the script's own, and where the loss has
        nothing to do with prepared objects.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``backward``).
    """

    code = "PF401"
    name = "plain-backward"
    summary = "loss.backward() on the loss of a prepared model"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each plain backward on a loss of prepared objects."""
        for backward in trace.backwards:
            if not backward.plain or not backward.accelerators or trace.is_without_accelerator(backward.where):
                continue
            calls = trace.model_calls_behind(backward.loss)
            if calls and not _is_scaled(trace, backward):
                yield self._finding(trace, backward, trace.text(calls[0].node))

    def _finding(self, trace: Trace, backward: Backward, model: str) -> Finding:
        loss = trace.text(backward.loss_node)
        accelerator = shortest(backward.accelerators)
        message = (
            f"`{loss}` is computed by the prepared `{model}` and goes backward without the accelerator on line "
            f"{trace.line(backward.node)}: with gradient accumulation the loss is not divided by the number of micro batches, "
            f"with fp16 it is not scaled and the step fails"
        )
        key = f"{trace.scope(backward.where.statement)}:{loss}"
        proposal = _propose(trace, backward, str(accelerator))
        return report(self, trace, message, trace.span(backward.node), key, proposal=proposal)


def shortest(places: tuple[Place, ...]) -> Place:
    """Return the place that is shortest to write."""
    return min(places, key=lambda place: (len(str(place)), str(place)))


def _is_scaled(trace: Trace, backward: Backward) -> bool:
    receiver = backward.loss_node
    scaled = (
        isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Attribute) and receiver.func.attr == "scale"
    )
    return scaled or bool(trace.names_in(backward.loss) & recognise.GRAD_SCALERS)


def _propose(trace: Trace, backward: Backward, accelerator: str) -> Proposal | str:
    if backward.node.args:
        return "`Accelerator.backward` can't pass on a positional gradient"
    call = CallAccelerator(trace.span(backward.node), accelerator, "backward", receiver_is_argument=True)
    divisions = [node for node in trace.divisions_behind(backward.loss) if _is_by_accumulation(trace, node)]
    title = f"Call `{accelerator}.backward`"
    if not divisions:
        return Proposal(title, Applicability.SAFE, (call,))
    if not _CONFIGURED.search(trace.source.text):
        return (
            f"the loss is divided by hand on line {trace.line(divisions[0])} and the accelerator has no accumulation count: "
            f"give it one and drop the division, together with this"
        )
    if len(divisions) > 1 or not isinstance(divisions[0], ast.BinOp):
        return (
            f"the loss is divided by hand on line {trace.line(divisions[0])}, and the accelerator would divide it again"
        )
    drop = DropDivision(trace.span(divisions[0]))
    return Proposal(f"{title} and leave the division to it", Applicability.UNSAFE, (call, drop))


def _is_by_accumulation(trace: Trace, node: ast.AST) -> bool:
    """Return whether a division is by the number of micro batches: by its name, or because steps are counted by it."""
    divisor = _divisor(node)
    if divisor is None:
        return True
    text = trace.text(divisor)
    if "accum" in text.lower() or text == "/":
        return True
    return re.search(rf"%\s*{re.escape(text)}(?!\w)", trace.source.text) is not None


def _divisor(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.BinOp):
        return node.right
    if isinstance(node, ast.AugAssign):
        return node.value
    return node.args[0] if isinstance(node, ast.Call) and node.args else None
