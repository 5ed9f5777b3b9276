"""Where a forgotten object can join a prepare call, and whether that is safe."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from prepare_fix.findings import Applicability, Proposal
from prepare_fix.flow.events import Binding, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage, Value
from prepare_fix.flow.place import Place
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import Addition, JoinPrepare

# What the wrappers of accelerate 1.15 pass on (optimizer.py, AcceleratedOptimizer), or do themselves, and what every
# module has under any wrapper; anything else that is read later may be missing once the object is prepared.
_KEPT = {
    Role.OPTIMIZER: frozenset(
        "step zero_grad state_dict load_state_dict add_param_group param_groups state defaults train eval".split()
    ),
    Role.MODEL: frozenset(
        "train eval parameters named_parameters zero_grad to cuda cpu half float double bfloat16 requires_grad_ "
        "modules buffers apply training register_forward_hook".split()
    ),
    # A prepared loader keeps what it reads the batches with; its batch size and sampler are those of one process.
    Role.DATALOADER: frozenset(
        "dataset collate_fn num_workers pin_memory drop_last set_epoch __len__ __iter__".split()
    ),
    Role.SCHEDULER: frozenset("step get_last_lr state_dict load_state_dict get_lr print_lr".split()),
}
_FSDP = re.compile(r"fsdp|fully_?sharded_?data_?parallel", re.IGNORECASE)
_FLAT_PARAMETERS = re.compile(r"use_orig_params\s*=\s*False")


def place_in_front_of(trace: Trace, call: PrepareCall, wanted: Value, uses: Iterable[Use]) -> Place | None:
    """Return the place that holds ``wanted`` objects, and nothing else, in front of ``call``.

    The place that ``uses`` read comes first: what goes in under that name comes back under it.
    """
    holding = [place for place, value in call.before.items() if value and value <= wanted]
    read = {trace.text(node) for use in uses for node in (use.node, *trace.places_in(use.node))}
    read |= {text.rpartition(".")[0] for text in read if text.endswith((".step", ".zero_grad"))}
    return next((place for place in holding if str(place) in read), holding[0] if len(holding) == 1 else None)


def can_take_targets(call: PrepareCall, *, explicit: bool = False) -> str:
    """Return why an object can't join ``call`` and be assigned there; empty where it can.

    With ``explicit``, ``prepare_model`` and its like are taken for the ``prepare`` calls that they could be.
    """
    if call.method != "prepare" and not explicit:
        return f"`{call.method}` takes one object; hand all of them to one `prepare` call"
    if call.count is None or any(argument.starred for argument in call.arguments):
        return "the arguments of the call are not all written out"
    if call.binding is Binding.UNPACKED and len(call.targets) == call.count and None not in call.targets:
        return ""
    if call.binding is Binding.ONE_NAME and call.count == 1 and call.targets[0] is not None:
        return ""
    return "the result of the call is not unpacked to one place for each argument"


def lost_reads(trace: Trace, number: ObjectId, role: Role, call: PrepareCall) -> list[str]:
    """Return what is read from an object behind ``call`` that its prepared wrapper may not have."""
    kept = _KEPT[role]
    lost = []
    for use in trace.uses_of(number):
        if all(stage is Stage.UNWRAPPED for _, stage in use.value):
            continue  # the bare model is asked, which stays what it is
        if (
            use.kind in {UseKind.METHOD, UseKind.ATTRIBUTE}
            and use.name not in kept
            and trace.may_follow(use.where, call)
        ):
            lost.append(f"`{trace.text(use.node)}.{use.name}` on line {trace.line(use.node)}")
        elif use.name == "step" and role is Role.OPTIMIZER and not trace.is_statement(use.call):
            lost.append(f"the value of `step()` on line {trace.line(use.node)}")
    return list(dict.fromkeys(lost))


def lost_behind(trace: Trace, call: PrepareCall, indexes: Iterable[int]) -> list[str]:
    """Return what is read behind ``call`` from the arguments at ``indexes`` that a prepared one may not have."""
    return [
        read
        for index in indexes
        for number, _ in call.arguments[index].value
        if number in trace.objects and (role := trace.role(number)) in _KEPT
        for read in lost_reads(trace, number, role, call)
    ]


def with_reads(title: str, lost: list[str]) -> str:
    """Return a fix's title with the first read that needs a look."""
    return f"{title} (look at {lost[0]}: a prepared object may not have it)" if lost else title


def combine(proposals: Iterable[Proposal]) -> Applicability:
    """Return the applicability of several proposals made together."""
    unsafe = any(proposal.applicability is Applicability.UNSAFE for proposal in proposals)
    return Applicability.UNSAFE if unsafe else Applicability.SAFE


