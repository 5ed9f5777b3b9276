"""PF402: gradients of a prepared model are clipped around the accelerator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import SymbolCall, UseKind
from prepare_fix.flow.objects import Kind
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import CallAccelerator, DropImport, Repair
from prepare_fix.rules import Rule
from prepare_fix.rules.reading import NOT_AT_HAND, at_hand
from prepare_fix.rules.story import clipped, note, report, tell_owners

_PASSED_ON = {
    "clip_grad_norm_": frozenset({"parameters", "max_norm", "norm_type"}),
    "clip_grad_value_": frozenset({"parameters", "clip_value"}),
}
_NORM = "clip_grad_norm_"
_INFINITE = re.compile(r"\binf\b|\binfinity\b", re.IGNORECASE)


class PlainClipGradNorm(Rule):
    """``torch.nn.utils.clip_grad_norm_`` (or ``clip_grad_value_``) on the parameters of a prepared model.

    What it does:
        Finds torch's gradient clipping on parameters of a model that went through prepare, where an accelerator is at
        hand.

    Why it matters:
        In full precision under DDP nothing is wrong. With fp16 the gradients are still scaled when they are clipped:
        wrong (measured with an emulated scaler). Under FSDP1 the norm is that of one rank's shard only.

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
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
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
                accelerator.backward(model(batch).mean())
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe for an iterable of parameters with the arguments that the accelerator's method has. Unsafe for
        ``clip_grad_value_``, whose method of the accelerator raises under FSDP and DeepSpeed. None for other keywords
        (``foreach``, ``error_if_nonfinite``). An import whose last use this was goes with it.

    Limits:
        Silent where the script unscales gradients itself, where the norm is only measured (an infinite maximum), and
        where what is clipped is not known to be the parameters of a model.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``clip_grad_norm_``, ``clip_grad_value_``).
    """

    code = "PF402"
    name = "plain-clip-grad-norm"
    summary = "Gradients of a prepared model are clipped by torch instead of the accelerator"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each clipping of a prepared model's gradients by torch."""
        if "unscale_gradients" in trace.accelerator_methods() or _unscales_itself(trace):
            return
        calls = [call for call in trace.symbol_calls if _is_plain_clip(trace, call)]
        for call in calls:
            yield self._finding(trace, call, calls)

    def _finding(self, trace: Trace, call: SymbolCall, calls: list[SymbolCall]) -> Finding:
        method = _method(call)
        what = clipped(trace, call.node)
        story = (
            f"the gradients of `{what}`, which belong to a prepared model, are clipped by torch on line "
            f"{trace.line(call.node)}"
        )
        consequence = "with fp16 they are still scaled there"
        if method == _NORM:
            consequence += ", under FSDP1 the norm is that of one shard"
        key = f"{trace.scope(call.where.statement)}:{method}:{what}"
        objects = tell_owners(trace, call.arguments[0])
        notes = (note(trace, call.node, call.where.context, "clips without the accelerator"),)
        span, proposal = trace.span(call.node), _propose(trace, call, calls)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _method(call: SymbolCall) -> str:
    """Return the accelerator's method for a clipping call of torch, which has the same name; empty for other calls."""
    name = call.path.rpartition(".")[2]
    return name if name in _PASSED_ON else ""


def _unscales_itself(trace: Trace) -> bool:
    return any(use.kind is UseKind.METHOD and use.name == "unscale_" for use in trace.uses)


def _is_plain_clip(trace: Trace, call: SymbolCall) -> bool:
    if not _method(call) or not call.accelerators or not call.arguments:
        return False
    is_plain = isinstance(call.node.func, (ast.Name, ast.Attribute))
    may_be_own = any(each.node is call.node for each in trace.accelerator_calls)
    if not is_plain or may_be_own or trace.has_other_way(call.node, _method(call)):
        return False  # the arm for runs without an accelerator
    if trace.is_without_accelerator(call.where) or any(
        _INFINITE.search(trace.text(each)) for each in _limits(call.node)
    ):
        return False
    return any(_belongs_to_prepared(trace, number) for number, _ in call.arguments[0])


def _limits(node: ast.Call) -> list[ast.expr]:
    return [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg in {"max_norm", "clip_value"})]


def _belongs_to_prepared(trace: Trace, number: int) -> bool:
    obj = trace.objects.get(number)
    if obj is None or obj.kind not in {Kind.PARAMS, Kind.CONTAINER, Kind.DERIVED, Kind.VIEW, Kind.PART}:
        return False
    if obj.kind is Kind.PART:
        return bool(trace.prepared_with(trace.whole(number)))
    return any(trace.prepared_with(model) for model in trace.parameter_owners(number))


def _propose(trace: Trace, call: SymbolCall, calls: list[SymbolCall]) -> Proposal | str:
    method = _method(call)
    obstacle = _obstacle(trace, call)
    if obstacle:
        return obstacle
    repairs = [_call_through(trace, call)]
    name = _first_name(call.node.func)
    same = {id(each.node): each for each in calls if _first_name(each.node.func) == name and not _obstacle(trace, each)}
    statement = trace.import_of(name)
    if statement is not None and trace.readings(name) == len(same):
        # The import goes with its last use, so all uses of it go in one fix.
        repairs = [_call_through(trace, each) for each in same.values()]
        repairs.append(DropImport(trace.span(statement), name))
    if any(_method(each) != _NORM for each in (call, *(calls if len(repairs) > 1 else ()))):
        title = f"Call `{method}` of the accelerator, which FSDP and DeepSpeed do not have"
        return Proposal(title, Applicability.UNSAFE, tuple(repairs))
    return Proposal(f"Call `{method}` of the accelerator", Applicability.SAFE, tuple(repairs))


def _obstacle(trace: Trace, call: SymbolCall) -> str:
    """Return why the accelerator can't clip in the place of ``call``; empty where it can."""
    method = _method(call)
    if not _accelerator(trace, call):
        return NOT_AT_HAND
    if any(trace.objects[number].kind is Kind.PART for number, _ in call.arguments[0]):
        return "accelerate 1.15 does not clip a single tensor; older releases do"
    surplus = [word.arg for word in call.node.keywords if word.arg is None or word.arg not in _PASSED_ON[method]]
    if surplus or len(call.node.args) > len(_PASSED_ON[method]):
        named = f"`{surplus[0]}`" if surplus and surplus[0] else "all of these arguments"
        return f"`Accelerator.{method}` does not take {named}"
    return ""


def _accelerator(trace: Trace, call: SymbolCall) -> str:
    return at_hand(trace, call.accelerators, [call.where.statement])


def _call_through(trace: Trace, call: SymbolCall) -> Repair:
    accelerator = _accelerator(trace, call)
    return CallAccelerator(trace.span(call.node), accelerator, _method(call), receiver_is_argument=False)


def _first_name(node: ast.expr) -> str:
    """Return the name that a dotted expression begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
