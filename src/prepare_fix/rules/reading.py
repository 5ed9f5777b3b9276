"""What is read from a model through its wrapper, or around it, and how to write the read of the bare model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from prepare_fix.findings import Applicability, Proposal
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.place import Place
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import UnwrapRead

_REDUCES_BY_HAND = re.compile(r"\ball_reduce\b|\breduce_gradients\b|\.register_comm_hook\(")

NOT_AT_HAND = "no accelerator is at hand there on every path"
SILENT_DIVERGENCE = (
    "what it gives goes into the loss: the bare model would compute it without exchanging gradients, and the ranks "
    "would diverge without a message. Let `forward` of the model do this, and call the prepared model"
)


def written(use: Use) -> ast.expr:
    """Return the expression that asks for a name: ``model.config``, or ``model.generate`` of a call."""
    node = use.call.func if isinstance(use.call, ast.Call) else use.call
    assert isinstance(node, ast.expr)
    return node


def by_expression(uses: Iterable[Use]) -> list[list[Use]]:
    """Return the uses grouped by the expression that asks: one group for each, whatever the way to reach it."""
    groups: dict[int, list[Use]] = {}
    for use in uses:
        groups.setdefault(id(written(use)), []).append(use)
    return list(groups.values())


def accelerator_at(uses: Iterable[Use]) -> str:
    """Return the place that holds an accelerator in all of ``uses``, the shortest one; empty where none does."""
    places = [{str(place) for place in use.accelerators} for use in uses]
    return min(set.intersection(*places), key=lambda text: (len(text), text), default="") if places else ""


def at_hand(trace: Trace, places: Iterable[Place], statements: list[ast.stmt]) -> str:
    """Return the shortest of ``places`` that surely holds an accelerator at all ``statements``; empty where none."""
    texts = [text for text in map(str, places) if all(trace.is_at_hand(text, each) for each in statements)]
    return min(texts, key=lambda text: (len(text), text), default="")


def propose_unwrap(trace: Trace, uses: list[Use], applicability: Applicability) -> Proposal | str:
    """Return the read of the bare model in the place of the expression of ``uses``, or why there is none."""
    accelerator = accelerator_at(uses)
    if not accelerator:
        return "no accelerator is at hand there"
    repair = UnwrapRead(trace.span(written(uses[0])), trace.text(uses[0].node), accelerator)
    return Proposal(f"Ask the bare model, through `{accelerator}.unwrap_model`", applicability, (repair,))


def may_be_none(trace: Trace, node: ast.expr) -> bool:
    """Return whether ``node`` chooses between values, or the file also binds None to what is written like it."""
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        return True
    text = ast.unparse(node)
    return any(_has_none(value) for target, value in _bindings(trace) if text in map(ast.unparse, _parts(target)))


def _bindings(trace: Trace) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Yield what assignments and defaults of parameters bind, anywhere in the file, and to what."""
    for node in trace.nodes:
        if isinstance(node, ast.Assign):
            yield from ((target, node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.target, node.value
        elif isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            names = [*reversed(positional), *node.kwonlyargs]
            defaults = [*reversed(node.defaults), *[None] * (len(positional) - len(node.defaults)), *node.kw_defaults]
            pairs = zip(names, defaults, strict=True)
            yield from ((ast.Name(name.arg), value) for name, value in pairs if value is not None)


def _parts(target: ast.AST) -> list[ast.expr]:
    return [part for part in ast.walk(target) if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))]


def _has_none(value: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and part.value is None for part in ast.walk(value))


def root_of(trace: Trace, use: Use) -> ObjectId:
    """Return the raw object behind a use, the first where it may be several."""
    return min(trace.root(number) for number, _ in use.value)


def trains_unwrapped(trace: Trace, use: Use) -> bool:
    """Return whether ``use`` calls the bare model behind a prepared one for a loss that goes backward."""
    if use.kind is UseKind.METHOD and use.name == "module":
        bare = all(stage is Stage.PREPARED for _, stage in use.value)
    elif use.kind is UseKind.CALL or (use.kind is UseKind.METHOD and use.name == "forward"):
        bare = any(stage is Stage.UNWRAPPED for _, stage in use.value)
    else:
        return False
    if not bare or not trace.is_training(use) or trace.knows_wrappers(use.node, use.where):
        return False
    if "reduce" in trace.accelerator_methods() or _REDUCES_BY_HAND.search(trace.source.text):
        return False
    roots = {trace.root(number) for number, _ in use.value}
    return len(roots) == 1 and all(_is_trained(trace, root, use) for root in roots)


def _is_trained(trace: Trace, root: ObjectId, use: Use) -> bool:
    if root not in trace.trained or not trace.prepared_with(root):
        return False
    return not (_several_optimizers(trace) and _trains_prepared_too(trace, root, use))


def _several_optimizers(trace: Trace) -> bool:
    return len({trace.root(number) for number in trace.objects_of(Role.OPTIMIZER)}) > 1


def _trains_prepared_too(trace: Trace, root: ObjectId, use: Use) -> bool:
    """Return whether another call trains the prepared model: a discriminator may judge bare in the generator's loss."""
    return any(
        other.node is not use.node and all(stage is Stage.PREPARED for _, stage in other.value)
        for other in trace.uses_of(root)
        if other.kind is UseKind.CALL and trace.is_training(other)
    )
