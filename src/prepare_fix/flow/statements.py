"""What each kind of statement does to the state."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Guard
from prepare_fix.flow.machine import Frame, Loop
from prepare_fix.flow.objects import NOTHING, OPAQUE_KINDS, Kind, ObjectId, Stage, Value, ref
from prepare_fix.flow.scopes import Scopes
from prepare_fix.flow.state import ANY_ITEM, State, absorb, changed_places, join
from prepare_fix.sources.text import SourceText

# A loop body whose places have not settled by then is not followed further.
MAX_ROUNDS = 6


class Statements(Scopes):
    """Runs statements. Each runner returns whether control reaches the statement behind."""

    def __init__(self, source: SourceText, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self._runners: dict[type[ast.AST], Callable[..., bool]] = {
            ast.Assign: self._assign_statement,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._expression,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
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
        self.run_block(self.tree.body)
        self.run_uncalled()

    def run_block(self, body: Iterable[ast.stmt]) -> bool:
        """Run statements; return whether control reaches the end of them."""
        for statement in body:
            self.step()
            self.statement = statement
            runner = self._runners.get(type(statement))
            if runner is not None and not runner(statement):
                return False
        return True

    # --- binding ----------------------------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind ``target`` to ``value``."""
        if isinstance(target, ast.Name):
            frame = self.frame.outer_names.get(target.id, self.frame)
            self.bind_name(frame, target.id, value)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)

    def _assign_attribute(self, target: ast.Attribute, value: Value) -> None:
        base = self.evaluate(target.value)
        if self.is_accelerator_name(target.attr):
            value = self.as_accelerator(target.attr, value)
        for number, _ in base:
            key = (number, target.attr)
            self.state[key] = value if len(base) == 1 else self.state.get(key, NOTHING) | value

    def _assign_item(self, target: ast.Subscript, value: Value) -> None:
        base = self.evaluate(target.value)
        self.evaluate(target.slice)
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        for number, _ in base:
            if isinstance(key, (str, int)) and len(base) == 1:
                self.put(number, key, value)
            elif value:
                self._spread_item(number, value)

    def _spread_item(self, container: ObjectId, value: Value) -> None:
        """Store ``value`` under an unknown key: any member may be it from now on."""
        positions = [(name, held) for name, held in self.held_in(container) if isinstance(name, int)]
        for name, held in positions:
            self.put(container, name, held | value)
        if not positions:
            self.loose_item(container, value)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        star = next((index for index, each in enumerate(target.elts) if isinstance(each, ast.Starred)), None)
        exact = self.sequence(value)
        if exact is not None and star is not None:
            tail = len(target.elts) - star - 1
            middle = exact[star : len(exact) - tail] if len(exact) >= len(target.elts) - 1 else []
            exact = [*exact[:star], ref(self.container(target, middle)), *exact[len(exact) - tail :]]
        for index, element in enumerate(target.elts):
            if exact is not None:
                self.assign(element, exact[index] if index < len(exact) else NOTHING)
            else:
                self.assign(element, self._unpacked(value, index, star))

    def _unpacked(self, value: Value, index: int, star: int | None) -> Value:
        """Return what position ``index`` of something unpacked may hold."""
        results: Value = NOTHING
        for number, stage in value:
            kind = self.kind_of(number)
            if star is not None and index >= star:
                results |= self.elements(number, stage)
            elif kind is Kind.CONTAINER:
                results |= self.state.get((number, index), NOTHING) | self.state.get((number, ANY_ITEM), NOTHING)
            elif kind in OPAQUE_KINDS:
                results |= self.item(number, stage, index)
            else:
                results |= self.elements(number, stage)
        return results

    # --- simple statements --------------------------------------------------------------------------------------------

    def _assign_statement(self, node: ast.Assign) -> bool:
        target = node.targets[0]
        if len(node.targets) == 1 and _is_parallel(target, node.value):
            self._assign_in_parallel(target, node.value)
            return True
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)
        return True

    def _assign_in_parallel(self, target: ast.expr, value: ast.expr) -> None:
        """Run ``a, b = x, y`` without making a tuple of it."""
        assert isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
        values = [self.evaluate(element) for element in value.elts]
        for element, each in zip(target.elts, values, strict=True):
            self.assign(element, each)

    def _annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value))
        return True

    def _augmented(self, node: ast.AugAssign) -> bool:
        load = self._loads.setdefault(id(node), _as_load(node.target))
        old, new = self.evaluate(load), self.evaluate(node.value)
        if isinstance(node.op, ast.Div) and old:
            self.assign(node.target, ref(self.quotient(node, old, new)))
        elif isinstance(node.op, ast.Add) and old and all(self.kind_of(n) is Kind.CONTAINER for n, _ in old):
            for number, _ in old:
                self.loose_item(number, NOTHING.union(*(self.elements(*pair) for pair in new)))
                self.state.forget((number, "[length]"))
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
        self.frame.exit_states.append(self._leaving())
        return False

    def _raise(self, node: ast.Raise) -> bool:
        self.evaluate(node.exc)
        return False

    def _break(self, node: ast.Break) -> bool:
        if self.loops:
            self.loops[-1].breaks.append(self._leaving())
        return False

    def _continue(self, node: ast.Continue) -> bool:
        if self.loops:
            self.loops[-1].continues.append(self._leaving())
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
                self.state[self.frame.id, alias.asname or alias.name] = self.symbol(f"{module}.{alias.name}")
        return True

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        self.state[self.frame.id, node.name] = self.make_function(node)
        self.frame.names.add(node.name)
        return True

    def _class(self, node: ast.ClassDef) -> bool:
        self.define_class(node)
        return True

    # --- branches -----------------------------------------------------------------------------------------------------

    def _run_branches(self, branches: list[tuple[Guard | None, list[ast.stmt]]]) -> bool:
        """Run alternatives from the same state and join the ways out."""
        start, guards = self.state, self.guards
        written = start.dirty
        self.written.append(written)
        ends: list[State] = []
        for guard, body in branches:
            self.state = State(start)
            self.state.dirty = set()
            self.guards = guards if guard is None else (*guards, guard)
            if not body or self.run_block(body):
                ends.append(self.state)
        self.written.pop()
        self.guards = guards
        self.state = self._meeting(ends) if ends else start
        self.state.dirty |= written
        return bool(ends)

    def _meeting(self, ends: list[State]) -> State:
        """Return what holds where the paths that end in ``ends`` meet; the first of them becomes it."""
        first = ends[0]
        for other in ends[1:]:
            absorb(first, other)
        return first

    def _leaving(self) -> State:
        """Return the state in which a path jumps out of the branches around it."""
        self.state.dirty.update(*self.written)
        return self.state

    def _if(self, node: ast.If) -> bool:
        self.evaluate(node.test)
        if _is_main_guard(node.test):
            return self.run_block(node.body)
        return self._run_branches([(Guard(node.test, True), node.body), (Guard(node.test, False), node.orelse)])

    def _match(self, node: ast.Match) -> bool:
        subject = self.evaluate(node.subject)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    self.bind_name(
                        self.frame, name, NOTHING.union(subject, *(self.elements(*pair) for pair in subject))
                    )
        irrefutable = any(isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None for case in node.cases)
        branches: list[tuple[Guard | None, list[ast.stmt]]] = [
            (Guard(node.subject, True), case.body) for case in node.cases
        ]
        return self._run_branches(branches if irrefutable else [*branches, (None, [])])

    def _try(self, node: ast.Try) -> bool:
        start = State(self.state)
        completes = self.run_block(node.body)
        body_end = self.state
        if completes:
            completes = self.run_block(node.orelse)
        ends = [self.state] if completes else []
        for handler in node.handlers:
            self.state = join(start, body_end)
            if handler.name:
                self.bind_name(self.frame, handler.name, NOTHING)
            if self.run_block(handler.body):
                ends.append(self.state)
        self.state = self._meeting(ends) if ends else join(start, body_end)
        return self.run_block(node.finalbody) and bool(ends)

    # --- loops --------------------------------------------------------------------------------------------------------

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        iterable = self.evaluate(node.iter)
        known = self.sequence(iterable)
        if known is not None and 0 < len(known) <= 8 and not node.orelse:
            return self._unrolled(node, loop, known)

        def run_round() -> bool:
            self.statement = node
            self.assign(node.target, self.iterate(node, node.iter, iterable, loop.key))
            return self._run_loop_body(loop, node.body)

        return self._settle(loop, run_round, node.orelse, may_skip=True)

    def _unrolled(self, node: ast.For | ast.AsyncFor, loop: Loop, known: list[Value]) -> bool:
        """Run the body once for each member of a short, known sequence."""
        breaks: list[State] = []
        for value in known:
            self.assign(node.target, value)
            completes = self._run_loop_body(loop, node.body)
            breaks += loop.breaks
            loop.breaks = []
            if not completes:
                break
        else:
            breaks.append(self.state)
        if not breaks:
            return False
        self.state = self._meeting(breaks)
        return True

    def _run_loop_body(self, loop: Loop, body: list[ast.stmt]) -> bool:
        """Run one round; the state afterwards is that at the head of the next one."""
        loop.continues = []
        self.loops.append(loop)
        completes = self.run_block(body)
        self.loops.pop()
        ends = [*loop.continues, *([self.state] if completes else [])]
        if not ends:
            return False
        self.state = self._meeting(ends)
        return True

    def _settle(self, loop: Loop, run_round: Callable[[], bool], orelse: list[ast.stmt], *, may_skip: bool) -> bool:
        """Run rounds until the state at the head of the loop stops changing."""
        head = State(self.state)
        end: State | None = None
        for _ in range(MAX_ROUNDS):
            self.state = State(head)
            loop.breaks = []
            end = self.state if run_round() else None
            if end is None or not changed_places(head, end):
                break
            head = join(head, end)
        else:
            self.record_gap("a loop that does not settle", self.statement, None)
        after = [*loop.breaks]
        if may_skip:
            self.state = head if end is None else join(head, end)
            if self.run_block(orelse):
                after.append(self.state)
        if not after:
            return False
        self.state = self._meeting(after)
        return True

    def _while(self, node: ast.While) -> bool:
        loop = Loop(self.new_id(("loop", id(node), self.frame.context)))
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def run_round() -> bool:
            self.statement = node
            self.evaluate(node.test)
            return self._run_loop_body(loop, node.body)

        return self._settle(loop, run_round, node.orelse, may_skip=not endless)

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


def _is_main_guard(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
    )
