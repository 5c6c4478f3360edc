"""`winnow sql`: one query as a table, CSV or JSON, and the prompt."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.runs import winnow, winnow_here

QUERY = (
    "select url, gopher_quality.words as words, text from gopher where drop_reason is null order by words, url limit 3"
)


def test_one_query_in_three_forms(finished_run: Path) -> None:
    run = finished_run / "run"
    rows = json.loads(winnow_here("sql", run, QUERY, "--json").stdout)
    assert len(rows) == 3
    assert all(row["text"] for row in rows)
    written = winnow_here("sql", run, QUERY, "--csv").stdout
    assert "\r" not in written
    read = list(csv.DictReader(io.StringIO(written)))
    assert read == [{name: str(value) for name, value in row.items()} for row in rows]
    table = winnow_here("sql", run, QUERY).stdout
    assert all(row["url"] in table for row in rows)


def test_a_long_answer_is_cut_and_says_so(finished_run: Path) -> None:
    done = winnow_here("sql", finished_run / "run", "select range as n from range(101)")
    assert "│ 99 " in done.stdout
    assert "│ 100 " not in done.stdout
    assert "the first 100 rows; --csv or --json print all" in done.stderr


def test_a_mistake(finished_run: Path) -> None:
    done = winnow_here("sql", finished_run / "run", "select nothing from gopher")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith('error: Binder Error: Referenced column "nothing" not found')
    assert done.stderr.count("\n") == 1
    assert "--csv or --json" in winnow_here("sql", finished_run / "run", "select 1", "--csv", "--json").stderr


def test_the_prompt(finished_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = (
        ".tables\nselect count(*) as n\n  from gopher;\nselect 1 from nowhere;\n.help\nselect 7 as n;\n.exit\nselect 8;"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    done = winnow_here("sql", finished_run / "run", "--csv")
    lines = done.stdout.split()
    assert done.returncode == 0
    assert lines[:5] == ["extract", "language", "gopher", "dedup", "tokenize"]
    assert lines[5] == lines[7] == "n"
    assert lines[8:] == ["7"]
    assert "no view named 'nowhere'; did you mean" in done.stderr
    assert "no command .help: end a query with a semicolon; .tables" in done.stderr


def test_an_answer_that_is_cut_ends_well(finished_run: Path) -> None:
    done = winnow("sql", finished_run / "run", "select url from extract limit 3", "--csv")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 4, "")
