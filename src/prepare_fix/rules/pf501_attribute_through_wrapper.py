"""PF501: an attribute or method of the model is read through the wrapper around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.reading import (
    SILENT_DIVERGENCE,
    accelerator_at,
    by_expression,
    may_be_none,
    propose_unwrap,
    root_of,
    written,
)
from prepare_fix.rules.story import describe, report, tell

_PIPELINE = re.compile(r"diffusers\.(?:\w+\.)*\w*Pipeline\.from_pretrained")


class AttributeThroughWrapper(Rule):
    """An attribute or method that only the bare model has is read from the prepared one.

    What it does:
        Finds reads of attributes and calls of methods on a prepared model that neither a module nor the wrapper of
        DDP has: because the class of the model, or a base of it, is in the file and defines them, because they are
        those of library models (``config``, ``generate``, ``dtype``, ``resize_token_embeddings`` and their like), or
        because the model comes from ``from_pretrained``, ``from_config`` or ``torch.nn``: it has them, or nobody has.
        And prepared models that ``from_pretrained`` of a diffusers pipeline is handed as a part.

    Why it matters:
        On one process, and under FSDP2, prepare gives the model itself back and the read works. On several processes
        under DDP it gives a wrapper, and the read raises an AttributeError. A pipeline looks at the class of what it is
        handed, and raises a ValueError.

    Example:
        ```python
        import torch
        from accelerate import Accelerator
        from transformers import AutoModel

        def train(name, loader):
            accelerator = Accelerator()
            model = AutoModel.from_pretrained(name)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            print(model.config)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator
        from transformers import AutoModel

        def train(name, loader):
            accelerator = Accelerator()
            model = AutoModel.from_pretrained(name)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            print(accelerator.unwrap_model(model).config)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe: one process gets the same object as before. None where what is read may go into the loss: the bare model
        would compute it without exchanging gradients, a loud error would become ranks that diverge silently; and for a
        pipeline whose part may be None, which ``unwrap_model`` fails on.

    Limits:
        Silent where a condition, or an ``except``, asks for the wrapper or for the number of processes, for models
        that are prepared for evaluation or may be frozen, for scripts that choose FSDP or DeepSpeed by a plugin
        (their wrappers hand names on), for what only DeepSpeed's engine has (``save_checkpoint``), and for what is
        assigned through the same name.

    Source:
        torch 2.13, ``torch/nn/parallel/distributed.py``; accelerate 1.15.0, ``src/accelerate/accelerator.py``
        (``prepare_model``); transformers ``PreTrainedModel``, diffusers ``ModelMixin``, peft ``PeftModel``; diffusers
        0.40, ``src/diffusers/pipelines/pipeline_loading_utils.py`` (``maybe_raise_or_warn``, line 387).
    """

    code = "PF501"
    name = "attribute-through-wrapper"
    summary = "An attribute that only the bare model has is read from the prepared one"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each read of what a wrapper hides."""
        for uses in by_expression(use for use in trace.wrapped_reads if _is_hidden(trace, use)):
            yield self._finding(trace, uses)
        for use in trace.uses:
            if _goes_into_pipeline(trace, use):
                yield self._handed(trace, use)

    def _finding(self, trace: Trace, uses: list[Use]) -> Finding:
        use = uses[0]
        name, node = trace.text(use.node), written(use)
        model = describe(trace, name, root_of(trace, use))
        verb = "calls" if use.kind is UseKind.METHOD else "reads"
        call = trace.prepared_with(root_of(trace, use))[0]
        story = f"line {trace.line(node)} {verb} `{use.name}` of {model}, which line {trace.line(call.node)} prepares"
        consequence = (
            "under DDP that is a wrapper without such an attribute, an AttributeError on several processes; one "
            "process works"
        )
        return report(
            self,
            trace,
            story,
            consequence,
            trace.span(node),
            f"{trace.scope(use.where.statement)}:{name}.{use.name}",
            objects=(tell(trace, name, root_of(trace, use), (use,), f"is asked for `{use.name}`"),),
            proposal=_propose(trace, uses),
        )

    def _handed(self, trace: Trace, use: Use) -> Finding:
        name, number = trace.text(use.node), root_of(trace, use)
        line = trace.line(trace.prepared_with(number)[0].node)
        story = (
            f"line {trace.line(use.node)} hands {describe(trace, name, number)}, which line {line} prepares, to a "
            f"pipeline as its `{use.name}`"
        )
        consequence = "under DDP that is a wrapper, which the pipeline refuses with a ValueError; one process works"
        accelerator = accelerator_at([use])
        proposal: Proposal | str = "no accelerator is at hand there"
        if may_be_none(trace, use.node):
            proposal = "it may be None there, which can't be unwrapped: unwrap it only where it is a model"
        elif accelerator:
            bare = ReplaceExpression(trace.span(use.node), f"{accelerator}.unwrap_model({name})")
            title = f"Hand it the bare model, through `{accelerator}.unwrap_model`"
            proposal = Proposal(title, Applicability.SAFE, (bare,))
        key = f"{trace.scope(use.where.statement)}:{name}:{use.name}"
        objects = (tell(trace, name, number, (use,), "is handed to a pipeline"),)
        return report(self, trace, story, consequence, trace.span(use.node), key, objects=objects, proposal=proposal)


def _goes_into_pipeline(trace: Trace, use: Use) -> bool:
    """Return whether a prepared model is handed to diffusers as a part of a pipeline."""
    if use.kind is not UseKind.ARGUMENT or use.result is None or not use.name:
        return False
    is_pipeline = _PIPELINE.fullmatch(trace.objects[use.result].name) is not None
    return is_pipeline and trace.is_wrapped(use.value) and not trace.knows_wrappers(use.node, use.where)


def _is_hidden(trace: Trace, use: Use) -> bool:
    # Saving is told by PF503, which knows about state dicts.
    if use.name == "save_pretrained":
        return False
    return trace.hides(use) and not trace.knows_wrappers(use.node, use.where)


def _propose(trace: Trace, uses: list[Use]) -> Proposal | str:
    if any(not trace.gives_data(use) and trace.may_reach_backward(use) for use in uses):
        return SILENT_DIVERGENCE
    return propose_unwrap(trace, uses, Applicability.SAFE)
