"""What each kind of statement does to the state."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from prepare_fix.flow import recognise
from prepare_fix.flow.conditions import Conditions
from prepare_fix.flow.events import Guard
from prepare_fix.flow.frames import Frame
from prepare_fix.flow.imports import path_in
from prepare_fix.flow.objects import NOTHING, Kind, ref
from prepare_fix.flow.state import NO_CHANGES
from prepare_fix.sources.text import SourceText

# What adds to a container in place: to a list, or to a dict or set.
_ADDING = (ast.Add, ast.BitOr)


class Statements(Conditions):
    """Runs statements. Each runner returns whether control reaches the statement behind."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._runners: dict[type[ast.AST], Callable[..., bool]] = {
            ast.Assign: self._assign_statement,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._expression,
            ast.If: self.run_if,
            ast.For: self.run_for,
            ast.AsyncFor: self.run_for,
            ast.While: self.run_while,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Try: self._try,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.Break: self._break,
            ast.Continue: self._continue,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Delete: self._delete,
            ast.Global: self._global,
            ast.Nonlocal: self._nonlocal,
            ast.Match: self._match,
            ast.Assert: self._assert,
        }
        self._loads: dict[int, ast.expr] = {}
        """The expressions that read the targets of augmented assignments: one each, nodes are identities here."""
        try_star = getattr(ast, "TryStar", None)
        if try_star is not None:
            self._runners[try_star] = self._try

    def run_module(self) -> None:
        """Run the module, then all that nobody called."""
        try:
            self.load_imports()
            self.run_block(self.tree.body)
            self.run_uncalled()
            if self.state.crowded:
                self.record_gap("too many objects in one place", self.tree, self.state.crowded)
        finally:
            # Bound methods are cycles: without them all goes when the last reference does, not at the next collection.
            self._runners.clear()
            self._evaluators.clear()

    def run_block(self, body: Iterable[ast.stmt]) -> bool:
        """Run statements; return whether control reaches the end of them."""
        for statement in body:
            self.step()
            self.statement = statement
            runner = self._runners.get(type(statement))
            if runner is not None and not runner(statement):
                return False
        return True

    # --- simple statements --------------------------------------------------------------------------------------------

    def _assign_statement(self, node: ast.Assign) -> bool:
        target = node.targets[0]
        if len(node.targets) == 1 and _is_parallel(target, node.value):
            self.assign_in_parallel(target, node.value)
            return True
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)
        return True

    def _annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))
        return True

    def _augmented(self, node: ast.AugAssign) -> bool:
        self.note_change(node.target)
        load = self._loads.setdefault(id(node), _as_load(node.target))
        old, new = self.evaluate(load), self.evaluate(node.value)
        if isinstance(node.op, ast.Div) and old:
            self.assign(node.target, ref(self.quotient(node, old, new)))
        elif isinstance(node.op, _ADDING) and old and all(self.kind_of(n) is Kind.CONTAINER for n, _ in old):
            self.add_in_place(node, old, new)
        elif old or new:
            made = self.make(Kind.DERIVED, node, built_from=(number for number, _ in old | new))
            self.assign(node.target, ref(made))
        return True

    def _expression(self, node: ast.Expr) -> bool:
        self.evaluate(node.value)
        return not self._ends_program(node.value)

    def _ends_program(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return False
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name not in {"exit", "_exit", "quit"}:
            return False
        return any(
            self.objects[n].name in recognise.ENDING_CALLS for n, _ in self.evaluate(node.func) if n in self.objects
        )

    def _assert(self, node: ast.Assert) -> bool:
        self.evaluate(node.test)
        return True

    def _return(self, node: ast.Return) -> bool:
        value = self.evaluate(node.value)
        self.taken_apart.update(number for number, _ in value)
        self.frame.returned |= value
        self.frame.leave(self.state)
        return False

    def _raise(self, node: ast.Raise) -> bool:
        self.evaluate(node.exc)
        return False

    def _break(self, node: ast.Break) -> bool:
        if self.loops:
            loop = self.loops[-1]
            loop.breaks.append(self.state.changes_since(loop.depth))
        return False

    def _continue(self, node: ast.Continue) -> bool:
        if self.loops:
            loop = self.loops[-1]
            loop.continues.append(self.state.changes_since(loop.depth))
        return False

    def _delete(self, node: ast.Delete) -> bool:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.state.forget((self.frame.id, target.id))
            elif isinstance(target, ast.Attribute):
                for number, _ in self.evaluate(target.value):
                    self.state.forget((number, target.attr))
        return True

    def _global(self, node: ast.Global) -> bool:
        for name in node.names:
            self.frame.outer_names[name] = self.module_frame
        return True

    def _nonlocal(self, node: ast.Nonlocal) -> bool:
        for name in node.names:
            frame: Frame | None = self.frame.closure
            while frame is not None and (frame.id, name) not in self.state:
                frame = frame.closure
            if frame is not None:
                self.frame.outer_names[name] = frame
        return True

    def _import(self, node: ast.Import) -> bool:
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.split(".")[0]
            self.bind_name(self.frame, alias.asname or path, self.symbol(path))
        return True

    def _import_from(self, node: ast.ImportFrom) -> bool:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name != "*":
                known = self.imported(module, alias.name)
                value = known if known is not None else self.symbol(path_in(module, alias.name))
                self.bind_name(self.frame, alias.asname or alias.name, value)
        return True

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        if not _is_accessor(node):
            self.state[self.frame.id, node.name] = self.make_function(node)
            self.frame.note_binding(node.name)
        return True

    def _class(self, node: ast.ClassDef) -> bool:
        self.define_class(node)
        return True

    # --- branches -----------------------------------------------------------------------------------------------------

    def _match(self, node: ast.Match) -> bool:
        subject = self.evaluate(node.subject)
        captured = NOTHING.union(subject, *(self.elements(*pair) for pair in subject))
        guards, ends = self.guards, []
        self.guards = (*guards, Guard(node.subject, True))
        for case in node.cases:
            self.begin_round()
            self.state.begin()
            for pattern in ast.walk(case.pattern):
                for name in (getattr(pattern, "name", None), getattr(pattern, "rest", None)):
                    if isinstance(name, str):
                        self.bind_name(self.frame, name, captured)
            self.evaluate(case.guard)
            completes = self.run_block(case.body)
            end = self.state.undo()
            self.end_round()
            if completes:
                ends.append(end)
        self.guards = guards
        if not any(_takes_all(case) for case in node.cases):
            ends.append(NO_CHANGES)
        self.state.meet(ends or [NO_CHANGES])
        return bool(ends)

    def _try(self, node: ast.Try) -> bool:
        self.begin_round()
        depth = self.state.begin()
        completes = self.run_block(node.body)
        body_end = self.state.changes_since(depth)
        if completes:
            completes = self.run_block(node.orelse)
        end = self.state.undo()
        self.end_round()
        ends = [end] if completes else []
        for handler in node.handlers:
            self.begin_round()
            self.state.begin()
            self.state.meet([NO_CHANGES, body_end])
            if handler.name:
                self.bind_name(self.frame, handler.name, NOTHING)
            completes = self.run_block(handler.body)
            end = self.state.undo()
            self.end_round()
            if completes:
                ends.append(end)
        self.state.meet(ends or [NO_CHANGES, body_end])
        return self.run_block(node.finalbody) and bool(ends)

    # --- with ---------------------------------------------------------------------------------------------------------

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        gradients, accumulating = self.gradients, self.accumulating
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if self._is_no_grad(item.context_expr):
                self.gradients = False
            elif self._is_accumulate(item.context_expr):
                self.accumulating = (*self.accumulating, item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        completes = self.run_block(node.body)
        self.gradients, self.accumulating = gradients, accumulating
        return completes

    def _is_no_grad(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return False
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        return name in {"no_grad", "inference_mode"}

    def _is_accumulate(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in recognise.ACCUMULATE_METHODS
            and any(self.kind_of(n) is Kind.ACCELERATOR for n, _ in self.evaluate(node.func.value))
        )


def _is_parallel(target: ast.expr, value: ast.expr) -> bool:
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(value, (ast.Tuple, ast.List)):
        return False
    if any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
        return False
    return len(target.elts) == len(value.elts)


def _as_load(target: ast.expr) -> ast.expr:
    """Return the expression that reads what ``target`` writes."""
    load: ast.expr
    if isinstance(target, ast.Attribute):
        load = ast.Attribute(target.value, target.attr, ast.Load())
    elif isinstance(target, ast.Subscript):
        load = ast.Subscript(target.value, target.slice, ast.Load())
    else:
        assert isinstance(target, ast.Name)
        load = ast.Name(target.id, ast.Load())
    return ast.copy_location(load, target)


def _takes_all(case: ast.match_case) -> bool:
    """Return whether a case is taken whatever the subject is."""
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _is_accessor(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a definition adds a setter or deleter to a property, which is read as before."""
    return any(
        isinstance(each, ast.Attribute) and each.attr in {"setter", "deleter"} and isinstance(each.value, ast.Name)
        for each in node.decorator_list
    )
