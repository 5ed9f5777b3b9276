"""Positions and edits of the language server, against another way to count them; any text, in each unit."""

from __future__ import annotations

import pytest
from editor import apply
from hypothesis import assume, given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from prepare_fix.server.documents import Text
from prepare_fix.server.places import Places, find_changed_lines
from prepare_fix.server.protocol import LineTrueDocument
from prepare_fix.sources.text import SourceText, Span

# Line ends, what only looks like one, and characters of one to four bytes.
TEXTS = st.text(st.sampled_from("ab\n\r\f\x1c\u2028\té\N{SNOWMAN}\N{SNAKE}"), max_size=20)
each_encoding = pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])


def places(text: Text, encoding: str) -> Places:
    codec = PositionCodec(types.PositionEncodingKind(encoding))
    return Places([text], [0], codec.client_num_units)


@each_encoding
@given(before=TEXTS, new=TEXTS, data=st.data())
def test_a_change_is_made_where_the_editor_makes_it(encoding: str, before: str, new: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    # No position lies within a line end.
    assume(not any(before[offset - 1 : offset + 1] == "\r\n" for offset in (start, end)))
    text = Text("file:///a.py", 1, SourceText(before))
    changed = places(text, encoding).range_in(text, Span(start, end))
    expected = before[:start] + new + before[end:]
    assert apply(before, [types.TextEdit(changed, new)], encoding) == expected
    codec = PositionCodec(types.PositionEncodingKind(encoding))
    document = LineTrueDocument(text.uri, before, 1, "python", position_codec=codec)
    document.apply_change(types.TextDocumentContentChangePartial(changed, new))
    assert document.source == expected


@each_encoding
@given(before=TEXTS, after=TEXTS)
def test_changed_lines_make_the_other_text(encoding: str, before: str, after: str) -> None:
    text = Text("file:///a.py", 1, SourceText(before))
    changes = find_changed_lines(text.source, SourceText(after))
    edit = places(text, encoding).build_edit({0: changes}, is_versioned=False)
    assert edit.changes is not None
    assert apply(before, edit.changes[text.uri], encoding) == after
