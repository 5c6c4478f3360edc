"""The report of a run in a browser: it reads well, runs nothing of what documents say, and asks nothing of anywhere."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pipelines.report.report import write_report
from tests.browser.conftest import Opened
from tests.pipelines.report.hostile_run import hostile_run

pytestmark = pytest.mark.slow
CHECKS = (Path(__file__).parent / "checks.js").read_text()


@pytest.fixture(scope="module")
def ordinary(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(str(finished_run / "run"), str(path))
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(write_report(str(hostile_run(tmp_path_factory.mktemp("hostile")))))


def open_all(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_it_reads_well(visited: Opened, ordinary: Path, tmp_path: Path, width: int, dark: bool) -> None:
    with visited(ordinary, width=width, dark=dark) as page:
        assert page.evaluate(CHECKS) == []
        open_all(page)
        assert page.evaluate(CHECKS) == []
        page.screenshot(path=tmp_path / "report.png")
    assert (tmp_path / "report.png").stat().st_size > 20_000


def test_a_hostile_page_is_inert(visited: Opened, hostile: Path) -> None:
    with visited(hostile) as page:
        title = page.title()
        open_all(page)
        page.wait_for_timeout(500)
        assert page.title() == title
        assert page.locator("h1").is_visible()
        assert page.evaluate("document.querySelectorAll('iframe, img, link, object').length") == 0
        assert page.evaluate("document.querySelectorAll('a:not([href^=\"#\"])').length") == 0
        assert page.evaluate(CHECKS) == []


def test_what_got_in_by_another_way_could_not_run(browser: Any, hostile: Path) -> None:
    page = browser.new_page()
    page.goto(hostile.as_uri())
    title = page.title()
    attack = "<img src=x onerror='document.title = 1'><a id=bad href='javascript:document.title=2'>x</a>"
    page.evaluate("html => document.body.insertAdjacentHTML('afterbegin', html)", attack)
    page.locator("#bad").click()
    page.wait_for_timeout(300)
    assert page.title() == title
    page.close()


def test_it_reads_without_scripts(visited: Opened, ordinary: Path) -> None:
    with visited(ordinary, scripts=False) as page:
        assert page.locator("h2").count() == 14
        assert page.locator("svg.flow").first.is_visible()
        page.locator("#documents summary").first.click()
        assert page.locator("#documents pre.text").first.is_visible()


def test_by_keyboard_alone(visited: Opened, ordinary: Path) -> None:
    with visited(ordinary) as page:
        page.keyboard.press("Tab")
        first = page.evaluate("document.activeElement.getAttribute('href')")
        assert first == "#flow"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        page.keyboard.press("Enter")
        assert page.url.endswith("#flow")
        tops = []
        for _ in range(40):
            page.keyboard.press("Tab")
            tops.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        assert all(after >= before - 60 for before, after in pairwise(tops))


def test_a_table_is_sorted_by_a_column(visited: Opened, ordinary: Path) -> None:
    with visited(ordinary) as page:
        table = page.locator("#losses table.sortable").first
        numbers = "one => [...one.tBodies[0].rows].map(row => Number(row.cells[1].textContent.replaceAll(',', '')))"
        button = table.locator("th button").nth(1)
        button.focus()
        page.keyboard.press("Enter")
        down = table.evaluate(numbers)
        assert down == sorted(down, reverse=True)
        page.keyboard.press("Enter")
        assert table.evaluate(numbers) == sorted(down)
        assert table.locator("th[aria-sort=ascending]").count() == 1


def test_no_table_is_cut(visited: Opened, ordinary: Path) -> None:
    with visited(ordinary, width=1280) as page:
        open_all(page)
        wide = "all => all.filter(one => one.querySelector('table')).map(one => [one.scrollWidth, one.clientWidth])"
        sizes = page.locator(".wide").evaluate_all(wide)
        assert len(sizes) > 5
        assert [pair for pair in sizes if pair[0] > pair[1]] == []


def test_the_documents_are_searched(visited: Opened, ordinary: Path) -> None:
    with visited(ordinary) as page:
        every = page.locator("details.document")
        shown = page.locator("details.document:not([hidden])")
        summary = every.nth(1).locator("summary").inner_text()
        page.locator("#search input").fill(summary.rpartition("/")[2])
        assert 1 <= shown.count() < every.count()
        assert page.locator("#search [role=status]").inner_text() == f"{shown.count()} of {every.count()} documents"
        page.locator("#search input").fill("")
        assert shown.count() == every.count()
