"""`winnow sql`: one query as a table, CSV or JSON, and the prompt."""

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from curation.account.run import Run
from pipelines.commands.sql import _write_csv
from tests.pages import ROOT
from tests.pipelines.render.test_console import Screen
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


def test_names_and_cells_of_a_table_are_cleaned(finished_run: Path) -> None:
    query = """select chr(27) || '[2J' as "a\x9b[31m" """
    shown = winnow_here("sql", finished_run / "run", query).stdout
    assert "a\ufffd[31m" in shown
    assert "\x9b" not in shown
    as_they_are = winnow_here("sql", finished_run / "run", query, "--csv").stdout
    assert as_they_are == "a\x9b[31m\n\x1b[2J\n"


def test_csv_is_cleaned_for_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    _write_csv((["a\x9b"], iter([{"a\x9b": "one\x1b[2J\ntwo"}, {"a\x9b": None}])))
    assert screen.getvalue() == 'a\ufffd\n"one\ufffd[2J\ntwo"\n""\n'


DRAWN = r'^winnow sql runs/demo "(select (?:url, text from gopher .* limit 20|.* using sample 20))"$'


@pytest.mark.parametrize("query", re.findall(DRAWN, (ROOT / "docs/runs.md").read_text(), re.MULTILINE))
def test_the_queries_in_the_guide_that_draw_documents(finished_run: Path, query: str) -> None:
    drawn = json.loads(winnow_here("sql", finished_run / "run", query, "--json").stdout)
    assert len({row["url"] for row in drawn}) == 20
    kept = Run.open(finished_run / "run").show("gopher", kept=True, limit=1000)
    assert {row["url"] for row in drawn} <= {row.url for row in kept}


def test_the_guide_has_two_queries_that_draw_documents() -> None:
    assert len(re.findall(DRAWN, (ROOT / "docs/runs.md").read_text(), re.MULTILINE)) == 2


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
