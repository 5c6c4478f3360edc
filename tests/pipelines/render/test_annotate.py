"""What `winnow annotate` prints of what went wrong."""

import io
from collections import Counter

from rich.console import Console

from curation.account.annotate.annotate import Annotations, Annotator, Cell
from curation.account.annotate.budget import Prices, Spend
from curation.account.annotate.teacher import TeacherProgress
from pipelines.render.annotate import annotations
from pipelines.render.progress import AnnotateProgress

RESULT = Annotations(
    output="s.parquet",
    cache="s.parquet.answers",
    asked=Annotator("short 1", "0" * 32, "m"),
    sampled=10,
    scored=6,
    unscored={"empty answer": 1},
    not_asked=3,
    cells=[Cell("web", "below 5", 100, 5, 1, {0: 2, 4: 2}), Cell("[b]", "5 and above", 1000, 5, 0, {4: 2})],
    requests=9,
    cached=1,
    malformed=2,
    retries={"HTTP 500": 3},
    torn_lines=1,
    prompt_tokens=1000,
    completion_tokens=200,
    paid=0.5,
    uncertain=0.25,
    paid_before=0.125,
    max_cost=1.0,
    seconds=2.0,
)


def test_everything_is_said() -> None:
    console = Console(file=io.StringIO(), width=200)
    annotations(console, RESULT)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if "│" in line]
    assert rows == [["web", "below 5", "100", "5", "2", "2", "1"], ["[b]", "5 and above", "1,000", "5", "0", "2", "0"]]
    assert shown.splitlines()[-7:] == [
        "         1  unscored: empty answer",
        "         3  retried: HTTP 500",
        "2 answers had no score; each is asked for once more",
        "1 line of s.parquet.answers could not be read",
        "9 requests, 1 of stored answers; 1,000 prompt tokens and 200 answer tokens in 2.0 s; spent 0.5000, and up to "
        "0.2500 for requests without usage, after 0.1250 for the stored answers",
        "stopped below --max-cost 1: 3 documents not asked about",
        "6 scores in s.parquet; the answers are in s.parquet.answers, and are not paid for again",
    ]


def test_progress_without_a_terminal_is_a_line_now_and_then() -> None:
    console = Console(file=io.StringIO(), width=200)
    spend = Spend(Prices(price_in=1, price_out=1, max_cost=2), 10, paid=0.5)
    with AnnotateProgress(console) as bars:
        for seconds in (1.0, 9.0, 12.0, 13.0, 25.0):
            done = int(seconds)
            bars.update(
                TeacherProgress(30, spend, done=done, requests=done, retries=Counter({"HTTP 500": 2}), seconds=seconds)
            )
    assert console.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "12 of 30 documents: 12 requests, 0 malformed, 2 retries, 0.5000 spent of 2",
        "25 of 30 documents: 25 requests, 0 malformed, 2 retries, 0.5000 spent of 2",
    ]
