"""Python in Markdown: which blocks, where findings are, and that nothing but the code of a block is changed."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from program import Program

from prepare_fix.errors import SourceError
from prepare_fix.sources.markdown import read_markdown
from prepare_fix.sources.text import Span


def codes(text: str) -> list[str]:
    """Return the code of each block."""
    page = read_markdown(text.encode(), "a.md")
    assert page.raw.decode() == text
    return [page.source.slice(block.span) for block in page.blocks]


# --- which blocks --------------------------------------------------------------------------------------------------

BLOCKS = [
    ("```python\na\n```\n", ["a\n"]),
    ("text\n\n```py\na\n\nb\n```\ntext\n~~~python3\nc\n~~~\n", ["a\n\nb\n", "c\n"]),
    ("````python\na\n```\nb\n````\n", ["a\n```\nb\n"]),
    ("```python\na\n`````\nb\n", ["a\n"]),
    ("```python\na\n~~~\nb", ["a\n~~~\nb"]),
    ("```python\na", ["a"]),
    ("```python\na\n``` no end\n```  \nb\n", ["a\n``` no end\n"]),
    ("   ```python\n   a\n  ```\nb\n", ["a\n"]),
    ("```python\nif a:\n    '''\n    ```\n    '''\n```\nb\n", ["if a:\n    '''\n    ```\n    '''\n"]),
    # what the language is called
    ("```Python title='a.py' {1,2}\na\n```\n", ["a\n"]),
    ("```python:a.py\na\n```\n", ["a\n"]),
    ("```{python}\na\n```\n", ["a\n"]),
    ("``` { .python .numberLines }\na\n```\n", ["a\n"]),
    ("```py3\na\n```\n", ["a\n"]),
    ("```\na\n```\n", []),
    ("```python-console\na\n```\n", []),
    ("```pycon\n>>> a\n```\n", []),
    ("```python2\na\n```\n", []),
    ("```bash\npython\n```\n", []),
    ("``` `python` ```\na\n", []),
    ("`` python\na\n``\n", []),
    ("text ```python\na\n```\n", []),
    ("```python\n```\n", []),
    ("```python\n\n  \n```\n", []),
    # a fence in another
    ("````markdown\n```python\na\n```\n````\n```python\nb\n```\n", ["b\n"]),
    ("```text\n~~~python\na\n~~~\n```\n", []),
    # comments
    ("<!--\n```python\na\n```\n-->\n```python\nb\n```\n", ["b\n"]),
    ("<!-- a -->\n```python\nb\n```\n", ["b\n"]),
    ("```python\na\n<!--\n```\n```python\nb\n```\n", ["a\n<!--\n", "b\n"]),
    # margins
    ("1. text\n\n   ```python\n   if a:\n       b\n\n   c\n   ```\n", ["if a:\n    b\n\nc\n"]),
    ('=== "PyTorch"\n\n    ```python\n    a\n    ```\n', ["a\n"]),
    ("- ```python\n  a\n  ```\n", ["a\n"]),
    ("12) ```python\n    a\n    ```\n", ["a\n"]),
    ("- ```python\na\n```\n", ["a\n"]),
    ("\t```python\n\ta\n\t\tb\n\t```\n", ["a\n\tb\n"]),
    ("  ```python\n a\n  b\n  ```\n", ["a\n b\n"]),
    ("> ```python\n> if a:\n>     b\n>\n> c\n> ```\n", ["if a:\n    b\n\nc\n"]),
    ("> ```python\n> a\n\ntext\n```python\nb\n```\n", ["a\n", "b\n"]),
    (">> ```python\n>> a\n>> ```\n", ["a\n"]),
    (">```python\n>a\n>```\n", ["a\n"]),
    # line ends
    ("```python\r\na\r\n```\r\n", ["a\r\n"]),
    ("```python\ra\r```\r", ["a\r"]),
    ("```python\na\x0cb\x85c\u2028d\n```\n", ["a\x0cb\x85c\u2028d\n"]),
]


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_blocks(text: str, expected: list[str]) -> None:
    assert codes(text) == expected
    assert codes("\ufeff" + text) == expected if text[0] != "\t" else True


parts = st.lists(
    st.sampled_from(
        ["```python\n", "```\n", "````\n", "~~~py\n", "~~~\n", "text\n", "\n", "x = 1\n", "  ```python\n", "   ```\n"]
    ),
    max_size=14,
)


@given(parts)
def test_a_parser_of_markdown_sees_the_same_blocks(parts: list[str]) -> None:
    text = "".join(parts)
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [token.content for token in tokens if token.type == "fence" and token.info.strip() in ("python", "py")]
    found = [re.sub(r"^ +", "", code, flags=re.MULTILINE) for code in codes(text)]
    blank = [re.sub(r"^ +", "", code, flags=re.MULTILINE) for code in expected if code.strip()]
    # At the very end the parser adds a line end of its own.
    assert [code.rstrip("\n") for code in found] == [code.rstrip("\n") for code in blank]


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(SourceError) as caught:
        read_markdown(b"# a\n```python\n\xff\n```\n", "a.md")
    assert (caught.value.kind, caught.value.line) == ("encoding", 3)


# --- changes -------------------------------------------------------------------------------------------------------

PLACES = {
    "plain": ("", ""),
    "in a list": ("   ", ""),
    "in a quotation": ("> ", ">"),
    "with tabs": ("\t", ""),
}
CHANGES = [
    # code, old, new, code after that
    ("a = 1\nb = 2\nc = 3\n", "2", "22"),
    ("a = 1\nb = 2\nc = 3\n", "b = 2\n", "b = 2\nbb = 2\n"),
    ("a = 1\nb = 2\nc = 3\n", "b = 2\n", ""),
    ("a = 1\nb = 2\nc = 3\n", "b = 2", "b = [\n    2,\n\n]"),
    ("a = 1\nb = 2\nc = 3\n", "a = 1\n", "x = 0\na = 1\n"),
    ("a = 1\nb = 2\nc = 3\n", "c = 3\n", ""),
    ("a = 1\nb = 2\nc = 3\n", "c = 3\n", "c = 3\nd = 4\n"),
    ("a = 1\nb = 2\nc = 3\n", "\nc = 3\n", "\nd = 4\n"),
    ("a = 1\nb = 2\nc = 3\n", "1\nb = ", ""),
    ("a = 1\n\nc = 3\n", "\nc", "\nb = 2\nc"),
    ("a = 1\n\nc = 3\n", "a = 1\n", ""),
    ("a = 1\n\nc = 3\n", "a = 1\n", "x = 1\n"),
    ("a = 1\n\nc = 3\n", "\n\n", "\n"),
    ("a = 1\n\nc = 3\n", "1\n\nc", "c"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("margin", "blank"), PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize(("code", "old", "new"), CHANGES)
def test_a_change_keeps_the_margin(code: str, old: str, new: str, margin: str, blank: str, newline: str) -> None:
    def page(code: str) -> str:
        lines = ["```python", *code.splitlines(), "```"]
        body = "".join(f"{margin}{line}\n" if line else f"{blank}\n" for line in lines)
        return f"# Title\n\n{body}\n\n```python\nz = 1\n```\n".replace("\n", newline)

    document = read_markdown(page(code).encode(), "a.md")
    old, new = old.replace("\n", newline), new.replace("\n", newline)
    start = document.source.text.index(old, document.blocks[0].span.start)
    after = document.replaced([(Span(start, start + len(old)), new)])
    changed = code.replace("\n", newline).replace(old, new, 1)
    assert after.raw.decode() == page(changed.replace(newline, "\n"))


def test_lines_can_be_put_at_both_ends_of_a_block() -> None:
    text = "- text\n\n  ```python\n  a\n  ```\n"
    document = read_markdown(text.encode(), "a.md")
    (block,) = document.blocks
    span = Span(block.span.end, block.span.end)
    assert document.replaced([(span, "b\n")]).raw.decode() == "- text\n\n  ```python\n  a\n  b\n  ```\n"
    span = Span(block.span.start, block.span.start)
    assert document.replaced([(span, "b\n")]).raw.decode() == "- text\n\n  ```python\n  b\n  a\n  ```\n"


def test_no_change_reaches_out_of_a_block() -> None:
    document = read_markdown(b"text\n```python\na\n```\n\n```python\nb\n```\n", "a.md")
    first, second = document.blocks
    for span in (Span(first.span.start - 1, first.span.end), Span(first.span.start, second.span.end), Span(0, 0)):
        with pytest.raises(SourceError, match="border of a block") as caught:
            document.replaced([(span, "x\n")])
        assert caught.value.kind == "refused"


def test_no_change_ends_its_block() -> None:
    document = read_markdown(b"```python\na\nb\n```\n", "a.md")
    start = document.blocks[0].span.start
    with pytest.raises(SourceError, match="where the block of code ends"):
        document.replaced([(Span(start, start + 2), "'''\n```\n'''\n")])


text_of_code = st.text(alphabet="ab\n =#(", max_size=14)


@given(text_of_code, st.data(), st.sampled_from(list(PLACES.values())))
def test_any_change_in_a_block(code: str, data: st.DataObject, place: tuple[str, str]) -> None:
    margin, blank = place
    lines = [f"{margin}{line}" if line else blank for line in f"x\n{code}".split("\n")]
    raw = "\n".join(["text", f"{margin}```py", *lines, f"{margin}```", "text", ""]).encode()
    document = read_markdown(raw, "a.md")
    (block,) = document.blocks
    # The line with "x" stays, or the block could become one without a line.
    start = data.draw(st.integers(block.span.start + 1, block.span.end))
    end = data.draw(st.integers(start, block.span.end))
    new = data.draw(text_of_code)
    expected = document.source.text[:start] + new + document.source.text[end:]
    try:
        after = document.replaced([(Span(start, end), new)])
    except SourceError as error:
        # Without its last line end the block runs into its fence.
        assert "where the block of code ends" in error.message
        assert not expected[: end + len(new) - (end - start)].endswith("\n") or end == block.span.end
        return
    assert after.source.text == expected
    assert after.raw.startswith(b"text\n" + margin.encode() + b"```py\n")
    assert after.raw.endswith(b"```\ntext\n")


# --- the program ---------------------------------------------------------------------------------------------------

PAGE = """\
# A page about accelerate and what to prepare

