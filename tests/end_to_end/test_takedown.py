"""Documents taken down: nothing of them is left, nothing else has changed, and whatever happens they stay out."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.account.tune.limits import parse_changes
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import read_manifest, read_run
from curation.tokens.shards import TokenData
from pipelines.takedown import preview, take_down
from tests import takedowns as runs
from tests.takedowns import CLUSTER, arrow_table
from training.batch import Row, SpecialIds
from training.objectives.causal import Causal

WHEN = "2026-11-21T12:00:00+00:00"
OTHER = "http://books-0.example/0"  # has one exact copy in its own file
PACKS = [
    pytest.param(", method: best_fit", id="best fit"),
    pytest.param(", method: one_per_row", id="one per row"),
    pytest.param(", split_by: {column: minhash.copies, edges: [2]}", id="sub-sources"),
]


def words_in(run: Path) -> set[str]:
    """All markers of documents that any file of the run holds, its tokens decoded."""
    urls = [f"http://{name}-{n}.example/{i}" for name in ("news", "books") for n in range(2) for i in range(8)]
    markers = {runs.marker(url) for url in urls}
    found = runs.contents(run)
    return {word for word in markers if any(word in text for text in found)}


def test_nothing_of_them_is_left(taken_run: Path, sources: Path) -> None:
    runs.curate(sources, taken_run, words=21)  # so that there are stages of an earlier recipe too
    before = words_in(taken_run)
    assert {runs.marker(url) for url in (CLUSTER[0], OTHER)} <= before
    done = take_down(str(taken_run), runs.request(taken_run.parent, CLUSTER[1]), when=WHEN)
    assert sorted(done.plan.documents) == sorted(runs.doc_id_of(taken_run, url) for url in CLUSTER)
    assert any(not one.current for one in done.plan.stages)
    assert words_in(taken_run) == before - {runs.marker(CLUSTER[0])}
    for stage in Run.open_with_earlier(taken_run).stages:
        if stage.manifest.verb.clusters:
            assert_no_keys(Path(stage.folder), set(done.plan.documents))


def assert_no_keys(stage: Path, documents: set[str]) -> None:
    for folder in ("_keys", "_refined"):
        for path in sorted((stage / folder).glob("*.arrow")):
            table = arrow_table(path)
            ids = pq.read_table(stage / f"part-{path.stem[-5:]}.parquet", columns=["doc_id"])["doc_id"].to_pylist()
            for name in {"doc", "doc_a", "doc_b"} & set(table.column_names):
                assert not documents & {ids[doc & 0xFFFFFFFF] for doc in table[name].to_pylist()}, path


def test_all_else_is_as_it_was(taken_run: Path) -> None:
    before = TokenData.open(str(taken_run))
    stages = {}
    old = before.read(0, before.rows), before.read_validation(0, before.validation_rows)
    old_ids = [one.segment_ids for one in old]
    for name in ("news-read", "news-gopher_quality", "news-dedup", "near", "spans", "tokenize"):
        stages[name] = runs.rows(taken_run, name)
    found = take_down(str(taken_run), runs.request(taken_run.parent, CLUSTER[1], OTHER), when=WHEN)
    gone = set(found.plan.documents)
    for name, rows in stages.items():
        now = runs.rows(taken_run, name)
        stays = [{k: v for k, v in row.items() if k not in ("text", "tokens")} for row in rows]
        assert [{k: v for k, v in row.items() if k not in ("text", "tokens")} for row in now] == stays
        for was, row in zip(rows, now, strict=True):
            assert row["text"] == (None if row["doc_id"] in gone else was["text"])
            assert row.get("tokens") == (None if row["doc_id"] in gone else was.get("tokens"))
    after = TokenData.open(str(taken_run))
    after.verify()
    assert (after.rows, after.validation_rows) == (before.rows, before.validation_rows)
    assert [after.locate(step, batch_rows=4) for step in range(5)] == [before.locate(s, batch_rows=4) for s in range(5)]
    total = 0
    for was, ids, now in zip(
        old, old_ids, (after.read(0, after.rows), after.read_validation(0, after.validation_rows)), strict=True
    ):
        changed = (now.segment_ids == 0) & (ids != 0)
        assert ((ids == 0) <= (now.segment_ids == 0)).all()
        assert (now.tokens[changed] == after.padding).all()
        assert (now.tokens[~changed] == was.tokens[~changed]).all()
        special = SpecialIds(after.vocabulary, after.end_of_text, after.padding, {})
        for tokens, segments, gone_here in zip(now.tokens, now.segment_ids, changed, strict=True):
            example = Causal().example(Row(tokens, segments, False, special), np.random.default_rng(0))
            assert not example.weights[gone_here[1:]].any()
        total += int(changed.sum())
    assert total > 300  # tokens of rows, those that two rows share twice


@pytest.mark.parametrize("pack", ["", *PACKS])
def test_documents_of_two_shards_in_one_token_shard(pack: str, taken_run: Path, sources: Path, tmp_path: Path) -> None:
    run = taken_run
    if pack:
        run = tmp_path / "other"
        runs.curate(sources, run, pack=pack)
    urls = ("http://news-0.example/0", "http://news-1.example/0")  # without copies
    gone = [row for row in runs.rows(run, "tokenize") if row["url"] in urls]
    before = counted(run)
    files = runs.hashes(runs.stage_folder(run, "pack"))
    take_down(str(run), runs.request(tmp_path, *urls), when=WHEN)
    now = counted(run)
    changed = [name for name in before if now[name] != before[name]]
    assert changed
    assert all(name.startswith(("tokens-00000", "validation-00000")) for name in changed)
    sums = {
        kind: sum(before[name][kind] - now[name][kind] for name in changed)
        for kind in ("documents", "tokens", "utf8_bytes")
    }
    assert sums == {
        "documents": 2,
        "tokens": sum(len(row["tokens"]) for row in gone),
        "utf8_bytes": sum(len(row["text"].encode()) for row in gone),
    }
    after = runs.hashes(runs.stage_folder(run, "pack"))
    other = {file for file in files if after[file] != files[file] and not file.startswith("_")}
    assert other == {f"{name}.{kind}" for name in changed for kind in ("bin", "idx", "parquet")}
    (stage,) = (one for one in Run.open(run).stages if one.verb.packs)
    assert {part["name"]: part["utf8_bytes"] for part in (stage.manifest.tokens or {})["parts"]} == {
        name: counts["utf8_bytes"] for name, counts in now.items()
    }


def counted(run: Path) -> dict[str, dict[str, int]]:
    """What the files of each token shard hold, counted by lineage and by the tokenized texts."""
    (pack,) = (one for one in Run.open_with_earlier(run).stages if one.manifest.verb.packs)
    sizes = {row["doc_id"]: len((row["text"] or "").encode()) for row in runs.rows(run, "tokenize")}
    found = {}
    for part in pack.manifest.tokens["parts"] if pack.manifest.tokens else ():
        ends: dict[str, int] = {}
        longest: dict[str, int] = {}
        padding = 0
        rows = pq.read_table(f"{pack.folder}/{part['name']}.parquet").to_pylist()
        for row in rows:
            padding += row["length"] if row["padding"] else 0
            assert row["padding"] is (row["doc_id"] is None) is (row["document"] is None)
            if not row["padding"]:
                ends[row["doc_id"]] = max(ends.get(row["doc_id"], 0), row["doc_offset"] + row["length"])
                longest[row["doc_id"]] = max(longest.get(row["doc_id"], 0), row["length"])
        cut = sum(longest[one] < ends[one] for one in ends)
        tokens = sum(ends.values())
        texts = sum(sizes[one] for one in ends)
        found[part["name"]] = {"documents": len(ends), "tokens": tokens, "utf8_bytes": texts, "padding": padding}
        found[part["name"]] |= {"cut": cut, "rows": part["rows"]}
    return found


@pytest.mark.parametrize("pack", ["", *PACKS])
def test_the_counts_of_token_shards_are_those_of_their_files(
    pack: str, taken_run: Path, sources: Path, tmp_path: Path
) -> None:
    run = taken_run
    if pack:
        run = tmp_path / "other"
        runs.curate(sources, run, pack=pack)
    before = counted(run)
    take_down(str(run), runs.request(tmp_path, CLUSTER[1], OTHER), when=WHEN)
    TokenData.open(str(run)).verify()
    now = counted(run)
    assert now.keys() == before.keys()
    assert now != before
    (stage,) = (one for one in Run.open_with_earlier(run).stages if one.manifest.verb.packs)
    section = stage.manifest.tokens
    assert section is not None
    assert {part["name"]: {kind: part[kind] for kind in now[part["name"]]} for part in section["parts"]} == now
    assert [part for commit in stage.manifest.commits for part in commit.extra["parts"]] == section["parts"]
    for source, splits in section["sources"].items():
        for split, totals in splits.items():
            own = [now[p["name"]] for p in section["parts"] if (p["source"], p["split"]) == (source, split)]
            assert totals == {kind: sum(one[kind] for one in own) for kind in totals}
    (audit,) = stage.manifest.audit
    assert audit["documents"] == sum(old["documents"] - now[name]["documents"] for name, old in before.items())


class CutError(Exception):
    """Stands for a kill."""


def cut_off(monkeypatch: pytest.MonkeyPatch, moves: int, *, after: bool) -> Callable[[], int]:
    """Lets files be moved into place `moves` times, then raises for good: before the next, or right after it."""
    made = [0]
    real = storage.move_file
    alone = Lock()

    def move(source: str, target: str) -> None:
        with alone:
            if made[0] > moves or (made[0] == moves and not after):
                raise CutError
            real(source, target)
            made[0] += 1
            if made[0] > moves:
                raise CutError

    monkeypatch.setattr(storage, "move_file", move)
    return lambda: made[0]


def interrupted(taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    given = runs.request(tmp_path, CLUSTER[1], OTHER)
    whole = tmp_path / "whole"
    shutil.copytree(taken_run, whole)
    with monkeypatch.context() as patched:
        moves = cut_off(patched, 10**9, after=False)
        take_down(str(whole), given, when=WHEN)
        count = moves()
    assert count > 50
    expected = runs.hashes(whole)
    for number in range(0, count, every):
        run = tmp_path / f"cut-{number}"
        shutil.copytree(taken_run, run)
        after = number % 2 == 0
        with monkeypatch.context() as patched:
            cut_off(patched, number, after=after)
            with pytest.raises(CutError):
                take_down(str(run), given, when=WHEN)
        if 0 < number < count - 1:
            assert read_run(str(run)).tombstones, "they are written first"
        done = take_down(str(run), given, when="2030-01-01T00:00:00+00:00" if number else WHEN)
        assert done.finished_before == int(number < count - 1 or not after)
        assert runs.hashes(run) == expected, number
        shutil.rmtree(run)


def test_cut_off_at_some_files_the_same_command_ends_in_the_same_bytes(
    taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(taken_run, tmp_path, monkeypatch, every=17)


@pytest.mark.soak
def test_cut_off_at_every_file_the_same_command_ends_in_the_same_bytes(
    taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(taken_run, tmp_path, monkeypatch, every=1)


def test_until_it_is_finished_no_recipe_runs(
    taken_run: Path, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        cut_off(patched, 20, after=True)
        with pytest.raises(CutError):
            take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    with pytest.raises(InputError, match=r"a takedown in .* was cut off"):
        runs.curate(sources, taken_run)
    assert not Run.open(taken_run).funnel().takedowns_finished
    done = take_down(str(taken_run), runs.request(tmp_path, OTHER))  # finishes the other one first
    assert done.finished_before == 1
    assert [one["tombstones"] for one in read_run(str(taken_run)).takedowns] == [4, 2]
    runs.curate(sources, taken_run)


def test_the_recipe_again_does_nothing(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    before = runs.hashes(taken_run)
    runs.curate(sources, taken_run)
    assert runs.hashes(taken_run) == before


def reasons(run: Path, name: str) -> dict[str, str | None]:
    return {row["url"]: row["drop_reason"] for row in runs.rows(run, name)}


def test_a_changed_recipe_keeps_them_out(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    runs.curate(sources, taken_run, words=21)
    assert {reasons(taken_run, "news-gopher_quality")[url] for url in CLUSTER[:3]} == {"takedown"}
    assert reasons(taken_run, "near")[CLUSTER[3]] == "takedown"
    assert not set(CLUSTER) & set(reasons(taken_run, "tokenize"))
    assert runs.marker(CLUSTER[0]) not in words_in(taken_run)
    data = TokenData.open(str(taken_run))
    data.verify()
    lines = {line.name: line for line in Run.open(taken_run).funnel().stages}
    assert lines["news-gopher_quality"].dropped["takedown"] == 3
    for line in lines.values():
        assert (line.rows or 0) == (line.kept or 0) + sum(line.dropped.values())


def test_a_stage_whose_folder_was_lost_keeps_them_out(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    for path in taken_run.glob("[0-9]*"):
        shutil.rmtree(path)
    runs.curate(sources, taken_run)
    assert {reasons(taken_run, "news-read")[url] for url in CLUSTER[:3]} == {"takedown"}
    assert reasons(taken_run, "books-read")[CLUSTER[3]] == "takedown"
    assert not set(CLUSTER) & set(reasons(taken_run, "near"))
    assert runs.marker(CLUSTER[0]) not in words_in(taken_run)
    with pytest.raises(InputError, match="has no stage"):
        Run.open(taken_run).show("nothing")


def test_only_the_pack_again(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1], OTHER))
    runs.curate(sources, taken_run, pack=", method: best_fit")
    gone = set(read_run(str(taken_run)).tombstones)
    rows = runs.rows(taken_run, "tokenize")
    (pack,) = (s for s in Run.open_with_earlier(taken_run).stages if s.manifest.verb.packs and s.current)
    names = [part["name"] for part in (pack.manifest.tokens or {})["parts"]]
    packed = {one for name in names for one in pq.read_table(f"{pack.folder}/{name}.parquet")["doc_id"].to_pylist()}
    assert packed - {None} == {row["doc_id"] for row in rows} - gone


def test_the_account_still_answers(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]), when=WHEN)
    run = str(taken_run)
    (kept,) = Run.open(run).why(url=CLUSTER[0])
    assert kept.fate.startswith(f"taken down on {WHEN}; before that kept by every stage")
    assert (kept.taken_down, kept.tokens["rows"]) == (WHEN, ())
    (copy,) = Run.open(run).why(url=CLUSTER[1])
    assert copy.fate == f"taken down on {WHEN}; before that dropped by news-dedup: dedup.exact:duplicate"
    assert copy.duplicate_of == {"method": "exact", "doc_id": kept.doc_id, "url": CLUSTER[0]}
    (other,) = Run.open(run).why(url=OTHER)
    assert other.taken_down is None
    found = Run.open(run).funnel()
    assert found.tokens["train"] > 0
    assert (found.taken_down, found.takedowns_finished) == (len(CLUSTER), True)
    assert {one.name for one in Run.open(run).duplicates()} == {"news-dedup", "near", "spans"}
    assert Run.open(run).show("near")[0].text
    Run.open(run).card()
    tried = Run.open(run).tune(changes=parse_changes(["gopher_quality.min_words=130"]))
    runs.curate(sources, taken_run, words=21)
    (again,) = Run.open(run).tune(changes=parse_changes(["gopher_quality.min_words=130"]))
    assert again.dropped_after["takedown"] == 3
    assert again.kept_before == tried[0].kept_before - 3
    (dropped,) = Run.open(run).why(url=CLUSTER[0])
    assert dropped.fate == f"taken down on {WHEN}"
    assert dropped.dropped_by == "news-gopher_quality"


def test_a_second_takedown(taken_run: Path, tmp_path: Path) -> None:
    first = take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    again = take_down(str(taken_run), runs.request(tmp_path, CLUSTER[2]))
    assert (first.new, again.new, again.record) == (4, 0, None)
    more = take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1], OTHER))
    assert more.new == 2
    run = read_run(str(taken_run))
    assert len(run.tombstones) == len(set(run.tombstones)) == 6
    assert [(one["tombstones"], one["finished"]) for one in run.takedowns] == [(4, True), (2, True)]
    TokenData.open(str(taken_run)).verify()
    manifest = read_manifest(str(runs.stage_folder(taken_run, "near")))
    assert manifest is not None
    assert [one["takedown"] for one in manifest.audit] == [0, 1]
    for one in manifest.audit:
        assert all(set(file) == {"before", "after"} for file in one["files"].values())


def test_a_dry_run_changes_nothing(taken_run: Path, tmp_path: Path) -> None:
    before = runs.hashes(taken_run)
    found = preview(str(taken_run), runs.request(tmp_path, CLUSTER[1], "http://nowhere.example/"))
    assert (found.new, found.record) == (4, None)
    assert found.plan.not_found == ("http://nowhere.example/",)
    assert runs.hashes(taken_run) == before


def test_what_cannot_be_taken_down(taken_run: Path, tmp_path: Path) -> None:
    before = runs.hashes(taken_run)
    with pytest.raises(InputError, match=r"none of the requested documents \(1\) is in"):
        take_down(str(taken_run), runs.request(tmp_path, "http://nowhere.example/"))
    for begun in ("_commits", "_drawn"):  # the second of a fit, which holds text
        (taken_run / "05-other-00000000" / begun).mkdir(parents=True)
        with pytest.raises(InputError, match="05-other-00000000 is not finished"):
            take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
        (taken_run / "05-other-00000000" / begun).rmdir()
    assert runs.hashes(taken_run) == before


def test_the_record_says_who_trained_on_them(taken_run: Path, tmp_path: Path) -> None:
    data = TokenData.open(str(taken_run))
    steps = data.rows // 2
    training = runs.write_training(taken_run.parent / "trained", taken_run, steps=steps, checkpoints=(1, steps))
    (story,) = Run.open(taken_run).why(url=CLUSTER[0])
    (seen,) = story.tokens["trainings"]
    done = take_down(str(taken_run), runs.request(tmp_path, CLUSTER[1]))
    (told,) = done.plan.trainings
    assert (told.training, told.first_step, told.steps) == (str(training), seen["steps"][0], len(seen["steps"]))
    assert told.checkpoints == tuple(step for step in (1, steps) if step > told.first_step)
    (record,) = json.loads((taken_run / "run.json").read_text())["takedowns"]
    assert record["trainings"][0]["first_step"] == told.first_step
    assert record["request"] == runs.request(tmp_path, CLUSTER[1]).blake2b
