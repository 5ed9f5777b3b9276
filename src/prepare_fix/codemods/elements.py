"""The layout of a list of elements (arguments, targets, a list display), and how it changes with the elements.

A list is kept as pieces of text, so that whatever is not changed stays as it was written. In

    (
        model,  # the net
        optimizer,
    )

``opening`` is what follows the bracket, and each ``gap`` what follows an element and its comma: up to the line end
it belongs to the element in front of it, from there to the one behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from prepare_fix.codemods.tree import Tree

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its source, what stands between it and its comma, and the gap behind that."""

    code: str
    before_comma: str = ""
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements between two brackets (or of a bare tuple), with the text around them."""

    opening: str
    items: tuple[Element, ...]
    trailing_comma: bool = False

    @property
    def text(self) -> str:
        """The source of the whole list, without the brackets."""
        last = len(self.items) - 1
        parts = [self.opening]
        for index, item in enumerate(self.items):
            comma = "," if index < last or self.trailing_comma else ""
            parts.append(f"{item.code}{item.before_comma}{comma}{item.gap}")
        return "".join(parts)

    @property
    def codes(self) -> tuple[str, ...]:
        """The source of each element."""
        return tuple(item.code for item in self.items)

    @property
    def is_plain(self) -> bool:
        """Whether the list may be laid out anew: no comment in it, no line break but right inside the brackets."""
        inner = [item.gap for item in self.items[:-1]] + [item.before_comma for item in self.items]
        outer = [self.opening, *(item.gap for item in self.items[-1:])]
        broken = any(_NEWLINE.search(text) for text in (*inner, *self.codes))
        return not broken and not any("#" in gap or "\\" in gap for gap in outer)

    @property
    def is_one_line(self) -> bool:
        """Whether the whole list stands on one line, its brackets included."""
        return not _NEWLINE.search(self.text)

    def has_comments(self) -> bool:
        """Return whether a comment stands between the elements."""
        return any("#" in text for text in (self.opening, *(item.before_comma + item.gap for item in self.items)))

    def replace(self, index: int, code: str) -> Elements:
        """Return the list with ``code`` in the place of the element at ``index``."""
        return self._with(index, replace(self.items[index], code=code))

    def insert(self, index: int, codes: Sequence[str], newline: str) -> Elements:
        """Return the list with new elements in front of the one at ``index``, laid out as their neighbours are."""
        result = self
        for offset, code in enumerate(codes):
            result = result._insert_one(index + offset, code, newline)
        return result

    def remove(self, index: int) -> Elements:
        """Return the list without the element at ``index``; a comment on a line of its own behind it goes along."""
        if len(self.items) == 1:
            return Elements("", ())
        item = self.items[index]
        rest = self.items[:index] + self.items[index + 1 :]
        if not index:
            broken = _NEWLINE.search(self.opening)
            opening = _join_gaps(self.opening, item.gap, is_last=False) if broken else self.opening
            return replace(self, opening=opening, items=rest)
        gap = _join_gaps(self.items[index - 1].gap, item.gap, is_last=index == len(self.items) - 1)
        result = replace(self, items=rest)._with(index - 1, replace(self.items[index - 1], gap=gap))
        return result if self.trailing_comma else result.without_trailing_comma()

    def without_trailing_comma(self) -> Elements:
        """Return the list with no comma behind its last element."""
        last = self.items[-1]
        joined = replace(last, before_comma="", gap=_join_gaps(last.before_comma, last.gap, is_last=True))
        return replace(self, items=(*self.items[:-1], joined), trailing_comma=False)

    def on_one_line(self) -> Elements:
        """Return the list as ``a, b, c``."""
        return self._laid_out("", " ", "", trailing_comma=False)

    def on_own_line(self, outer: str, unit: str, newline: str) -> Elements:
        """Return the list with all elements on one line of their own, indented once more than ``outer``."""
        return self._laid_out(newline + outer + unit, " ", newline + outer, trailing_comma=False)

    def one_per_line(self, outer: str, unit: str, newline: str) -> Elements:
        """Return the list with each element on a line, indented once more than ``outer``, and a comma behind each."""
        gap = newline + outer + unit
        return self._laid_out(gap, gap, newline + outer, trailing_comma=True)

    def realigned(self, column: int, shift: int) -> Elements:
        """Return the list with the lines that begin at ``column``, under its first element, moved by ``shift``."""
        if _NEWLINE.search(self.opening):
            return self
        pattern = re.compile(rf"(\r\n|\r|\n)[ ]{{{column}}}(?=[^\s]|\Z)")

        def moved(text: str) -> str:
            return pattern.sub(lambda found: found.group(1) + " " * (column + shift), text)

        items = tuple(replace(item, gap=moved(item.gap)) for item in self.items)
        return replace(self, items=items)

    def _with(self, index: int, item: Element) -> Elements:
        return replace(self, items=(*self.items[:index], item, *self.items[index + 1 :]))

    def _laid_out(self, opening: str, gap: str, closing: str, *, trailing_comma: bool) -> Elements:
        items = [Element(code, gap=gap) for code in self.codes]
        items[-1] = replace(items[-1], gap=closing)
        return Elements(opening, tuple(items), trailing_comma)

    def _insert_one(self, index: int, code: str, newline: str) -> Elements:
        if not self.items:
            return replace(self, items=(Element(code),))
        if index == 0:
            opening, gap = _split_opening(self.opening, self._separator(0, newline))
            return replace(self, opening=opening, items=(Element(code, gap=gap), *self.items))
        separator = self._separator(index, newline)
        previous = self.items[index - 1]
        is_last = index == len(self.items)
        lead, gap = _split_gap(previous.gap, separator, is_last=is_last)
        before_comma = previous.before_comma if not is_last or self.trailing_comma else ""
        previous = Element(previous.code, before_comma, lead)
        items = (*self.items[: index - 1], previous, Element(code, gap=gap), *self.items[index:])
        return replace(self, items=items)

    def _separator(self, index: int, newline: str) -> str:
        """Return the gap, without comments, that the layout asks for in front of a new element at ``index``."""
        gaps = [self.opening, *(item.gap for item in self.items)]
        last = len(self.items)
        if last == 1:
            like = gaps[0]
            if index == 0 and not _NEWLINE.search(gaps[1]):
                like = ""
        elif index == 0:
            like = gaps[1]
        else:
            like = gaps[min(index, last - 1)]
        if "\\" in like and "#" not in like:
            return like
        if _NEWLINE.search(like):
            return newline + _NEWLINE.split(like)[-1]
        return " " if last == 1 or like.strip() else like


def read_elements(
    tree: Tree, opening: cst.CSTNode | None, nodes: Sequence[cst.CSTNode], closing: cst.CSTNode | None
) -> Elements:
    """Return the layout of ``nodes`` (arguments, elements, import aliases) between two pieces of white space."""
    items = [_read_element(tree, node) for node in nodes]
    if items and closing is not None:
        items[-1] = replace(items[-1], gap=items[-1].gap + tree.code(closing))
    trailing_comma = bool(nodes) and isinstance(_comma(nodes[-1]), cst.Comma)
    return Elements(tree.code(opening) if opening is not None else "", tuple(items), trailing_comma)


def _comma(node: cst.CSTNode) -> object:
    return getattr(node, "comma", None)


def _read_element(tree: Tree, node: cst.CSTNode) -> Element:
    comma = _comma(node)
    rest = ""
    bare = node.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if isinstance(bare, cst.Arg):
        rest = tree.code(bare.whitespace_after_arg)
        bare = bare.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
    if not isinstance(comma, cst.Comma):
        return Element(tree.code(bare), gap=rest)
    return Element(tree.code(bare), rest + tree.code(comma.whitespace_before), tree.code(comma.whitespace_after))


def _break(gap: str) -> tuple[str, str]:
    """Split ``gap`` in front of its first line end; a backslash there stands on both sides."""
    found = _NEWLINE.search(gap)
    if found is None:
        return gap, ""
    head = gap[: found.start()]
    return (head, gap) if head.rstrip().endswith("\\") and "#" not in head else (head, gap[found.start() :])


def _split_opening(opening: str, separator: str) -> tuple[str, str]:
    """Return what stands in front of and behind a new first element, of what stood in front of the old one."""
    head, rest = _break(opening)
    if not rest or not _NEWLINE.search(separator):
        return opening, separator
    return head + separator.lstrip(" \t\f\\"), rest


def _split_gap(gap: str, separator: str, *, is_last: bool) -> tuple[str, str]:
    """Return what stands in front of and behind a new element, of the gap that stood at its place."""
    if not _NEWLINE.search(separator):
        # The new element joins the line, in front of what may follow there.
        return separator, gap if is_last or "#" in gap else separator
    head, rest = _break(gap)
    if not rest:
        return separator, gap if is_last else separator
    lead = head + (separator if "\\" not in separator else separator.lstrip(" \t\f\\"))
    return lead, rest


def _join_gaps(lead: str, gap: str, *, is_last: bool) -> str:
    """Return the gap that is left where an element stood between ``lead`` and ``gap``."""
    breaks = list(_NEWLINE.finditer(lead))
    following = _NEWLINE.search(gap)
    if breaks and following:
        if "\\" in lead and "#" not in lead:
            return gap
        return lead[: breaks[-1].end()] + gap[following.end() :]
    if "#" in lead or (breaks and not is_last):
        return lead
    if following or is_last:
        return gap
    return lead
