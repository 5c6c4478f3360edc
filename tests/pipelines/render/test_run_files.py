"""What `winnow status` and `winnow verify` print."""

from typing import Any

import pytest

from curation.account.status import FinishedStage, Status
from curation.account.verify.files import Problem
from curation.account.verify.verify import StageCheck, Verification
from curation.core.lease import Holder
from curation.core.progress import Progress
from pipelines.render.run_files import status, verification
from tests.pipelines.render.printed import printed

STAGE = StageCheck("gopher", "02-gopher-0", 3, 4, 2_000_000, 1, 0)


@pytest.mark.parametrize(
    ("deep", "last"),
    [
        (False, "sizes and counts are as recorded; whether bytes were changed in place, --deep finds out"),
        (True, "whole: sizes, checksums and counts are as recorded; of 1 file only the size is recorded"),
    ],
)
def test_a_whole_run(deep: bool, last: str) -> None:
    shown = printed(verification, Verification("demo", deep, (STAGE,), ()))
    (cells,) = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown if line.startswith("│ 02")]
    assert cells == ["02-gopher-0", "3", "4", "2.0", "1", ""]
    assert shown[-1] == last


def test_each_problem_is_a_line_and_each_path_to_delete_another() -> None:
    problems = (
        Problem("02-gopher-0", "part-00000.parquet", "is missing", ("runs/a b/_manifest.json",)),
        Problem("02-gopher-0", "part-[x].parquet", "has 3 bytes", ("runs/a b/_manifest.json", "runs/a b/p")),
        Problem("", "", "a takedown was cut off"),
    )
    assert printed(verification, Verification("demo", False, (STAGE,), problems))[-7:] == [
        "02-gopher-0/part-00000.parquet: is missing",
        "02-gopher-0/part-[x].parquet: has 3 bytes",
        "a takedown was cut off",
        "to have it made again, delete these, then run the same winnow curate:",
        "rm -r 'runs/a b/_manifest.json'",
        "rm -r 'runs/a b/p'",
        "3 problems",
    ]


NOW = Progress("gopher", "filter", 3, 12, 2000, 10.0, kept=500, text_bytes=50_000_000, errors=1, retries=2)
SEALED = FinishedStage("read", "01-read-0", 3, 1000, 990, 2_000_000, 1_900_000, 4, 1, 12.0)
FITTED = FinishedStage("tokenizer", "02-tokenizer-0", 0, None, None, None, None, 0, 0, 1.0)
HOLDER = Holder(7, "me", "node", "2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        pytest.param(
            {"state": "running", "holder": HOLDER, "now": NOW, "line": NOW.line()},
            ["running (process 7 of me on node, since 2026-01-02T03:04:05+00:00)", NOW.line()],
            id="running",
        ),
        pytest.param({"state": "running"}, ["running", "between two stages, or planning"], id="between"),
        pytest.param({"state": "finished"}, ["finished"], id="finished"),
        pytest.param(
            {"state": "killed", "holder": HOLDER, "now": NOW, "line": NOW.line(), "heard": "2026"},
            [
                f"last heard of at 2026: {NOW.line()}",
                f"was killed ({HOLDER}); the same winnow curate resumes it",
            ],
            id="killed",
        ),
        pytest.param(
            {"state": "stopped", "failure": "runs/a/failure.txt"},
            ["has stopped; traceback: runs/a/failure.txt; the same winnow curate resumes it"],
            id="stopped",
        ),
    ],
)
def test_status(changes: dict[str, Any], lines: list[str]) -> None:
    values: dict[str, Any] = {"run": "demo", "folder": "runs/a", "holder": None, "stages": 5}
    values["sealed"] = (SEALED, FITTED)
    text = printed(status, Status(**{**values, **changes}))
    table = [line.split() for line in text[: text.index("2 of 5 stages sealed")] if line.strip()]
    assert table[0] == ["demo"]
    assert table[1][-5:] == ["%", "kept", "MB", "errors", "seconds"]
    assert table[3:] == [["read", "3", "1,000", "99.0", "1.9", "4", "12.0"], ["tokenizer", "0", "1.0"]]
    at = text.index("2 of 5 stages sealed")
    assert text[at + 1 :] == ["warning: read: sealed without 1 unit", *lines]
