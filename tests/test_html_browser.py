"""The HTML report in a browser: it opens, filters, and writes patches that give what the chosen fixes give."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import fakes
import pytest
from program import Program
from shapes import GOLDEN, SHAPES

from prepare_fix.findings import FileResult
from prepare_fix.pipeline import bundle_document, do_bytes, fix_document
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.html_report import render_html
from prepare_fix.rules import discover
from prepare_fix.settings import Settings
from prepare_fix.sources.document import read_document

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="Chromium or its driver is not installed")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")

ALL = Settings(unsafe_fixes=True)
PATCH = "prepare-fix.patch"
HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>{{ 7 * 7 }}<!--"
CASES = [
    "pf101_model_without_optimizer/argparse_text_classifier",
    "pf301_stale_object/prepared_names_never_used",
    "pf406_clip_every_micro_batch/by_torch",
    "pf501_attribute_through_wrapper/two_reads_in_one_statement",
]


class Browser:
    """A page in Chromium, worked through what a reader has: keys, and elements to click."""

    def __init__(self, driver: Any, downloads: Path) -> None:
        self._driver = driver
        self._downloads = downloads

    def open(self, page: Path, fragment: str = "") -> None:
        self._driver.get("about:blank")
        self._driver.get(page.as_uri() + fragment)

    def run(self, script: str, *arguments: object) -> Any:
        return self._driver.execute_script(script, *arguments)

    def click(self, selector: str, index: int = 0) -> None:
        self.run("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, index)

    def press(self, keys: str) -> None:
        webdriver.ActionChains(self._driver).send_keys(keys).perform()

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def shown(self) -> int:
        return self.run("return document.querySelectorAll('section:not([hidden]) > .finding:not([hidden])').length")

    def wait(self, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not is_so():
            assert time.monotonic() < end
            time.sleep(0.05)

    def complaints(self) -> list[Any]:
        return self._driver.get_log("browser")

    def media(self, **features: str) -> None:
        told = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": told})

    def download(self) -> bytes:
        """Return the patch that the page writes."""
        target = self._downloads / PATCH
        target.unlink(missing_ok=True)
        self.click("#download")
        self.wait(target.exists)
        return target.read_bytes()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Path]]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1280,1000"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chromium = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    downloads = tmp_path_factory.mktemp("downloads")
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    yield chromium, downloads
    chromium.quit()


@pytest.fixture
def browser(driver: tuple[Any, Path]) -> Iterator[Browser]:
    page = Browser(*driver)
    page.complaints()
    yield page
    assert page.complaints() == []


def write_report(tree: Path, files: dict[str, bytes]) -> tuple[Path, list[FileResult]]:
    """Write files, and a report of them beside their tree."""
    results = []
    for name, raw in sorted(files.items()):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
        results.append(look_at(raw, name))
    page = tree.parent / "report.html"
    page.write_text(render_html(Report(results, discover)), encoding="utf-8")
    return page, results


@cache
def look_at(raw: bytes, name: str) -> FileResult:
    return do_bytes(raw, name, Settings(), bundle_document)


@cache
def fixed(raw: bytes, name: str, settings: Settings) -> bytes:
    """Return what ``fix`` makes of a file."""
    after = do_bytes(raw, name, settings, fix_document).after
    return raw if after is None else after


def golden(case: str, shape: str = "a.py") -> bytes:
    return SHAPES[shape]((GOLDEN / case / "before.py").read_bytes().decode())


def several() -> dict[str, bytes]:
    """Return files of all kinds, under names of all kinds."""
    files = {f"{number}/{shape}": golden(case, shape) for number, case in enumerate(CASES) for shape in SHAPES}
    source = golden(CASES[0])
    files["with blank.py"] = source
    files['caf\N{LATIN SMALL LETTER E WITH ACUTE} "quoted".py'] = source.rstrip(b"\n")
    files["latin.py"] = b"# coding: latin-1\n" + source.replace(
        b"    model, train_dl", b"    # \xe9\xff\n    model, train_dl"
    )
    return files


def apply(command: list[str], tree: Path, patch: bytes) -> None:
    done = subprocess.run(command, cwd=tree, input=patch, capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")


GIT = pytest.param(["git", "apply", "-"], marks=needs_git, id="git")
PATCH_P1 = pytest.param(["patch", "-p1"], marks=needs_patch, id="patch")


@pytest.mark.parametrize("command", [GIT, PATCH_P1])
def test_the_patch_of_all_fixes_gives_what_fix_gives(browser: Browser, tmp_path: Path, command: list[str]) -> None:
    files = several()
    page, _ = write_report(tmp_path / "tree", files)
    browser.open(page)
    browser.run("document.querySelectorAll('[data-fix]').forEach((box) => box.checked || box.click())")
    apply(command, tmp_path / "tree", browser.download())
    for name, raw in files.items():
        assert (tmp_path / "tree" / name).read_bytes() == fixed(raw, name, ALL), name


@needs_git
def test_the_patch_of_the_safe_fixes_gives_what_fix_gives(browser: Browser, tmp_path: Path) -> None:
    files = several()
    page, _ = write_report(tmp_path / "tree", files)
    browser.open(page)
    browser.click("#choose")
    apply(["git", "apply", "-"], tmp_path / "tree", browser.download())
    for name, raw in files.items():
        assert (tmp_path / "tree" / name).read_bytes() == fixed(raw, name, Settings()), name


@needs_git
@pytest.mark.parametrize("step", [2, 3, 5])
def test_the_patch_of_some_fixes_gives_what_these_give(browser: Browser, tmp_path: Path, step: int) -> None:
    files = several()
    page, results = write_report(tmp_path / "tree", files)
    browser.open(page)
    count = browser.run("return document.querySelectorAll('[data-fix]').length")
    # A box that is checked already has its fix in common with one before it.
    browser.run(
        "[...document.querySelectorAll('[data-fix]')].filter((box, index) => index % arguments[0] === 0)"
        ".forEach((box) => box.checked || box.click())",
        step,
    )
    apply(["git", "apply", "-"], tmp_path / "tree", browser.download())
    findings = [(result, finding) for result in results for finding in result.findings if finding.fix]
    assert len(findings) == count
    for result in results:
        chosen = {
            edit for one, finding in findings[::step] if one is result and finding.fix for edit in finding.fix.edits
        }
        changes = [(edit.span, edit.new) for edit in sorted(chosen)]
        expected = read_document(result.before, result.path).replaced(changes).raw
        assert (tmp_path / "tree" / result.path).read_bytes() == expected, result.path


@needs_git
def test_fixes_that_overlap(browser: Browser, program: Program, tmp_path: Path) -> None:
    filler = "y = 0\n" * 6
    source = f"{fakes.NEEDLES}a = 1-wide_a-wide_b-1\n{filler}b = safe_a, safe_b, safe_c, safe_d, 1"
    for chosen, first, last in (
        ([0], "a = 1+good+wide_b-1", "b = safe_a, safe_b, safe_c, safe_d, 1"),
        ([0, 1], "a = 1+good+good+1", "b = safe_a, safe_b, safe_c, safe_d, 1"),
        ([1, 3], "a = 1-wide_a+good+1", "b = good, good, good, good, 1"),
        # To drop one of them drops all.
        ([0, 2, 4], "a = 1+good+wide_b-1", "b = safe_a, safe_b, safe_c, safe_d, 1"),
    ):
        Path("a.py").write_text(source)
        program("check", "--output-format", "html", "--output-file", "report.html")
        browser.open(tmp_path / "report.html")
        for index in chosen:
            browser.click("[data-fix]", index)
        apply(["git", "apply", "-"], tmp_path, browser.download())
        assert Path("a.py").read_text() == f"{fakes.NEEDLES}{first}\n{filler}{last}"


def test_nothing_in_a_source_runs(browser: Browser, tmp_path: Path) -> None:
    source = golden(CASES[0]).replace(b"    model, train_dl", f"    # {HOSTILE}\n    model, train_dl".encode(), 1)
    page, _ = write_report(tmp_path / "tree", {f"{HOSTILE.replace('/', '')}/a.py": source})
    browser.open(page)
    browser.click("#open")
    assert browser.run("return window.broken") is None
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert HOSTILE in browser.text("table.diff")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    files = {f"one/{number}.py": golden(case) for number, case in enumerate(CASES)}
    return write_report(tmp_path / "tree", {**files, "two/three/x.py": golden(CASES[1])})[0]


def test_filters(browser: Browser, page: Path) -> None:
    browser.open(page)
    everything = browser.shown()
    assert browser.text("#shown") == f"{everything} of {everything} shown"
    assert not browser.run("return document.getElementById('clear').checkVisibility()")
    choose = (
        "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
    )
    browser.run(choose, "rule", "PF301")
    stale = browser.shown()
    assert 0 < stale < everything
    browser.run(choose, "folder", "two")
    assert browser.shown() == stale / 2
    browser.run(choose, "rule", "PF101")
    assert browser.shown() == 0
    assert browser.run("return document.getElementById('nothing').checkVisibility()")
    browser.click("#clear")
    assert browser.shown() == everything
    browser.click("button.filter[data-value='PF101']")
    assert browser.shown() == 1
    assert browser.run("return document.querySelector('[aria-pressed=true]').dataset.value") == "PF101"
    browser.click("button.filter[data-value='PF101']")
    assert browser.shown() == everything


def test_search_and_keys(browser: Browser, page: Path) -> None:
    browser.open(page)
    everything = browser.shown()
    browser.press("/")
    browser.press("two/three jkx")
    browser.wait(lambda: browser.shown() == 0)
    browser.run("document.getElementById('search').value = ''")
    browser.press("two/THREE")
    browser.wait(lambda: 0 < browser.shown() < everything)
    browser.press(webdriver.Keys.ESCAPE)
    browser.press("j")
    assert browser.run("return document.activeElement.closest('.file').ariaLabel") == "two/three/x.py"
    browser.press("x")
    assert browser.text("#chosen") == "1 fix in 1 file chosen"
    browser.press(webdriver.Keys.ENTER)
    assert browser.run("return document.activeElement.parentElement.open")
    first = browser.run("return document.activeElement.closest('.finding').id")
    browser.press("j")
    browser.press("k")
    assert browser.run("return document.activeElement.closest('.finding').id") == first
    browser.click("#keys")
    browser.run("document.querySelector('.finding:not([hidden]) summary').focus()")
    browser.press("x")
    assert browser.text("#chosen") == "1 fix in 1 file chosen"


def test_a_link_opens_its_finding(browser: Browser, page: Path) -> None:
    browser.open(page)
    anchor = browser.run("return [...document.querySelectorAll('.finding')].at(-1).id")
    browser.open(page, f"#{anchor}")
    assert browser.run("return document.getElementById(arguments[0]).querySelector('details').open", anchor)
    browser.run("location.hash = 'rule-PF301'")
    browser.wait(lambda: browser.run("return document.getElementById('rule-PF301').open"))


def test_the_page_fits_a_narrow_screen_and_follows_the_theme(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#open")
    ground = "return getComputedStyle(document.body).backgroundColor"
    browser.media(prefers_color_scheme="dark")
    assert browser.run(ground) == "rgb(22, 24, 27)"
    browser.click("#theme")
    assert browser.run(ground) == "rgb(255, 255, 255)"
    browser.media()
    wide = "return [document.documentElement.scrollWidth, innerWidth]"
    browser._driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": True}
    )
    assert browser.run(wide) == [360, 360]
    browser._driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


CONTRAST = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => sum + part * linear(colour[i] / 255), 0.05);
const isClear = (colour) => colour.length === 4 && colour[3] === 0;
const ground = (element) => {
  const colour = parse(getComputedStyle(element).backgroundColor);
  return isClear(colour) ? ground(element.parentElement) : colour;
};
const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
const poor = new Set();
for (const element of document.querySelectorAll("body *:not(svg *)")) {
  if (!hasText(element) || !element.checkVisibility()) continue;
  const one = light(parse(getComputedStyle(element).color));
  const other = light(ground(element));
  const contrast = Math.max(one, other) / Math.min(one, other);
  if (contrast < 4.5) poor.add(`${element.tagName}.${element.className}: ${contrast.toFixed(2)}`);
}
return [...poor];
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_has_enough_contrast(browser: Browser, page: Path, theme: str) -> None:
    browser.media(prefers_color_scheme=theme)
    browser.open(page)
    browser.click("#open")
    browser.click("#choose")
    browser.run("document.querySelectorAll('details').forEach((found) => { found.open = true; })")
    assert browser.run(CONTRAST) == []


def test_without_findings(browser: Browser, tmp_path: Path) -> None:
    page, _ = write_report(tmp_path / "tree", {"a.py": b"x = 1\n"})
    browser.open(page)
    assert browser.text("h1") == "No findings"


def test_many_findings_open_fast(browser: Browser, tmp_path: Path) -> None:
    files = {f"folder{number % 20}/{number}.py": golden(CASES[number % len(CASES)]) for number in range(80)}
    page, results = write_report(tmp_path / "tree", files)
    number = sum(len(result.findings) for result in results)
    assert page.stat().st_size < 12_000 * number + 100_000
    browser.open(page)
    assert browser.shown() == number
