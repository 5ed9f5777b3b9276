"""PF602: one process calls what all of them have to call together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from prepare_fix.findings import Finding
from prepare_fix.flow.events import Guard, PrepareCall, Surroundings
from prepare_fix.flow.objects import Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.story import note, report

_COLLECTIVE = frozenset({"gather", "gather_for_metrics", "wait_for_everyone"})


class CollectiveOnOneProcess(Rule):
    """``prepare``, ``backward``, ``gather`` or ``wait_for_everyone`` under ``if accelerator.is_main_process``.

    What it does:
        Finds calls in which all processes have to take part, under a condition that only one process fulfils, in the
        same function or in what it calls, or behind a way out that all others take (``if not
        accelerator.is_main_process: return``): ``prepare`` of a model, ``backward`` of a prepared model's loss,
        ``gather``, ``gather_for_metrics`` and ``wait_for_everyone``, and ``save_state`` in a script that asks for
        ``automatic_checkpoint_naming``.

    Why it matters:
        One process does not notice. On two, the one that makes the call waits for the other, which never comes: the run
        hangs.

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
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                if accelerator.is_main_process:
                    print(accelerator.gather(loss).mean())
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
                losses = accelerator.gather(loss)
                if accelerator.is_main_process:
                    print(losses.mean())
        ```

    Fix safety:
        There is no fix: whether the call belongs in front of the condition, or not there at all, is the author's to
        say.

    Limits:
        Silent where the other processes make the same call in another branch, and where the condition also asks for the
        number of processes. Names that were bound to ``is_main_process`` before, and ways out of a function that makes
        the call in another one, are not followed. Any other ``save_state``, ``load_state`` and ``get_state_dict`` are
        not looked at, since it depends on the way of running whether all processes have to make them (under FSDP, and
        DeepSpeed's third stage, they do); nor are ``reduce``, ``pad_across_processes`` and what ``torch.distributed``
        has itself.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``save_state``, line 3688), ``utils/operations.py``.
    """

    code = "PF602"
    name = "collective-on-one-process"
    summary = "`prepare`, `backward`, `gather` or `wait_for_everyone` is called by one process alone"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each collective call under a condition of one process."""
        calls = list(_collective_calls(trace))
        for call in calls:
            guard = trace.main_process_guard(call.where)
            if guard is None or _others_join(trace, call, guard, calls):
                continue
            if not trace.asks_for_wrappers((*call.where.guards, guard)):
                yield self._finding(trace, call, guard)

    def _finding(self, trace: Trace, call: _Call, guard: Guard) -> Finding:
        what = trace.text(call.node.func)
        is_around = guard in call.where.guards
        story = (
            f"`{what}` on line {trace.line(call.node)} needs all processes, but runs "
            f"{'under' if is_around else 'behind'} `{trace.text(guard.test)}` (line {trace.line(guard.test)}), "
            f"{'which one of them fulfils' if is_around else 'where all but one leave'}"
        )
        consequence = "on two processes the run hangs"
        key = f"{trace.scope(call.where.statement)}:{what}"
        reason = "where all processes should make the call is yours to say: in front of the condition, or not at all"
        notes = (
            note(trace, guard.test, call.where.context, "one process alone goes on here"),
            note(trace, call.node, call.where.context, "waits for all processes"),
        )
        return report(self, trace, story, consequence, trace.span(call.node), key, notes=notes, proposal=reason)


@dataclass(frozen=True, slots=True)
class _Call:
    method: str
    node: ast.Call
    where: Surroundings


def _collective_calls(trace: Trace) -> Iterator[_Call]:
    for prepare in trace.prepare_calls:
        if _wraps_model(trace, prepare):
            yield _Call("prepare", prepare.node, prepare.where)
    for backward in trace.backwards:
        used = trace.model_calls_behind(backward.loss)
        if any(stage is Stage.PREPARED and trace.is_wrapped(use.value) for use in used for _, stage in use.value):
            yield _Call("backward", backward.node, backward.where)
    for call in trace.accelerator_calls:
        if call.method in _COLLECTIVE or (call.method == "save_state" and _numbers_checkpoints(trace)):
            yield _Call(call.method, call.node, call.where)


def _wraps_model(trace: Trace, call: PrepareCall) -> bool:
    results = (value for value in call.results if value)
    return any(trace.role(min(value)[0]) is Role.MODEL and trace.is_wrapped(value) for value in results)


def _numbers_checkpoints(trace: Trace) -> bool:
    """Return whether accelerate names the checkpoints: it waits for all processes before it writes one then."""
    word = "automatic_checkpoint_naming"
    if word not in trace.source.text:  # a walk through all nodes took a tenth of a run, and few have it
        return False
    keywords = (node for node in trace.nodes if isinstance(node, ast.keyword))
    return any(each.arg == word and ast.unparse(each.value) == "True" for each in keywords)


def _others_join(trace: Trace, call: _Call, guard: Guard, calls: list[_Call]) -> bool:
    """Return whether the same kind of call also stands where the one process is not: not under ``guard``."""
    return any(
        other.method == call.method
        and other.where.function is call.where.function
        and trace.is_for_other_processes(other.where)
        for other in calls
    ) or any(
        other.method == call.method and other.node is not call.node and _is_else_of(guard, other.where)
        for other in calls
    )


def _is_else_of(guard: Guard, where: Surroundings) -> bool:
    """Return whether ``where`` stands in the other branch of a condition."""
    return any(each.test is guard.test and each.holds is not guard.holds for each in where.guards)
