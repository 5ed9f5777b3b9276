"""``--output-format html``: one file with all there is to tell, whatever the sources hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import fakes
import pytest
from program import Program
from shapes import GOLDEN, SHAPES

from prepare_fix.findings import FileResult
from prepare_fix.pipeline import bundle_document, do_bytes
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.html.code import find_marks, highlight, render_line
from prepare_fix.reporting.html.overview import count_folders, count_rules, count_statuses, outer_folders
from prepare_fix.reporting.html.patches import tell_patches
from prepare_fix.reporting.html.prose import render_prose, render_sentence, render_text
from prepare_fix.reporting.html.tracks import draw_tracks
from prepare_fix.reporting.html_report import render_html
from prepare_fix.rules import discover
from prepare_fix.settings import Settings
from prepare_fix.sources.document import read_document
from prepare_fix.sources.text import Span

VOID = {"meta", "link", "input", "col", "rect", "line", "use", "circle", "path"}
EVIL = """\
</script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}{% raw %}<!--" onclick='alert(3)' &amp;"""


class Page(HTMLParser):
    """A page as a browser takes it: each element with its attributes and the text in it, checked to be well-formed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._open: list[tuple[str, list[str]]] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        text: list[str] = []
        self.elements.append((tag, dict(attrs), text))
        if tag not in VOID:
            self._open.append((tag, text))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for _, text in self._open:
            text.append(data)

    def text(self, tag: str, **wanted: str) -> list[str]:
        """Return what stands in the elements of that name and with these attributes."""
        return [
            " ".join("".join(text).split())
            for name, attributes, text in self.elements
            if name == tag and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]

    def data(self) -> Any:
        """Return what the page knows of patches."""
        return json.loads("".join(next(text for _, found, text in self.elements if found.get("id") == "patches")))

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes, _ in self.elements if name == tag]


def report(*results: FileResult, **others: Any) -> str:
    return render_html(Report(results, discover, **others))


def checked(source: bytes, path: str = "a.py") -> FileResult:
    return do_bytes(source, path, Settings(), bundle_document)


def golden(case: str, shape: str = "a.py", path: str | None = None) -> FileResult:
    return checked(SHAPES[shape]((GOLDEN / case / "before.py").read_bytes().decode()), path or shape)


STEPS = "pf101_model_without_optimizer/argparse_text_classifier"
STALE = "pf301_stale_object/prepared_names_never_used"
BY_HAND = "pf602_collective_on_one_process"


def test_a_page_tells_all_of_a_finding() -> None:
    result = golden(STEPS, path="examples/train.py")
    (finding,) = result.findings
    page = Page(report(result, folder="/home/me/project"))
    assert page.text("title")[:1] == ["prepare-fix: 1 finding in project"]
    assert page.text("h1") == ["1 finding in 1 file"]
    assert page.text("h3")[0] == "examples/train.py 1"
    (article,) = page.attributes("article")
    assert (article["data-rule"], article["data-status"], article["data-folder"]) == ("PF101", "fixable", "examples")
    (told,) = page.text("article")
    plain = finding.story.replace("`", "")
    for part in (plain[1:], finding.consequence.replace("`", "")[1:], finding.fix.title.replace("`", "")):
        assert part in told
    assert "safe fix" in told
    words = page.text("span", class_="words")
    assert words == ["model is created", "optimizer is created", "model is prepared", "unprepared optimizer steps"]
    assert page.text("del") == ["model, train_dl, test_dl = accelerator.prepare(model, train_dl, test_dl)"]
    assert page.text("ins")[0].startswith("model, optimizer, train_dl, test_dl")
    assert page.text("mark") == [", optimizer", "optimizer,"]
    (rule,) = (text for text in page.text("details") if "model-without-optimizer" in text and "Source" in text)
    assert "To silence it" not in rule
    assert f"#{article['id']}" in [link["href"] for link in page.attributes("a")]
    assert "#rule-PF101" in [link["href"] for link in page.attributes("a")]


def test_an_object_is_drawn_raw_up_to_its_prepare_call_and_prepared_from_there() -> None:
    result = golden(STEPS)
    (finding,) = result.findings
    tracks = draw_tracks(read_document(result.before, "a.py").source, finding)
    assert tracks.forms == ("raw", "prepared")
    assert [row.state for row in tracks.rows] == [
        "model: unprepared",
        "model: unprepared; optimizer: unprepared",
        "model: unprepared and prepared; optimizer: unprepared",
        "model: prepared; optimizer: unprepared",
    ]
    assert [[(mark.shape, mark.form) for mark in row.glyphs] for row in tracks.rows] == [
        [("created", "raw")],
        [("created", "raw")],
        [("prepared", "prepared")],
        [("used", "raw")],
    ]
    assert [row.is_fault for row in tracks.rows].count(True) == 1
    for row in tracks.rows:
        assert len({(line.form, line.x) for line in row.lines}) == len(row.lines)


@pytest.mark.parametrize("shape", SHAPES)
def test_all_golden_findings_make_one_well_formed_page(shape: str) -> None:
    results = []
    for case in sorted(GOLDEN.glob("pf*/*/before.py"))[::4]:
        path = f"{case.parent.parent.name}/{case.parent.name}/{shape}"
        results.append(checked(SHAPES[shape](case.read_bytes().decode()), path))
    text = report(*results)
    page = Page(text)
    findings = [finding for result in results for finding in result.findings]
    assert text.isascii()
    assert len(page.attributes("article")) == len(findings)
    identifiers = [found["id"] for _, found, _ in page.elements if "id" in found]
    assert len(identifiers) == len(set(identifiers))
    links = {link["href"] for link in page.attributes("a")}
    assert {link for link in links if link} <= {f"#{name}" for name in identifiers}
    boxes = [box for box in page.attributes("input") if "data-fix" in box]
    assert len(boxes) == sum(finding.fix is not None for finding in findings)
    assert all("style" not in found and not any(key.startswith("on") for key in found) for _, found, _ in page.elements)


def test_nothing_in_a_source_becomes_a_part_of_the_page() -> None:
    source = (
        (GOLDEN / STEPS / "before.py")
        .read_text()
        .replace("\n    model, train_dl", f"\n    # {EVIL}\n    model, train_dl")
    )
    result = checked(source.encode(), f"{EVIL}/a.py")
    text = report(result)
    page = Page(text)
    assert text.count("<script") == 2
    assert page.attributes("img") == []
    assert any("{{ 7 * 7 }}{% raw %}" in line for line in page.text("td"))
    assert page.text("h3")[0] == f"{EVIL}/a.py 1"
    (told,) = tell_patches([result])
    assert page.data() == json.loads(json.dumps([told]))


def test_the_policy_allows_what_the_page_holds_and_nothing_else() -> None:
    text = report(golden(STEPS))
    policy = Page(text).attributes("meta")[1]["content"] or ""
    assert policy.startswith("default-src 'none'; ")
    for element in ("style", "script"):
        (content,) = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert "://" not in text


def test_no_findings(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    done = program("check", "--output-format", "html")
    page = Page(done.out)
    assert (done.status, done.err) == (0, "")
    assert page.text("h1") == ["No findings"]
    assert page.text("p", class_="checked") == ["1 file checked."]
    assert page.text("h2") == []


def test_files_in_error_are_listed(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = (\n")
    Path("b\n<b>.py").write_bytes(f"# coding: nonsense\n{fakes.NEEDLES}".encode())
    done = program("check", "--output-format", "html", "--output-file", "report.html")
    assert (done.status, done.out) == (2, "")
    page = Page(Path("report.html").read_text())
    assert page.text("p", class_="checked") == ["0 files checked, 2 files in error."]
    assert page.text("th", scope="row") == ["a.py, line 2", "b\\n<b>.py, line 1"]
    assert "syntax" in page.text("td")


def test_a_baseline_and_counts_beside_the_page(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    program("check", "--write-baseline", "known.json")
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe, safe_new\n")
    done = program("check", "--output-format", "html", "--baseline", "known.json", "--statistics")
    page = Page(done.out)
    assert page.text("p", class_="checked") == ["1 file checked, 1 finding of the baseline not shown."]
    assert page.text("h1") == ["1 finding in 1 file"]
    assert done.err == "1  PF301 [*] stale-object  1 safe\n1 finding of the baseline left out\n"


def test_standard_input(program: Program) -> None:
    done = program("check", "--output-format", "html", "-", stdin=f"{fakes.NEEDLES}x = safe\n".encode())
    assert Page(done.out).text("h3")[0] == "<stdin> 1"


def test_what_a_fix_mends_as_well_and_what_is_chosen_together_is_said() -> None:
    text = report(golden(STALE))
    result = golden(STALE)
    shared = [fix for bundle in result.bundles for fix in bundle.fixes if len(fix) > 1]
    assert ("as well." in text) is bool(shared)


def test_fixes_that_can_not_be_parted_say_so(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe_a, safe_b, safe_c, safe_d\n")
    page = Page(program("check", "--output-format", "html").out)
    assert len([text for text in page.text("p") if text.endswith("they are chosen together.")]) == 4
    (patch,) = page.data()
    assert [(bundle["fixes"], bundle["bound"]) for bundle in patch["bundles"]] == [(4, True)]


def test_anchors_stay_while_lines_come_and_go() -> None:
    def anchors(result: FileResult) -> list[str | None]:
        return [found["id"] for found in Page(report(result)).attributes("article")]

    source = (GOLDEN / STALE / "before.py").read_bytes()
    before, moved = anchors(checked(source)), anchors(checked(b"# one line more\n" + source))
    assert before == moved
    assert len(set(before)) == len(before) > 1
    assert set(before).isdisjoint(anchors(checked(source, "b.py")))


def test_only_lines_that_a_patch_can_need_are_embedded() -> None:
    source = (GOLDEN / STEPS / "before.py").read_bytes() + b"# secret\n" * 50
    result = checked(source)
    (told,) = tell_patches([result])
    assert "secret" not in json.dumps(told)
    ((first, *lines),) = told["pieces"]
    assert len(lines) == 7
    assert source.splitlines(keepends=True)[first : first + 7] == [line.encode("latin-1") for line in lines]


def test_lines_between_near_changes_are_embedded() -> None:
    lines = [f"line = {number}\n" for number in range(40)]
    text = f"{fakes.NEEDLES}{''.join(lines)}"
    with pytest.MonkeyPatch.context() as patch:
        fakes.install(patch)
        for near, pieces in ((6, 1), (7, 2)):
            spoiled = text.replace("line = 10\n", "line = safe_a\n").replace(f"line = {11 + near}\n", "line = safe_b\n")
            (told,) = tell_patches([checked(spoiled.encode())])
            assert len(told["pieces"]) == pieces


def test_overview_counts() -> None:
    results = [golden(STEPS, path="one/a.py"), golden(STALE, path="one/two/b.py"), golden(STALE, path="c.py")]
    total = count_statuses(results)
    number = sum(len(result.findings) for result in results)
    assert total.number == sum(total.statuses.values()) == number
    assert sum(part.length for part in total.bar) == pytest.approx(100)
    assert [count.number for count in count_rules(results)] == sorted(
        (count.number for count in count_rules(results)), reverse=True
    )
    folders = {count.key: count.number for count in count_folders(results)}
    assert folders == {"one": 1, "one/two": len(results[1].findings), ".": len(results[2].findings)}
    assert outer_folders(folders) == [".", "one", "one/two"]
    assert count_statuses([]).number == 0


def test_code_is_coloured_and_loses_nothing() -> None:
    lines = [
        "@decorated",
        "def f(x):  # why",
        "",
        "    return 'a' + \"<&>\" if not x else 1.5",
        "\tclass C: pass",
        "s = '''",
        "in it",
        "'''",
        "",
    ]
    pieces = highlight(lines)
    assert ["".join(text for _, text in line) for line in pieces] == lines
    assert pieces[0][0] == ("d", "@decorated")
    assert ("f", "f") in pieces[1] and ("c", "# why") in pieces[1]
    assert pieces[6] == [("s", "in it")]
    assert highlight([]) == []
    assert render_line([("s", "'<'"), ("", " & ")], [Span(1, 5)]) == (
        '<span class="s">&#39;</span><mark><span class="s">&lt;&#39;</span></mark><mark> &amp;</mark> '
    )


def test_marks_are_the_words_that_change() -> None:
    assert find_marks("f(a, b)", "f(a, c, b)") == ([], [Span(5, 8)])
    assert find_marks("a = 1", "something(quite, different)") == ([], [])


def test_prose() -> None:
    assert render_prose("``a`` and `<b>` & c") == "<code>a</code> and <code>&lt;b&gt;</code> &amp; c"
    assert render_sentence("the `a` is.") == "The <code>a</code> is."
    assert render_sentence("`a` is") == "<code>a</code> is."
    assert render_sentence("") == ""
    text = render_text("One\nparagraph.\n\nAnother:\n\n```python\nx = 1\n```\n")
    assert text == '<p>One\nparagraph.</p><p>Another:</p><pre><code>x = <span class="m">1</span></code></pre>'
