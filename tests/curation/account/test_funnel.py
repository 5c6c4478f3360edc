"""The funnel adds up, and says what is odd."""

import dataclasses
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from curation.account.card.tokens import packings
from curation.account.funnel import MAX_CHARACTERS, SHOWN, licence_warning, unknown_licences
from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.shard_table import ShardTable
from tests.curation.account.corpus import curate, made, write_lines

STATED = ["CC-BY-SA-3.0 (Wikipedia)", None, "by heart", "ask Ada", "by heart", "MIT; pages (c) owners", "CC-BY-NC-4.0"]


def test_each_stage_reads_what_the_one_before_kept(finished_run: Path) -> None:
    found = Run.open(finished_run / "run").funnel()
    documents = [line for line in found.stages if line.rows]
    assert [line.name for line in documents] == ["extract", "language", "gopher", "dedup", "tokenize"]
    assert documents[0].rows == 120
    for one, two in pairwise(documents):
        assert two.rows == one.kept
    for line in documents:
        assert line.rows - line.kept == sum(line.dropped.values())
    assert found.complete


def test_tokens_agree_with_the_packed_shards(finished_run: Path) -> None:
    found = Run.open(finished_run / "run").funnel()
    assert set(found.tokens) == {"train", "validation"}
    assert sum(found.tokens.values()) == found.stages[-3].tokens > 0
    assert found.stages[-3].name == "tokenize"


def test_a_stage_without_documents_counts_none(finished_run: Path) -> None:
    found = {line.name: line for line in Run.open(finished_run / "run").funnel().stages}
    assert (found["tokenizer"].rows, found["mix"].kept, found["pack"].kept_text_bytes) == (None, None, None)
    assert (found["gopher"].tokens, found["tokenize"].rows) == (None, found["dedup"].kept)


def test_pages_by_the_parser_that_read_them(finished_run: Path) -> None:
    extract, *others = Run.open(finished_run / "run").funnel().stages
    assert extract.parsers == {"resiliparse": 120}
    assert not any(line.parsers for line in others)


def test_limits_that_no_document_was_beyond(finished_run: Path) -> None:
    gopher = next(line for line in Run.open(finished_run / "run").funnel().stages if line.name == "gopher")
    assert "gopher_quality.bullet_lines (high)" in gopher.never_fired
    assert "gopher_quality.words (high)" in gopher.never_fired
    assert "gopher_repetition.duplicate_lines (high)" not in gopher.never_fired
    assert len(set(gopher.never_fired)) == len(gopher.never_fired)
    assert gopher.warnings == ()


def test_faults_are_told_with_the_first_and_where_all_are(corpus: Path) -> None:
    run = curate(corpus)
    manifest = run.stages[0].manifest
    faults = tuple({"file": "a.jsonl", "offset": at, "error": "is cut short"} for at in range(3))
    commits = (dataclasses.replace(manifest.commits[0], faults=faults), *manifest.commits[1:])
    known = dataclasses.replace(manifest, shards=ShardTable.of(commits))
    first = dataclasses.replace(run.stages[0], known=known)
    (warning,) = dataclasses.replace(run, stages=(first, *run.stages[1:])).funnel().stages[0].warnings
    assert warning == (
        "3 faults in the input, such as a.jsonl at 0: is cut short; a.jsonl at 1: is cut short; "
        f"winnow funnel {run.folder} --json lists them as `faults` of read"
    )


def test_languages_without_a_kit_are_told_once(corpus: Path) -> None:
    run = curate(corpus)
    (place,) = (number for number, stage in enumerate(run.stages) if stage.name == "gopher")
    manifest = run.stages[place].manifest
    commits = (dataclasses.replace(manifest.commits[0], counts={"no_kit.ta": 1200, "no_kit.unknown": 3}),)
    known = dataclasses.replace(manifest, shards=ShardTable.of((*commits, *manifest.commits[1:])))
    stages = [*run.stages]
    stages[place] = dataclasses.replace(run.stages[place], known=known)
    (warning,) = dataclasses.replace(run, stages=tuple(stages)).funnel().stages[place].warnings
    assert warning == "no kit for ta 1,200, unknown 3: the limits for all other languages judged 1,203 kept documents"


def test_a_stage_that_keeps_nothing_is_a_warning_and_those_after_it_are_not(corpus: Path) -> None:
    run = curate(corpus, words=100_000)
    found = {line.name: line for line in run.funnel().stages}
    assert found["gopher"].rows > found["gopher"].kept == 0
    assert "gopher_quality.words (low)" not in found["gopher"].never_fired
    assert "gopher_quality.words (high)" in found["gopher"].never_fired
    assert found["gopher"].warnings == (f"kept no document: see winnow show {run.folder} gopher",)
    assert (found["dedup"].rows, found["dedup"].warnings) == (0, ())
    assert found["dedup"].verb.documents
    assert found["tokenize"].never_fired == ()


def test_an_input_without_documents_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    chain = f"[{{read: {{jsonl: {{paths: [{tmp_path}/none.jsonl]}}}}}}, {{filter: gopher_quality}}]"
    read, gopher = made(f"{{version: 1, sources: {{web: {chain}}}}}", tmp_path / "run").funnel().stages
    assert read.warnings == ("found no document in its input",)
    assert (gopher.warnings, gopher.never_fired) == ((), ())


def test_the_funnel_names_unknown_licences_whether_they_are_kept_or_not(tmp_path: Path) -> None:
    write_lines(tmp_path / "texts.jsonl", ({"text": f"{n}.", "licence": one} for n, one in enumerate(STATED)))
    source = f"jsonl: {{paths: [{tmp_path}/texts.jsonl], licence: licence}}"
    for unknown, kept in (("drop", 1), ("keep", 5)):
        chain = f"[{{read: {{{source}}}}}, {{filter: {{licence_policy: {{unknown: {unknown}}}}}}}]"
        run = made(f"{{version: 1, sources: {{web: {chain}}}}}", tmp_path / unknown)
        line = run.funnel().stages[-1]
        expected = "4 documents of unknown licences: 'by heart' 2, 'MIT; pages (c) owners' 1, 'ask Ada' 1"
        assert (line.kept, line.warnings) == (kept, (expected,))
        assert not unknown_licences(run.stages[0])
    Path(run.stages[-1].shards[0].uri).write_bytes(b"PAR1")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        run.funnel()


def test_the_warning_shows_the_most_frequent_ones_cut_short() -> None:
    assert licence_warning(Counter()) == ()
    found = Counter({f"{n:02} " + "x" * 200: 1000 - n for n in range(SHOWN + 2)})
    (shown,) = licence_warning(found)
    assert shown.startswith("11,934 documents of unknown licences: '00 xxx")
    assert shown.endswith(", … and 2 more")
    assert "x" * MAX_CHARACTERS not in shown


def test_both_splits_of_each_source(carded: str) -> None:
    run = Run.open(carded)
    (packing,) = packings(run.stages)
    found = {pack.source: pack for pack in run.funnel().packs}
    assert set(found) == {"web", "books"}
    for source, pack in found.items():
        splits = [split for split in packing.splits if split.source == source]
        assert {split.split for split in splits} == {"train", "validation"}
        counts = (sum(getattr(split, name) for split in splits) for name in ("rows", "padding", "documents", "cut"))
        assert (pack.rows, pack.padding, pack.documents, pack.cut) == tuple(counts)
        assert (pack.stage, pack.method, pack.slots) == ("pack", "concat", 33 * pack.rows)
