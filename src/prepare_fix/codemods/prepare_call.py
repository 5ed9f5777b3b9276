"""A ``prepare`` call with the targets of its statement: read, changed together, and laid out again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypedDict

import libcst as cst

from prepare_fix.codemods.blocks import indent_unit, line_start
from prepare_fix.codemods.elements import Elements, read_elements
from prepare_fix.codemods.line_length import line_limit, width
from prepare_fix.codemods.slices import edited, shrink
from prepare_fix.codemods.tree import Tree, parse_expression, parse_statement
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import Site
from prepare_fix.sources.text import SourceText, Span

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Targets:
    """What a statement assigns to: at ``span``, the ``elements`` between ``before`` and ``behind`` (brackets).

    One name alone is a list of one element without brackets, and ``is_single``.
    """

    span: Span
    before: str
    elements: Elements
    behind: str
    is_single: bool = False

    @property
    def text(self) -> str:
        """The source of the targets."""
        return f"{self.before}{self.elements.text}{self.behind}"

    def with_elements(self, elements: Elements) -> Targets:
        """Return the targets with other elements; one that is left has no comma, since ``prepare`` gives no tuple.

        Raises:
            CannotRewriteError: comments stand in brackets that would have to go.
        """
        if len(elements.items) == 1 and not self.is_single:
            return self._with_one(elements.without_trailing_comma())
        was_one = len(self.elements.items) == 1 and self.elements.is_plain
        if elements.trailing_comma and (not self.before or (was_one and elements.is_one_line)):
            elements = elements.without_trailing_comma()
        return replace(self, elements=elements)

    def _with_one(self, elements: Elements) -> Targets:
        if not elements.has_comments():
            return replace(self, before="", elements=elements.on_one_line(), behind="")
        if self.before.endswith("["):
            raise CannotRewriteError("comments stand in the list that the result is unpacked to")
        return replace(self, elements=elements)

    def one_per_line(self, outer: str, unit: str, newline: str) -> Targets:
        """Return the targets in brackets, one on each line."""
        elements = self.elements.one_per_line(outer, unit, newline)
        return replace(self, before=self.before or "(", elements=elements, behind=self.behind or ")")


@dataclass(frozen=True)
class PrepareCall:
    """A call of ``prepare`` as it stands.

    ``arguments`` are all of them, the first ``positional`` without keyword; ``start`` is where their list begins.
    ``placement`` is the place of ``device_placement`` among them, and its entries. ``targets`` is ``None`` where
    the result goes nowhere by name; ``is_discarded`` where it goes nowhere at all. ``method`` is where the name of
    the method stands.
    """

    source: SourceText
    site: Site
    receiver: str
    method: Span
    arguments: Elements
    start: int
    positional: int
    placement: tuple[int, Elements] | None
    targets: Targets | None
    is_discarded: bool

    @property
    def objects(self) -> tuple[str, ...]:
        """The source of the positional arguments."""
        return self.arguments.codes[: self.positional]

    @property
    def names(self) -> tuple[str, ...]:
        """The source of the targets."""
        return self.targets.elements.codes if self.targets else ()

    def with_targets(self, elements: Elements) -> PrepareCall:
        """Return the call with other targets."""
        assert self.targets is not None
        return replace(self, targets=self.targets.with_elements(elements))

    def assigned(self, targets: Targets) -> PrepareCall:
        """Return the call, whose result was thrown away, assigned to ``targets``."""
        return replace(self, targets=targets, is_discarded=False)

    def with_placement(self, elements: Elements) -> PrepareCall:
        """Return the call with other entries in its ``device_placement``."""
        assert self.placement is not None
        index, _ = self.placement
        arguments = self.arguments.replace(index, f"device_placement=[{elements.text}]")
        return replace(self, arguments=arguments, placement=(index, elements))

    def insert(self, index: int, arguments: Iterable[str]) -> PrepareCall:
        """Return the call with ``arguments`` in front of the positional one at ``index``."""
        codes = tuple(arguments)
        layout = self.arguments.insert(index, codes, self.source.newline)
        placement = self.placement and (self.placement[0] + len(codes), self.placement[1])
        return replace(self, arguments=layout, positional=self.positional + len(codes), placement=placement)

    def remove(self, index: int) -> PrepareCall:
        """Return the call without the positional argument at ``index``."""
        placement = self.placement and (self.placement[0] - 1, self.placement[1])
        arguments = self.arguments.remove(index)
        return replace(self, arguments=arguments, positional=self.positional - 1, placement=placement)


def read_prepare(source: SourceText, site: Site, methods: Collection[str] = ("prepare",)) -> PrepareCall:
    """Return the call at ``site`` of one of ``methods``; edits make a call of ``prepare`` of it.

    Raises:
        CannotRewriteError: it is no such call, or of a shape that is not rewritten.
    """
    tree = parse_expression(source, site.call)
    call = tree.find(site.call, cst.Call)
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in methods:
        raise CannotRewriteError("the call is not one of `prepare`")
    arguments = read_arguments(tree, call)
    return PrepareCall(
        source,
        site,
        receiver=tree.code(call.func.value),
        method=tree.span(call.func.attr),
        arguments=arguments,
        start=site.call.end - 1 - len(arguments.text),
        positional=_count_positional(call),
        placement=_read_placement(tree, call),
        **_read_binding(source, site),
    )


def read_arguments(tree: Tree, call: cst.Call) -> Elements:
    """Return the layout of the arguments of ``call``."""
    return read_elements(tree, call.whitespace_before_args, call.args, None)


def check_unstarred(codes: Iterable[str], what: str) -> None:
    """Raise :class:`CannotRewriteError` where one of ``codes`` has a star, since positions are unknown behind it."""
    if any(code.startswith("*") for code in codes):
        raise CannotRewriteError(f"the {what} are not counted: one of them has a star")


def build_edits(old: PrepareCall, new: PrepareCall) -> tuple[Edit, ...]:
    """Return the edits that make ``new`` of ``old``, in the first layout whose lines are short enough.

    Raises:
        CannotRewriteError: the result would not be valid Python.
    """
    source, statement = old.source, old.site.statement
    limit = max(line_limit(source.text), _widest(source, statement, source.slice(statement)))
    candidates = [tuple(_list_edits(old, layout)) for layout in _layouts(old, new)]
    widths = [_widest(source, statement, edited(source, statement, edits)) for edits in candidates]
    chosen = next((index for index, width in enumerate(widths) if width <= limit), widths.index(min(widths)))
    # Where there are no targets, the statement may be a header of which the slice does not hold the block.
    parse, span = (parse_statement, statement) if new.targets else (parse_expression, old.site.call)
    text = edited(source, span, candidates[chosen])
    parse(SourceText(text), Span(0, len(text)))
    return candidates[chosen]


def _layouts(old: PrepareCall, new: PrepareCall) -> Iterator[PrepareCall]:
    source = old.source
    outer, unit = source.indentation(old.start), indent_unit(source, old.site.statement)
    argument_layouts = [new.arguments]
    if new.arguments.is_plain and new.arguments.items:
        if new.arguments.is_one_line:
            argument_layouts.append(new.arguments.on_own_line(outer, unit, source.newline))
        elif _was_broken_for_length(old):
            argument_layouts.insert(0, new.arguments.on_one_line())
        argument_layouts.append(new.arguments.one_per_line(outer, unit, source.newline))
    target_layouts = [new.targets]
    if new.targets and len(new.names) > 1 and new.targets.elements.is_plain and not _LINE_END.search(new.targets.text):
        target_layouts.append(new.targets.one_per_line(outer, unit, source.newline))
    for targets in target_layouts:
        for arguments in argument_layouts:
            yield replace(new, targets=targets, arguments=_realign(old, arguments, targets))


def _was_broken_for_length(old: PrepareCall) -> bool:
    """Return whether the arguments stand on a line of their own as a formatter puts them, since one was too short."""
    if not old.arguments.is_plain or old.arguments.is_one_line or old.arguments.trailing_comma:
        return False
    joined = edited(
        old.source, old.site.statement, _list_edits(old, replace(old, arguments=old.arguments.on_one_line()))
    )
    return _widest(old.source, old.site.statement, joined) > line_limit(old.source.text)


def _realign(old: PrepareCall, arguments: Elements, targets: Targets | None) -> Elements:
    """Return ``arguments`` still under the first of them, though the targets on the same line grow or shrink."""
    source = old.source
    line = line_start(source, old.start)
    before = f"{old.targets.text} = " if old.targets else ""
    behind = f"{targets.text} = " if targets else ""
    starts_line = not source.text[line : old.site.statement.start].strip(" ")
    if not starts_line or old.site.statement.start < line or _LINE_END.search(before + behind):
        return arguments
    return arguments.realigned(old.start - line, len(behind) - len(before))


def _list_edits(old: PrepareCall, new: PrepareCall) -> Iterator[Edit]:
    if old.targets and new.targets and old.targets.text != new.targets.text:
        yield shrink(Edit(old.targets.span, old.targets.text, new.targets.text))
    if new.targets and not old.targets:
        start = old.site.statement.start
        yield Edit(Span(start, start), "", f"{new.targets.text} = ")
    if old.source.slice(old.method) != "prepare":
        yield Edit(old.method, old.source.slice(old.method), "prepare")
    if old.arguments.text != new.arguments.text:
        span = Span(old.start, old.site.call.end - 1)
        yield shrink(Edit(span, old.arguments.text, new.arguments.text))


def _widest(source: SourceText, statement: Span, text: str) -> int:
    lead = source.text[line_start(source, statement.start) : statement.start]
    return max(map(width, _LINE_END.split(lead + text)))


def _count_positional(call: cst.Call) -> int:
    is_positional = [arg.keyword is None and arg.star != "**" for arg in call.args]
    count = is_positional.index(False) if False in is_positional else len(is_positional)
    if any(is_positional[count:]):
        raise CannotRewriteError("positional arguments stand behind a keyword")
    return count


def _read_placement(tree: Tree, call: cst.Call) -> tuple[int, Elements] | None:
    for index, arg in enumerate(call.args):
        if arg.star == "**":
            raise CannotRewriteError("a mapping of keywords may hold `device_placement`")
        if arg.keyword is None or arg.keyword.value != "device_placement":
            continue
        value = arg.value
        if isinstance(value, cst.Name) and value.value == "None":
            return None
        if not isinstance(value, cst.List) or value.lpar:
            raise CannotRewriteError("`device_placement` is not written out as a list")
        inner = read_elements(tree, value.lbracket.whitespace_after, value.elements, value.rbracket.whitespace_before)
        check_unstarred(inner.codes, "entries of `device_placement`")
        return index, inner
    return None


class _Binding(TypedDict):
    targets: Targets | None
    is_discarded: bool


def _read_binding(source: SourceText, site: Site) -> _Binding:
    """Return what the statement of a call does with its result."""
    elsewhere = _Binding(targets=None, is_discarded=False)
    try:
        tree = parse_statement(source, site.statement)
        statement = tree.statement
    except CannotRewriteError:
        # The header of a compound statement, whose block the slice may not hold: nothing there takes targets.
        return elsewhere
    value = getattr(statement, "value", None)
    if not isinstance(value, cst.Call) or tree.span(value) != site.call:
        return elsewhere
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        return _Binding(targets=_read_target(source, tree, statement.targets[0]), is_discarded=False)
    return _Binding(targets=None, is_discarded=isinstance(statement, cst.Expr))


def _read_target(source: SourceText, tree: Tree, target: cst.AssignTarget) -> Targets:
    whole, node = tree.span(target), target.target
    if isinstance(node, cst.Tuple):
        opening = node.lpar[-1].whitespace_after if node.lpar else None
        closing = node.rpar[0].whitespace_before if node.rpar else None
        elements = read_elements(tree, opening, node.elements, closing)
        start = tree.span(node).start - len(elements.opening)
    elif isinstance(node, cst.List):
        elements = read_elements(tree, node.lbracket.whitespace_after, node.elements, node.rbracket.whitespace_before)
        start = tree.span(node).start + 1
    else:
        elements = read_elements(tree, None, [cst.Element(node)], None)
        return Targets(whole, "", elements, "", is_single=True)
    before = source.text[whole.start : start]
    return Targets(whole, before, elements, source.text[start + len(elements.text) : whole.end])
