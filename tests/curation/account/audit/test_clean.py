"""`winnow audit RUN --clean`: a file through the run's own limits gives the run's verdicts; what is given wrongly."""

import dataclasses
import gzip
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.audit.clean import audit_clean
from curation.account.audit.losses.report import Amount
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.corpus import curate, curate_sources, tokens


def test_the_run_s_own_documents_from_a_file_lose_what_they_lost_in_the_run(corpus: Path, tmp_path: Path) -> None:
    run = curate(corpus, score=0.93)
    of_chain = audit_clean(run, "web")
    of_files = audit_clean(run, f"{corpus}/web-*.jsonl")
    (stored,) = of_chain.chains
    (measured,) = of_files.chains
    by_name = {stage.stage: stage for stage in measured.stages}
    for stage in (stage for stage in stored.stages if stage.verb == "filter"):
        assert by_name[stage.stage].given == stage.given
        assert by_name[stage.stage].lost == stage.lost
        first = [(limit.limit, limit.bound, limit.first) for limit in stage.limits if limit.first.documents]
        assert first == [
            (limit.limit, limit.bound, limit.first) for limit in by_name[stage.stage].limits if limit.first.documents
        ]
    assert of_files.by == "file"
    assert {group.group for group in measured.groups} == {"web-0.jsonl", "web-1.jsonl", "web-2.jsonl"}
    assert measured.notes == ("dedup compares documents, and is left out",)


def test_every_limit_is_tried_on_every_document(corpus: Path) -> None:
    """The second stage's limits too on what the first drops: more than the run itself measured."""
    run = curate(corpus, score=0.93)
    (loss,) = audit_clean(run, f"{corpus}/web-*.jsonl").chains
    gopher = next(stage for stage in loss.stages if stage.stage == "gopher")
    words = next(limit for limit in gopher.limits if limit.limit == "gopher_quality.words:low")
    short = 0
    for file in corpus.glob("web-*.jsonl"):
        short += sum(len(json.loads(line)["text"].split()) < 50 for line in file.read_text().splitlines())
    assert words.alone.documents == short > run.stage("gopher").manifest.merged("fired")["gopher_quality.words:low"]
    assert words.bound == 50


def test_tokens_are_those_of_the_run_s_tokenizer(corpus: Path) -> None:
    run = curate(corpus)
    found = audit_clean(run, "web")
    assert found.tokens == "tokens of tokenize"
    assert found.chains[0].kept == Amount(len(tokens(run)), sum(tokens(run).values()))


def test_without_a_tokenizer_words_and_every_source(corpus: Path) -> None:
    found = audit_clean(curate_sources(corpus), f"{corpus}/web-0.jsonl")
    assert found.tokens == "words"
    assert [chain.chain for chain in found.chains] == ["one", "two"]
    assert found.chains[0].given == found.chains[1].given
    one, two = (chain.stages[0].limits[0] for chain in found.chains)
    assert (one.limit, one.bound, two.bound) == ("gopher_quality.words:low", 50, 80)
    assert one.alone.documents < two.alone.documents


@pytest.mark.parametrize("ending", ["jsonl.gz", "parquet"])
def test_groups_are_those_of_the_file(corpus: Path, tmp_path: Path, ending: str) -> None:
    rows = [
        {"text": "the river and the mill " * 20, "kind": "book", "source": "press"},
        {"text": "short", "kind": "note", "source": "press"},
        {"text": None, "kind": "note", "source": "press"},
    ]
    path = tmp_path / f"good.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    found = audit_clean(curate_sources(corpus), str(path))
    assert list(dataclasses.asdict(found)) == ["run", "clean", "tokens", "by", "chains"], "as --json has them"
    (limit, *_) = dataclasses.asdict(found)["chains"][0]["stages"][0]["limits"]
    assert list(limit) == ["limit", "bound", "alone", "only", "first", "groups"]
    assert limit["alone"] == {"documents": 1, "tokens": 1}
    assert found.by == "kind"
    given = {group.group: group.given for group in found.chains[0].groups}
    assert given == {"book": Amount(1, 100), "note": Amount(1, 1)}


def refused(run: object, clean: str) -> str:
    with pytest.raises(InputError) as error:
        audit_clean(run, clean)  # type: ignore[arg-type]
    return str(error.value)


def test_what_is_neither_a_file_nor_a_source(corpus: Path) -> None:
    run = curate_sources(corpus)
    assert "--clean books: neither a file nor a source of the recipe; known: one, two" in refused(run, "books")
    assert "no input matches" in refused(run, "no/such.jsonl")


def test_a_file_without_text_and_one_without_documents(corpus: Path, tmp_path: Path) -> None:
    run = curate_sources(corpus)
    (tmp_path / "other.jsonl").write_text('{"body": "x"}\n')
    (tmp_path / "empty.jsonl").write_text('{"text": null}\n{"text": null}\n')
    assert "has no field 'text'" in refused(run, str(tmp_path / "other.jsonl"))
    assert "no document with a text" in refused(run, str(tmp_path / "empty.jsonl"))


def test_a_run_without_documents(corpus: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(curate(corpus).folder, tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**record, "stages": []}))
    assert "no finished stage of documents" in refused(Run.open(str(folder)), "web")
