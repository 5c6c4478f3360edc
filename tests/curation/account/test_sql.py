"""Every stage as a view: all columns, of which only those that a query uses are read."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from curation.account.run import Run
from curation.account.sql import Views
from curation.core.errors import UserError
from tests.curation.account.corpus import curate, curate_sources, rows, spoil
from tests.curation.account.unfinished import begun
from tests.runs import python

PARTLY_READ = """
import os, sys
from curation.account.run import Run
from curation.account.sql import Views

def threads():
    return len(os.listdir("/proc/self/task"))

for query in ("select url from gopher limit 2", "select a.url from read a, gopher b", "select url from gopher"):
    run = Run.open(sys.argv[1])
    list(run.stage("gopher").scan(["url"]))
    before = threads()
    with Views(run) as views:
        answer = views.ask(query)[1]
        row = next(answer)
    print(threads() - before)
"""


def asked(run: Run, query: str) -> list[dict[str, Any]]:
    with Views(run) as views:
        return list(views.ask(query)[1])


def test_columns_of_earlier_stages_and_the_text(corpus: Path) -> None:
    run = curate(corpus)
    table = rows(run, "gopher").to_pylist()
    expected = [
        {"url": row["url"], "label": row["language"]["label"], "text": row["text"]}
        for row in table
        if row["drop_reason"] is None and row["gopher_quality"]["words"] > 100
    ]
    query = (
        "select url, language.label as label, text from gopher where drop_reason is null and gopher_quality.words > 100"
    )
    assert asked(run, query) == expected
    (counted,) = asked(run, "select count(*) as n from gopher")
    assert counted == {"n": len(table)}


def test_stages_meet(corpus: Path) -> None:
    run = curate(corpus)
    query = 'select count(*) as n from "one-gopher_quality" a join dedup b using (doc_id) where a.text = b.text'
    assert asked(curate_sources(corpus), query)[0]["n"] > 50
    (row,) = asked(run, "select count(*) as n from read join tokenize using (doc_id) where len(tokens) > 0")
    assert row["n"] == len(rows(run, "tokenize"))


def test_a_query_about_a_signal_reads_no_text(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(curate(corpus).folder, tmp_path / "run")
    for path in tmp_path.glob("run/*/part-*.parquet"):
        spoil(path, "text")
    run = Run.open(tmp_path / "run")
    query = (
        "select avg(gopher_quality.words) as words, min(language.score) as score from gopher where drop_reason is null"
    )
    assert asked(run, query) == asked(curate(corpus), query)
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        asked(run, "select max(text) from gopher")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select * from goffer", "no view named 'goffer'; did you mean 'gopher'?"),
        ("select * from documents", "no view named 'documents'; known: dedup, gopher, language, read, tokenize"),
        ("select wrods from gopher", 'Referenced column "wrods" not found'),
        ("selec 1", "syntax error"),
        ("select url from gopher where gopher_quality.words > 'many'", "Could not convert string 'many'"),
    ],
)
def test_a_mistake_is_told_in_one_line(corpus: Path, query: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as told:
        asked(curate(corpus), query)
    assert "\n" not in str(told.value)


def test_views_are_the_stages_of_documents(taken_run: Path) -> None:
    with Views(Run.open(taken_run)) as views:
        chain = ["news-read", "news-gopher_quality", "news-dedup", "books-read", "near", "spans", "tokenize"]
        assert views.names == chain
        assert views.ask("create table mine as select 1 as one")[0] in ([], ["Count"])
        assert list(views.ask("select one from mine")[1]) == [{"one": 1}]


def test_no_thread_outlives_a_query_that_is_not_read_to_its_end(corpus: Path) -> None:
    done = python(PARTLY_READ, curate(corpus).folder)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["0", "0", "0"], "")


def test_a_run_without_a_sealed_stage_says_what_is_going_on(taken_run: Path) -> None:
    begun(taken_run)
    with pytest.raises(UserError, match=r"the run has no views: not known yet: the run has stopped in news-read, and"):
        asked(Run.open(taken_run), "select url from gopher")


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        pytest.param("select url from one-gopher_quality", True, id="a parser error"),
        pytest.param("select ONE-GOPHER_QUALITY.url from dedup", True, id="a column that is not there"),
        pytest.param('select url from "one-gopher_quality" form', False, id="quoted"),
        pytest.param("select url from one-gopher_qualities", False, id="another name"),
    ],
)
def test_a_name_with_a_hyphen_needs_quotes(corpus: Path, query: str, hint: bool) -> None:
    with pytest.raises(UserError) as refused:
        asked(curate_sources(corpus), query if hint else query + " nonsense (")
    quotes = 'in SQL the view one-gopher_quality is written with double quotes: "one-gopher_quality"'
    assert (quotes in str(refused.value)) == hint
