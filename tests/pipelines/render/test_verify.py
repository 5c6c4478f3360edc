"""What `winnow verify` prints."""

import pytest
from rich.console import Console

from curation.account.verify.files import Problem
from curation.account.verify.verify import StageCheck, Verification
from pipelines.render.verify import verification


def lines(seen: Verification) -> list[str]:
    console = Console(width=200)
    with console.capture() as captured:
        verification(console, seen)
    return captured.get().splitlines()


STAGE = StageCheck("gopher", "02-gopher-0", 3, 4, 2_000_000, 1, 0)


@pytest.mark.parametrize(
    ("deep", "last"),
    [
        (False, "whole: sizes and counts (--deep reads the files too) are as recorded"),
        (True, "whole: sizes, checksums and counts are as recorded"),
    ],
)
def test_a_whole_run(deep: bool, last: str) -> None:
    shown = lines(Verification("demo", deep, (STAGE,), ()))
    (cells,) = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown if line.startswith("│ 02")]
    assert cells == ["02-gopher-0", "3", "4", "2.0", "1", ""]
    assert shown[-1] == last


def test_each_problem_is_a_line_and_each_path_to_delete_another() -> None:
    problems = (
        Problem("02-gopher-0", "part-00000.parquet", "is missing", ("runs/a b/_manifest.json",)),
        Problem("02-gopher-0", "part-[x].parquet", "has 3 bytes", ("runs/a b/_manifest.json", "runs/a b/p")),
        Problem("", "", "a takedown was cut off"),
    )
    assert lines(Verification("demo", False, (STAGE,), problems))[-7:] == [
        "02-gopher-0/part-00000.parquet: is missing",
        "02-gopher-0/part-[x].parquet: has 3 bytes",
        "a takedown was cut off",
        "to have it made again, delete these, then run the same winnow curate:",
        "rm -r 'runs/a b/_manifest.json'",
        "rm -r 'runs/a b/p'",
        "3 problems",
    ]
