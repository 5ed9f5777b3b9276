"""What stands between a script and a model once it is prepared, and what is read through it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from prepare_fix.flow import recognise, wrapper
from prepare_fix.flow.events import AcceleratorCall, Guard, PrepareCall, Surroundings, Use, UseKind
from prepare_fix.flow.members import members_of
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, Value
from prepare_fix.flow.processes import (
    asks_for_wrappers,
    leaves_one_process,
    one_process_guard,
    says_other_processes,
    tells_of_wrappers,
)
from prepare_fix.flow.roles import Roles
from prepare_fix.sources.text import Span

_FREEZES = re.compile(r"requires_grad|\bfreeze", re.IGNORECASE)
# With a plugin the script says itself that its wrapper is another one, which hands names on to the model.
_OTHER_WRAPPER = re.compile(r"_plugin(?:(?<=fsdp_plugin)|(?<=deepspeed_plugin)|(?<=megatron_lm_plugin))s?\s*=")
# What puts parameters that are trained into a model whose own are not.
_ADAPTS = re.compile(r"lora|adapter|peft|attn_proc", re.IGNORECASE)
_ASKING = frozenset({UseKind.ATTRIBUTE, UseKind.METHOD})
# How the functions and classes of a test suite are called (unittest, pytest).
_TESTS = re.compile(r"(?:^|\.)(?:test_|Test)|(?:Test|Tests|TestCase|Tester)(?:\.|$)")


class Wrapping(Roles):
    """Adds wrappers: which models have one, what they hide, and where a script knows about it."""

    @cached_property
    def accelerator_calls(self) -> tuple[AcceleratorCall, ...]:
        """The calls of accelerator methods other than prepare and backward."""
        return self._in_order(self._log.accelerator_calls.values())

    @cached_property
    def trained(self) -> frozenset[ObjectId]:
        """The models whose parameters an optimizer of the file takes."""
        optimizers = self.objects_of(Role.OPTIMIZER)
        return frozenset(model for number in optimizers for model in self.models_of(number))

    @cached_property
    def wrapped_reads(self) -> tuple[Use, ...]:
        """The attributes and methods that are asked of wrapped models."""
        return tuple(use for use in self.uses if use.kind in _ASKING and self.is_wrapped(use.value))

    def is_wrapped(self, value: Value) -> bool:
        """Return whether all of ``value`` are prepared models that several processes would see in a wrapper of DDP.

        Models that are prepared for evaluation or have nothing to train get none.
        """
        if not value or not all(stage is Stage.PREPARED for _, stage in value):
            return False
        return all(self.root(number) in self._wrapped for number, _ in value)

    @cached_property
    def _wrapped(self) -> frozenset[ObjectId]:
        if self._machine is None or _OTHER_WRAPPER.search(self.source.text):
            return frozenset()
        return frozenset(root for root in self._calls_by_object if self._is_wrapped(root))

    def _is_wrapped(self, root: ObjectId) -> bool:
        calls = self.prepared_with(root)
        if self.role(root) is not Role.MODEL or not calls or any(_is_for_evaluation(call) for call in calls):
            return False
        if root in self.trained:
            return not self._is_switched_off(root)
        # A module around an optimizer, which is never called and steps, has no parameters of its own to wrap.
        uses = self.uses_of(root)
        is_model = self.objects[root].kind is not Kind.INSTANCE or any(use.kind is UseKind.CALL for use in uses)
        return is_model and not any(use.name == "step" for use in uses) and not _FREEZES.search(self.source.text)

    def _is_switched_off(self, root: ObjectId) -> bool:
        """Return whether the gradients of a whole model are switched off on every path, and none of it on again."""
        if "requires_grad_(False)" not in self.source.text or _ADAPTS.search(self.source.text):
            return False
        switches = [
            use
            for use in self.uses
            if use.name == "requires_grad_" and any(self.whole(self.root(number)) == root for number, _ in use.value)
        ]
        if not switches or not all(_is_surely_off(use) for use in switches):
            return False
        writes = (write for write in self._log.writes.values() if write.node.attr.startswith("requires_grad"))
        return not any(root in self.parameter_owners(number) for write in writes for number, _ in write.base)

    def hides(self, use: Use) -> bool:
        """Return whether the wrapper of the models of ``use`` surely does not have the name that is asked for."""
        if use.name in wrapper.VISIBLE or use.name.startswith("__"):
            return False
        listed = wrapper.DATA_OF_LIBRARY_MODELS | wrapper.PARTS_OF_LIBRARY_MODELS
        for number, _ in use.value:
            members = self._members(number)
            if members is not None:
                has_it = use.name in members
            else:
                has_it = use.name in listed or self._must_have(number, use.name)
            if not has_it:
                return False
        return not self._is_set_outside(use)

    def _must_have(self, number: ObjectId, name: str) -> bool:
        """Return whether a model, surely one by the call that makes it, has what is asked for if anything has.

        Names with an underscore are put there by compilers and libraries, and one that other things than models have
        is asked of a place that something else was meant to be in.
        """
        obj = self.objects[self.root(number)]
        is_own = not name.startswith("_") and name not in wrapper.SHARED | wrapper.OF_ENGINES
        return is_own and obj.kind is Kind.OBJECT and recognise.role_of_call(obj.name) is Role.MODEL

    def has_own(self, use: Use) -> bool:
        """Return whether the class of a model itself defines the name that is asked for."""
        return any(use.name in (self._members(number) or ()) for number, _ in use.value)

    def _is_set_outside(self, use: Use) -> bool:
        """Return whether the file also assigns the attribute through the same expression: the wrapper may have it."""
        model, name = re.escape(self.text(use.node)), re.escape(use.name)
        by_statement = rf"(?<![\w.]){model}\.{name}\s*(?::[^=\n]*)?=(?!=)"
        by_call = rf"\bsetattr\(\s*{model}\s*,\s*['\"]{name}['\"]"
        return re.search(f"{by_statement}|{by_call}", self.source.text) is not None

    def _members(self, number: ObjectId) -> dict[str, bool] | None:
        """Return what the class of an object has, if the class and all its bases but torch's own are in the file."""
        assert self._machine is not None
        cls = self._machine.class_of.get(self.root(number))
        if cls is None:
            return None
        found: dict[str, bool] = {}
        todo = [cls]
        while todo:
            cls = todo.pop(0)
            found = members_of(self._machine.classes[cls].node) | found
            todo += self._machine.bases_of[cls]
        paths = self._machine.classes[self._machine.class_of[self.root(number)]].base_paths
        if any(not path.startswith("torch.nn") for path in paths):
            listed = wrapper.DATA_OF_LIBRARY_MODELS
            found = dict.fromkeys(wrapper.PARTS_OF_LIBRARY_MODELS, False) | dict.fromkeys(listed, True) | found
        return found

    def gives_data(self, use: Use) -> bool:
        """Return whether what is asked of a model is plain data or an effect: no gradient passes through."""
        known = [self._members(number) for number, _ in use.value]
        if all(members is None or use.name not in members for members in known):
            return use.name in wrapper.DATA_OF_LIBRARY_MODELS
        return all(members is not None and members.get(use.name, False) for members in known)

    def may_reach_backward(self, use: Use) -> bool:
        """Return whether what ``use`` takes from a model may go into a loss, as a value or by what is called on it."""
        if not use.where.gradients:
            return False
        following = self._following.get(id(use.call), ()) if use.kind is UseKind.ATTRIBUTE else ()
        if following:
            return any(
                self.may_reach_backward(each) if each.kind in _ASKING else self.is_training(each) for each in following
            )
        taken = self._taken(use)
        if not taken:
            return use.kind is UseKind.ATTRIBUTE
        if not taken.isdisjoint(self.into_backward):
            return True
        if not self.backwards and not self.is_statement(use.call):
            return True  # who computes the loss is in another file
        return any(self.is_training(other) and any(number in taken for number, _ in other.value) for other in self.uses)

    @cached_property
    def _following(self) -> dict[int, list[Use]]:
        """What is done at once with what an expression gives, by its node.

        One layer that is read in two places is one object, and what is done with it in one says nothing of the other.
        """
        found: dict[int, list[Use]] = {}
        for use in self.uses:
            if use.name not in recognise.IDENTITY_METHODS or self.is_statement(use.call):
                found.setdefault(id(use.node), []).append(use)
        return found

    def _taken(self, use: Use) -> frozenset[ObjectId]:
        assert self._machine is not None
        if use.result is not None:
            return self._machine.with_parts([use.result])
        parts = self._machine.parts
        named = [
            part for number, _ in use.value for part in parts.get(number, ()) if self.objects[part].name == use.name
        ]
        return self._machine.with_parts(named)

    # --- what the script knows ----------------------------------------------------------------------------------

    def header(self, statement: ast.stmt) -> str:
        """Return the source of a statement without the blocks in it."""
        body = getattr(statement, "body", None)
        end = self.span(body[0]).start if body else self.span(statement).end
        return self.source.slice(Span(self.span(statement).start, end))

    def knows_wrappers(self, node: ast.expr, where: Surroundings) -> bool:
        """Return whether what happens to the model ``node`` at ``where`` depends on a question about its wrapper: a
        condition, the statement itself, an earlier way out, or an ``except`` that takes the error. Tests run on one
        process and know that too."""
        if _TESTS.search(self.scope(where.statement)):
            return True
        if self.is_without_accelerator(where) or asks_for_wrappers(self.header(where.statement)):
            return True
        if self.asks_for_wrappers(where.guards):
            return True
        around = self.outline.around(where.statement)
        if any(isinstance(each, ast.Try) and _takes_errors(each) for each in around):
            return True
        inside = () if hasattr(where.statement, "body") else ast.walk(where.statement)
        if any(self._tells_apart(each, self.text(node)) for each in (*around, *inside)):
            return True
        function = self.source.text if where.function is None else self.text(where.function)
        return re.search(rf"(?:hasattr|isinstance|getattr)\(\s*{re.escape(self.text(node))}\s*,", function) is not None

    def _tells_apart(self, condition: ast.AST, model: str) -> bool:
        """Return whether one branch of a condition asks ``model.module``, and the other ``model`` itself: whatever the
        condition is called, it is about the wrapper."""
        if not isinstance(condition, (ast.If, ast.IfExp)) or not condition.orelse:
            return False
        branches = (condition.body, condition.orelse)
        texts = ["\n".join(map(self.text, each)) if isinstance(each, list) else self.text(each) for each in branches]
        asked = [set(re.findall(rf"(?<![\w.]){re.escape(model)}\.(module\b)?", text)) for text in texts]
        return {"module"} in asked and {""} in asked

    def main_process_guard(self, where: Surroundings) -> Guard | None:
        """Return the condition that lets only one process come to ``where``: around it, or a way out in front of it
        that all others take."""
        ways_out = (Guard(each.test, False) for each in self._ways_out_of_others(where))
        return one_process_guard(where.guards) or next(ways_out, None)

    def is_for_other_processes(self, where: Surroundings) -> bool:
        """Return whether ``where`` stands under a condition that the one process does not fulfil."""
        return any(says_other_processes(guard.test, guard.holds) for guard in where.guards)

    def asks_for_wrappers(self, guards: Iterable[Guard]) -> bool:
        """Return whether a condition may ask how many processes run, or how a model is wrapped."""
        tests = [guard.test for guard in guards]
        return any(asks_for_wrappers(self.text(test)) for test in tests) or any(
            tells_of_wrappers(self.text(source)) for test in tests for source in self._sources_in(test)
        )

    def _sources_in(self, test: ast.expr) -> Iterator[ast.expr]:
        """Yield what is bound to the places in a condition."""
        inside = {id(each.value) for each in ast.walk(test) if isinstance(each, ast.Attribute)}
        for each in ast.walk(test):
            if isinstance(each, (ast.Name, ast.Attribute)) and id(each) not in inside:
                yield from self.sources_bound_to(ast.unparse(each))

    def may_be_on_one_process(self, where: Surroundings) -> bool:
        """Return whether not all processes come to ``where``: a condition around it, or a way out before."""
        if where.guards or any(isinstance(each, ast.If) for each in self.outline.around(where.statement)):
            return True
        if "on_main_process" in " ".join(ast.unparse(each) for each in getattr(where.function, "decorator_list", ())):
            return True
        return any(True for _ in self._ways_out_of_others(where))

    def _ways_out_of_others(self, where: Surroundings) -> Iterator[ast.If]:
        """Yield the conditions in front of ``where``, in its function, under which all processes but one leave."""
        for each in self.outline.around(where.statement):
            spot = self.outline.spot(each)
            for sibling in spot.siblings[: spot.index]:
                if isinstance(sibling, ast.If) and leaves_one_process(sibling):
                    yield sibling

    # --- files --------------------------------------------------------------------------------------------------

    def saving_of(self, use: Use) -> ast.Call | None:
        """Return the call that writes the result of ``use`` to a file, as it is or within a dict or list."""
        for number, node in self._saved:
            if number == use.result:
                return node
        return None

    @cached_property
    def _saved(self) -> tuple[tuple[ObjectId, ast.Call], ...]:
        handed = [(call.arguments, call.node) for call in self.symbol_calls if call.path in recognise.SAVE_CALLS]
        handed += [(call.arguments, call.node) for call in self.accelerator_calls if call.method == "save"]
        found = []
        for arguments, node in handed:
            if arguments:
                found += [(number, node) for number in self._inside(number for number, _ in arguments[0])]
        return tuple(found)

    def _inside(self, numbers: Iterable[ObjectId]) -> set[ObjectId]:
        found: set[ObjectId] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            if number not in found and number in self.objects:
                found.add(number)
                todo += self._contained.get(number, ()) if self.objects[number].kind is Kind.CONTAINER else ()
        return found


def _is_for_evaluation(call: PrepareCall) -> bool:
    return any(word.arg == "evaluation_mode" for word in call.node.keywords)


def _is_surely_off(use: Use) -> bool:
    """Return whether ``use`` is ``requires_grad_(False)`` of a raw model, under no condition."""
    if use.where.guards or any(stage is not Stage.RAW for _, stage in use.value):
        return False
    return isinstance(use.call, ast.Call) and [ast.unparse(each) for each in use.call.args] == ["False"]


def _takes_errors(statement: ast.Try) -> bool:
    kinds = [ast.unparse(handler.type) if handler.type is not None else "" for handler in statement.handlers]
    return any(not kind or "AttributeError" in kind or "Exception" in kind for kind in kinds)
