"""What `winnow watch` shows: a view that fits the terminal, or lines where there is none."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from curation.account.status import FinishedStage, Status
from curation.core.lease import Holder
from curation.core.progress import Progress
from pipelines.render import watch
from pipelines.render.watch import fitted

HOLDER = Holder(7, "me", "node", "2026-01-02T03:04:05+00:00")
NOW = Progress("gopher", "filter", 3, 12, 2000, 10.0, kept=500, text_bytes=50_000_000, errors=1, retries=2)
READ = FinishedStage("web-read", "01-web-read-0", 3, 1_234_567, 990, 2_000_000, 1_900_000, 4, 0, 12.0)
LANGUAGE = replace(
    READ, name="[language]", documents=990, kept=900, dropped={"language.label:not_in": 80, "a.b:low": 10}
)
DROPPED = {f"a.{name}:low": count for name, count in zip("defghij", range(1200, 500, -100), strict=True)}
RUN = Status(
    run="demo",
    folder="runs/demo",
    state="running",
    holder=HOLDER,
    sealed=(READ, LANGUAGE),
    stages=15,
    now=NOW,
    line=NOW.line(),
    dropped=DROPPED,
    newest={"a.d:low": 5, "a.j:low": 1},
)


def screen(run: Status, width: int, height: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=height)
    console.print(fitted(console, run))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("width", "columns"), [(80, 7), (50, 4)])
def test_a_view_of_a_stage_in_progress(width: int, columns: int) -> None:
    lines = screen(RUN, width, 30)
    (row,) = [line for line in lines if "web-read" in line]
    assert len(row.split()) == columns
    assert any(line.lstrip().startswith("[language]") for line in lines)
    assert max(map(len, lines)) <= width
    text = " ".join(lines)
    assert "2 of 15 stages sealed running (process 7 of me on node, since 2026-01-02T03:04:05+00:00)" in text
    assert (
        "gopher: filter, 3 of 12 units, 200 documents/s, 5.0 MB/s, 25.0 % kept, 1 error, 2 retries, 30 s left" in text
    )
    assert lines[lines.index("dropped by gopher:") :] == [
        "dropped by gopher:",
        "1,200 a.d:low (+5)",
        "1,100 a.e:low",
        "1,000 a.f:low",
        "  900 a.g:low",
        "  800 a.h:low",
        "  600 a.j:low (+1)",
    ]
    bar = lines[lines.index("dropped by gopher:") - 1]
    assert bar == "━" * 10, "without colours the rest of 40 columns is empty"


def test_a_low_terminal_shows_the_last_stages() -> None:
    many = replace(RUN, sealed=tuple(replace(READ, name=f"stage-{number}") for number in range(100)))
    lines = screen(many, 80, 24)
    assert len(lines) <= 24
    assert [line.split()[0] for line in lines if "stage-" in line][-3:] == ["stage-97", "stage-98", "stage-99"]
    assert lines[-1] == "  600 a.j:low (+1)"
    assert len([line for line in screen(many, 50, 4) if "stage-" in line]) == 3


def test_steps_without_drops_show_those_of_the_last_stage_that_has_some() -> None:
    lines = screen(replace(RUN, now=Progress("dedup", "keys", 1, 4), line="dedup: keys", dropped={}, newest={}), 80, 30)
    assert lines[-3:] == ["dropped by [language]:", "80 language.label:not_in", "10 a.b:low"]


def test_a_run_that_is_planned_has_a_name_and_no_table() -> None:
    planned = replace(RUN, run="runs/a", sealed=(), stages=None, now=None, line="", holder=None, dropped={}, newest={})
    assert screen(planned, 80, 30) == ["runs/a", "0 stages sealed", "running", "between two stages, or planning"]


@pytest.mark.parametrize(
    ("changes", "last"),
    [
        ({"state": "finished", "now": None, "line": ""}, "finished"),
        ({"state": "killed"}, f"was killed ({HOLDER}); the same winnow curate resumes it"),
        (
            {"state": "stopped", "holder": None, "failure": "runs/[a]/failure.txt"},
            "has stopped; traceback: runs/[a]/failure.txt; the same winnow curate resumes it",
        ),
        (
            {"state": "silent", "holder": None},
            "gives no sign; an object store has no lock that would tell whether it is running; "
            "the same winnow curate resumes it",
        ),
    ],
)
@pytest.mark.parametrize("terminal", [True, False])
def test_the_last_line_says_how_a_run_ended(changes: dict[str, object], last: str, terminal: bool) -> None:
    ended = replace(RUN, **changes, heard="2026-01-02T03:05:00+00:00")  # type: ignore[arg-type]
    console = Console(file=io.StringIO(), width=200, height=50, force_terminal=terminal, color_system=None)
    assert watch.watch(console, iter([RUN, ended])) == ended
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert re.sub("\x1b\\[[^A-Za-z]*[A-Za-z]", "", text).splitlines()[-1].rstrip() == last
    assert "\x1b[?1049h" not in text, "the alternate screen"


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {}])
def test_without_a_moving_cursor_there_are_lines(environment: dict[str, str]) -> None:
    console = Console(file=io.StringIO(), width=40, force_terminal=bool(environment), _environ=environment)
    more = replace(RUN, sealed=(READ, LANGUAGE, replace(READ, name="gopher")), now=None, line="", dropped={})
    watch.watch(console, iter([RUN, RUN, more, replace(more, state="finished")]))
    assert console.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "web-read: sealed, 990 of 1,234,567 documents kept, 12 s",
        "[language]: sealed, 900 of 990 documents kept, 12 s; dropped 80 language.label:not_in, 10 a.b:low",
        f"{NOW.line()}; dropped 1,200 a.d:low, 1,100 a.e:low, 1,000 a.f:low, 900 a.g:low, 800 a.h:low, … and 2 more",
        "gopher: sealed, 990 of 1,234,567 documents kept, 12 s",
        "between two stages, or planning",
        "finished",
    ]