```python
import accelerate  # .prepare
x = safe
```

1. A list:

   ```python
   if accelerate:  # .prepare
       y = safe, unsafe
   ```

A block that leaves things out, one of another kind, and one that needs nothing:

```python
accelerate.prepare(...
```

```bash
accelerate prepare safe
```

```python
x = (safe
```
"""


def test_blocks_are_checked_as_programs_of_their_own(program: Program) -> None:
    Path("a.md").write_text(PAGE)
    done = program("check", "a.md", "--output-format", "concise")
    assert done.status == 1
    assert done.out.splitlines() == [
        "a.md:5:5: PF301 [*] `safe` is found",
        "a.md:12:12: PF301 [*] `safe` is found",
        "a.md:12:18: PF301 [!] `unsafe` is found",
        "Found 3 findings in 1 file checked, 1 block of Markdown that can't be parsed skipped: 2 fixable with "
        "`prepare-fix fix`, 1 more with `--unsafe-fixes`",
    ]
    assert done.err == ""
    assert "  12 ○  y = safe, unsafe\n            ^^^^  " in program("check", "a.md").out


def test_markdown_is_read_where_it_is_asked_for(program: Program) -> None:
    Path("a.md").write_text(PAGE)
    Path("d").mkdir()
    Path("d/b.mdx").write_text(PAGE)
    assert program("check").out == "0 files checked, no findings\n"
    Path("E.MD").write_text(PAGE)
    assert "in 1 file checked, 1 block" in program("check", "E.MD").out
    assert "in 1 file checked" in program("check", "--extend-include", "*.md").out
    assert "in 2 files checked" in program("check", "--extend-include", "*.md,*.mdx").out
    done = program("check", "-", "--stdin-filename", "c.md", "-q", "--output-format", "concise", stdin=PAGE.encode())
    assert done.out.startswith("c.md:5:5: ")


def test_a_fix_changes_the_code_and_nothing_else(program: Program) -> None:
    raw = b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode()
    Path("a.md").write_bytes(raw)
    patch = program("diff", "a.md", "--unsafe-fixes", "-q").out.encode()
    done = program("fix", "a.md", "--unsafe-fixes")
    assert (done.status, done.err) == (
        0,
        "Fixed 3 findings in 1 file, 1 block of Markdown that can't be parsed skipped\n",
    )
    fixed = Path("a.md").read_bytes()
    assert fixed == raw.replace(b"x = safe\r", b"x = good\r").replace(b"safe, unsafe", b"good, good")
    assert program("fix", "a.md", "--unsafe-fixes").err.startswith("1 file checked, 1 block of Markdown")
    assert Path("a.md").read_bytes() == fixed
    Path("a.md").write_bytes(raw)
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert Path("a.md").read_bytes() == fixed
    assert program("undo").status == 0


def test_json_speaks_of_the_file(program: Program) -> None:
    Path("a.md").write_text(PAGE)
    report = json.loads(program("check", "a.md", "--output-format", "json").out)
    assert report["summary"]["skipped_blocks"] == 1
    finding = report["findings"][1]
    assert (finding["line"], finding["column"], finding["end_column"]) == (12, 12, 16)
    assert finding["fix"]["edits"] == [
        {"cell": None, "line": 12, "column": 12, "end_line": 12, "end_column": 16, "new_text": "good"}
    ]


def test_a_fix_that_breaks_a_block_is_none(program: Program) -> None:
    Path("a.md").write_text("```python\nimport accelerate  # .prepare\nx = breaks\n```\n")
    assert "no fix: the repaired source could not be parsed" in program("check", "a.md").out


def test_comments_speak_of_their_block(program: Program) -> None:
    block = "```python\n{head}import accelerate  # .prepare\nx = safe\n```\n"
    Path("a.md").write_text(
        block.format(head="# prepare-fix: skip-file\n")
        + block.format(head="")
        + block.format(head="# prepare-fix: ignore-file[PF3]\n")
    )
    done = program("check", "a.md", "-q", "--output-format", "concise")
    assert done.out.splitlines() == ["a.md:8:5: PF301 [*] `safe` is found"]
    assert program("check", "--add-ignores", "a.md").status == 0
    assert Path("a.md").read_text().splitlines()[7] == "x = safe  # prepare-fix: ignore[PF301]"
    Path("b.md").write_text("```python\nx = 1  # prepare-fix: ignore[PF301]\n```\naccelerate prepare\n")
    assert program("check", "b.md").status == 0, "a block that does not mention accelerate is not looked into"


@pytest.mark.parametrize("text", ["accelerate prepare\n", "```python\naccelerate(\n```\nprepare\n", ""])
def test_a_page_without_programs_is_fine(program: Program, text: str) -> None:
    Path("a.md").write_text(text)
    assert program("check", "a.md").out == "1 file checked, no findings\n"
    assert program("fix", "a.md").status == 0
