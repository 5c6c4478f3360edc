"""Samples of a run's documents and of files, by source and strata."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.compute as pc
import pytest

from curation.account.annotate import documents
from curation.account.annotate.documents import SAMPLE, run_units, sample
from curation.account.annotate.files import file_units
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.corpus import curate, curate_sources, rows


def test_a_run_gives_its_kept_documents_with_their_text(corpus: Path) -> None:
    run = curate(corpus)
    table, sizes = sample(run_units(run, None), 10_000, None)
    kept = rows(run, "tokenize").filter(pc.field("drop_reason").is_null())
    assert table.schema == SAMPLE
    assert sizes == {("web", ""): len(kept)}
    columns = ["doc_id", "url", "text"]
    drawn, texts = (
        {row["doc_id"]: row for row in documents_of.select(columns).to_pylist()} for documents_of in (table, kept)
    )
    assert drawn == texts


def test_a_sample_is_the_same_each_time_and_part_of_a_larger_one(corpus: Path) -> None:
    units = run_units(curate(corpus), None)
    small, _ = sample(units, 20, None)
    assert small.equals(sample(units, 20, None)[0])
    assert small.equals(sample(units, 50, None)[0].slice(0, 20))


def test_strata_of_a_signal_of_an_earlier_stage(corpus: Path) -> None:
    run = curate(corpus)
    table, sizes = sample(run_units(run, "gopher_quality.words"), 60, "gopher_quality.words")
    kept = rows(run, "tokenize").filter(pc.field("drop_reason").is_null())
    words = dict(
        zip(kept["doc_id"].to_pylist(), pc.struct_field(kept["gopher_quality"], "words").to_pylist(), strict=True)
    )
    drawn = Counter(table["stratum"].to_pylist())
    assert sum(sizes.values()) == len(kept)
    assert (
        max(drawn.values()) - min(drawn[name] for (_, name), size in sizes.items() if size >= max(drawn.values())) <= 1
    )
    for doc_id, name in zip(table["doc_id"].to_pylist(), table["stratum"].to_pylist(), strict=True):
        bounds = [float(word) for word in name.split() if word[0].isdigit()]
        low, high = (bounds[0], bounds[-1]) if "to" in name else (0, bounds[0]) if "below" in name else (bounds[0], 1e9)
        assert low <= words[doc_id] < high


def test_strata_by_language(corpus: Path) -> None:
    table, sizes = sample(run_units(curate(corpus), "language.label"), 40, "language.label")
    assert Counter(table["stratum"].to_pylist()) == {"en": 20, "de": 20}
    assert set(sizes) == {("web", "en"), ("web", "de")}


def test_sources_are_drawn_documents_ofequally(corpus: Path) -> None:
    table, sizes = sample(run_units(curate_sources(corpus), None), 30, None)
    assert Counter(table["source"].to_pylist()) == {"one": 15, "two": 15}
    assert sizes["one", ""] > 20


def test_fewer_rows_than_documents_are_held(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held has the smallest hashes, so the sample is the same."""
    units = run_units(curate(corpus), None)
    whole, _ = sample(units, 20, None)
    monkeypatch.setattr(documents, "MOST_ROWS", 60)
    few, sizes = sample(units, 20, None)
    assert few.equals(whole)
    assert sum(sizes.values()) <= 60


def test_few_of_many_shards(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_SHARDS", 2)
    assert [unit.shard.number for unit in run_units(curate(corpus), None)] == [0, 2]


def test_files_without_text_in_some_rows(tmp_path: Path) -> None:
    texts = ["a", None, "  \n", "b", ""]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps({"text": text, "n": 1}) + "\n" for text in texts))
    table, _ = sample(file_units(str(tmp_path / "d.jsonl"), None), 10, None)
    assert sorted(table["text"].to_pylist()) == ["a", "b"]
    (tmp_path / "e.jsonl").write_text('{"text": null}\n')
    with pytest.raises(InputError, match="there is no document with text"):
        sample(file_units(str(tmp_path / "e.jsonl"), None), 10, None)


def test_files_whose_signals_are_of_two_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a", "n": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"text": "b", "n": 1.5}\n')
    table, _ = sample(file_units(str(tmp_path), "n"), 2, "n")
    assert sorted(table["stratum"].to_pylist()) == ["1.5 and above", "below 1.5"]
    (tmp_path / "c.jsonl").write_text('{"text": "c", "n": "one"}\n')
    with pytest.raises(InputError, match=r"the files do not agree on what they hold: .*string"):
        sample(file_units(str(tmp_path), "n"), 3, "n")


def test_a_signal_that_a_run_does_not_have(corpus: Path) -> None:
    run: Run = curate(corpus)
    with pytest.raises(InputError, match=r"tokenize has no signal 'gopher_quality.word'; did you mean 'words'\?"):
        run_units(run, "gopher_quality.word")
    with pytest.raises(InputError, match="--strata gopher_quality is neither a number nor a text"):
        sample(run_units(run, "gopher_quality"), 5, "gopher_quality")