def propose_join(
    trace: Trace,
    call: PrepareCall,
    numbers: frozenset[ObjectId],
    role: Role,
    uses: tuple[Use, ...],
    index: int,
    *,
    move: bool = True,
) -> Proposal | str:
    """Return how the raw objects ``numbers`` (one of them is there at a time) join ``call`` at ``index``, or why not.

    With ``move``, the call may go behind the creation of an object that comes after it.
    """
    obstacle = can_take_targets(call)
    if obstacle:
        return obstacle
    if role in {Role.MODEL, Role.OPTIMIZER} and _FLAT_PARAMETERS.search(trace.source.text):
        return "with use_orig_params=False the optimizer has to be built from the prepared model"
    wanted: Value = frozenset((number, Stage.RAW) for number in numbers)
    place = place_in_front_of(trace, call, wanted, uses)
    lost = [read for number in sorted(numbers) for read in lost_reads(trace, number, role, call)]
    applicability = Applicability.UNSAFE if lost else Applicability.SAFE
    if place is not None:
        obstacle = _unassignable(trace, call, place)
        if obstacle:
            return obstacle
        addition = Addition(index, str(place), str(place))
        title = f"Prepare `{place}` in the same call"
        return Proposal(with_reads(title, lost), applicability, (JoinPrepare(trace.site(call), (addition,)),))
    if not move:
        return "no single place holds it, and nothing else, where the call stands"
    return _propose_move(trace, call, numbers, uses, index, lost)


def _unassignable(trace: Trace, call: PrepareCall, place: Place) -> str:
    """Return why ``place`` can't be read and assigned where ``call`` stands; empty where it can."""
    if not trace.is_bound_before(place, call):
        return f"`{place}` does not exist on every path that reaches the call"
    return frozen_fields(trace, call, [place])


def frozen_fields(trace: Trace, call: PrepareCall, places: Iterable[Place | None]) -> str:
    """Return why the fields among ``places`` can't be assigned: they belong to a frozen dataclass."""
    if "frozen=True" in trace.source.text and any(place is not None and place.path for place in places):
        return f"the file has frozen dataclasses, whose fields line {trace.line(call.node)} could not assign"
    return ""


def propose_join_each(
    trace: Trace,
    calls: Iterable[PrepareCall],
    numbers: frozenset[ObjectId],
    role: Role,
    uses: tuple[Use, ...],
    index: Callable[[PrepareCall], int],
) -> Proposal | str:
    """Return how the raw objects ``numbers`` join each of ``calls``, which stand in branches that exclude each other.

    Unsafe, as it is for loaders and schedulers; ``index`` tells where in a call an object goes. Returns why not
    where it can't be.
    """
    known = tuple(calls)
    node_of = {call.key: call.node for call in known}
    if any(node_of.get(key, call.node) is not call.node for call in known for key in call.earlier):
        return "its partner goes through several prepare calls: choose the one that it belongs to"
    proposals: list[Proposal] = []
    for call in {call.node: call for call in known}.values():
        proposal = propose_join(trace, call, numbers, role, uses, index(call), move=False)
        if isinstance(proposal, str):
            return proposal
        proposals.append(proposal)
    repairs = tuple(repair for proposal in proposals for repair in proposal.repairs)
    title = proposals[0].title.replace("the same call", "each of the calls" if len(proposals) > 1 else "the same call")
    return Proposal(title, Applicability.UNSAFE, repairs)


def raw_alternatives(trace: Trace, uses: Iterable[Use], role: Role) -> frozenset[ObjectId]:
    """Return the raw objects of ``role`` that are used in one place: one of them is there at a time."""
    return frozenset(
        number for use in uses for number, stage in use.value if stage is Stage.RAW and trace.role(number) is role
    )


def _propose_move(
    trace: Trace, call: PrepareCall, numbers: frozenset[ObjectId], uses: tuple[Use, ...], index: int, lost: list[str]
) -> Proposal | str:
    """Return the move of ``call`` behind the creation of the object, joined there, or why it stays."""
    statement = call.where.statement
    creations = {trace.creation_statement(number) for number in numbers}
    creation = next(iter(creations)) if len(creations) == 1 else None
    if not isinstance(creation, ast.Assign) or len(creation.targets) != 1:
        return "no single place holds it where the call stands"
    target = trace.text(creation.targets[0])
    if target not in {trace.text(use.node) for use in uses}:
        return f"it is used under another name than `{target}`"
    line = trace.line(creation)
    between = trace.outline.between(statement, creation)
    if between is None or not trace.outline.precedes(statement, creation):
        return f"it is created on line {line}, in another block than the call"
    places = [place for place in call.targets if place is not None]
    renamed = [t for t, a in zip(call.targets, call.arguments, strict=True) if t is not None and t != a.place]
    if renamed and trace.mentions(creation, renamed):
        return f"it is created on line {line} from what the call returns under another name"
    user = next(
        (each for each in between if trace.mentions(each, places) and not trace.takes_only_parameters(each, places)),
        None,
    )
    if user is not None:
        return (
            f"the call on line {trace.line(statement)} would have to move behind line {line}, "
            f"and line {trace.line(user)} uses what it returns"
        )
    unsafe = between or lost or _FSDP.search(trace.source.text)
    title = f"Move the call behind line {line} and prepare `{target}` in it"
    repair = JoinPrepare(trace.site(call), (Addition(index, target, target),), trace.span(creation))
    return Proposal(with_reads(title, lost), Applicability.UNSAFE if unsafe else Applicability.SAFE, (repair,))
