"""Whole runs, without Ray: order, resuming, guards, what a dry run says, and what each verb leaves in its folder."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.errors import StageError, UserError
from curation.core.manifest import RunRecord, read_manifest, read_run
from curation.core.progress import Progress
from curation.engine.driver import runner
from curation.engine.driver.dry_run import dry_run
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.gopher_quality import GopherQuality
from tests.curation.engine.inputs import SHARED_DOCUMENTS, write_sources
from tests.noting import Noting

STAGES = ["news-read", "news-gopher_quality", "books-read", "dedup", "tokenizer", "tokenize", "pack", "mix"]


def curate(text: str, output: Path, executor: Executor | None = None) -> tuple[RunRecord, list[Progress]]:
    told: list[Progress] = []
    return runner.curate(parse(text, "m.yaml"), str(output), executor or Inline(), told.append), told


def rows(output: Path, stage: str) -> pa.Table:
    (folder,) = output.glob(f"*-{stage}-????????")
    return pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("part-*.parquet"))])


def test_two_sources_are_joined(tmp_path: Path) -> None:
    run, _ = curate(write_sources(tmp_path), tmp_path / "run")
    assert run.stages == read_run(str(tmp_path / "run")).stages
    assert run.complete
    assert [stage.name for stage in run.stages] == STAGES
    assert [stage.chain for stage in run.stages] == ["news"] * 2 + ["books"] + ["joined"] * 5
    assert rows(tmp_path / "run", "news-gopher_quality")["drop_reason"].drop_null().to_pylist() == [
        "gopher_quality.words:low"
    ]
    joined = rows(tmp_path / "run", "dedup").to_pylist()
    copies = [row for row in joined if row["drop_reason"] == "dedup.exact:duplicate"]
    assert {row["source"] for row in joined} == {"news", "books"}
    assert [row["source"] for row in copies] == ["books"] * SHARED_DOCUMENTS
    assert "gopher_quality" not in joined[0]
    report = json.loads((tmp_path / "run" / run.stages[-1].folder / "_manifest.json").read_text())["mix"]["report"]
    assert {entry["source"] for entry in report} == {"news", "books"}
    assert abs(report[0]["tokens"] - report[1]["tokens"]) <= 32


def test_a_second_run_does_nothing_and_says_so(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    noting = Noting()
    _, told = curate(text, tmp_path / "run", noting)
    assert noting.ran == []
    assert [(one.stage, one.step) for one in told] == [(name, "sealed") for name in STAGES]


def test_a_mix_is_the_same_whether_its_packs_were_just_sealed_or_found(tmp_path: Path) -> None:
    """The sources stand in the recipe in another order than that of their names."""
    text = write_sources(tmp_path).replace("weights: {news: 1, books: 1}", "")
    run = tmp_path / "run"
    curate(text, run)
    (index,) = run.glob("*-mix-*/index.json")
    expected = index.read_bytes()
    assert [entry["source"] for entry in json.loads(expected)["entries"]] == ["books", "news"]
    index.unlink()
    (index.parent / "_manifest.json").unlink()
    curate(text, run)
    assert index.read_bytes() == expected


def test_a_changed_limit_leaves_earlier_stages_sealed(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    noting = Noting()
    changed = text.replace("{gopher_quality: {}}", "{gopher_quality: {min_words: 1}}")
    run, _ = curate(changed, tmp_path / "run", noting)
    assert "ReadStep" not in [step for step, _ in noting.ran]
    assert noting.ran[0] == ("MapStep", [0, 1])
    assert len(list((tmp_path / "run").glob("*-news-gopher_quality-*"))) == 2
    assert run.stages[0].folder == "01-news-read-" + run.stages[0].address[:8]


def test_a_stage_outside_expect_kept_stops_the_run_and_no_later_stage_begins(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    bounded = text.replace("{exact: {}}", "{exact: {}}\n    expect_kept: [0.0, 0.5]")
    with pytest.raises(StageError, match=r"dedup kept 85.7% of 28 documents, outside expect_kept \[0.0, 0.5\]"):
        curate(bounded, tmp_path / "run")
    run = read_run(str(tmp_path / "run"))
    assert not run.complete
    assert [stage.name for stage in run.stages] == STAGES[:4]
    assert not list((tmp_path / "run").glob("*-tokenizer-*"))
    noting = Noting()
    assert curate(text, tmp_path / "run", noting)[0].complete
    assert "KeysStep" not in [step for step, _ in noting.ran], "the bounds are no part of the address"


def test_more_errors_than_allowed_stop_the_run_unsealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = GopherQuality.measure

    def fails(self: GopherQuality, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if "too short" in batch.column("text").to_pylist():
            raise ArithmeticError("a bug in a rule")
        return measure(self, batch)

    monkeypatch.setattr(GopherQuality, "measure", fails)
    text = write_sources(tmp_path)
    with pytest.raises(StageError, match=r"failed on 1 of 16 documents \(1 error.gopher_quality.ArithmeticError\)"):
        curate(text, tmp_path / "run")
    (folder,) = (tmp_path / "run").glob("*-news-gopher_quality-*")
    assert read_manifest(str(folder)) is None
    run, _ = curate(
        text.replace("{gopher_quality: {}}", "{gopher_quality: {}}\n      max_errors: 0.1"), tmp_path / "run"
    )
    assert run.complete
    assert rows(tmp_path / "run", "news-gopher_quality")["drop_reason"].drop_null().to_pylist() == [
        "error.gopher_quality.ArithmeticError"
    ]


def test_a_run_that_keeps_nothing_stops_there(tmp_path: Path) -> None:
    text = write_sources(tmp_path).replace("{gopher_quality: {}}", "{gopher_quality: {min_words: 9000}}")
    alone = text[: text.index("  books:")] + text[text.index("  - dedup") : text.index("  - pack")].replace(
        "  -", "    -"
    )
    with pytest.raises(StageError, match="tokenizer has no text to learn from: see `winnow funnel`"):
        curate(alone, tmp_path / "run")
    assert [stage.name for stage in read_run(str(tmp_path / "run")).stages] == ["read", "gopher_quality", "dedup"]


def test_a_source_that_keeps_nothing_does_not_stop_the_others(tmp_path: Path) -> None:
    text = write_sources(tmp_path).replace("{gopher_quality: {}}", "{gopher_quality: {min_words: 9000}}")
    with pytest.raises(UserError, match="news has no training row: take it out of `weights`"):
        curate(text, tmp_path / "run")
    run, _ = curate(text.replace("{news: 1, books: 1}", "{news: 0, books: 1}"), tmp_path / "run")
    assert run.complete


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (ArithmeticError, StageError, "failed on 8 of 8 documents"),
        (OSError, OSError, "the disk is full"),
    ],
)
def test_errors_are_tried_again_once_their_cause_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], raised: type[Exception], message: str
) -> None:
    def broken(self: GopherQuality, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        if batch.num_rows:
            raise error("the disk is full")
        return measure(self, batch)

    measure = GopherQuality.measure
    text = write_sources(tmp_path)
    monkeypatch.setattr(GopherQuality, "measure", broken)
    with pytest.raises(raised, match=message):
        curate(text, tmp_path / "run")
    monkeypatch.setattr(GopherQuality, "measure", measure)
    assert curate(text, tmp_path / "run")[0].complete
    assert rows(tmp_path / "run", "news-gopher_quality")["drop_reason"].drop_null().to_pylist() == [
        "gopher_quality.words:low"
    ]


def test_repeating_a_finished_run_leaves_its_file_and_its_tombstones(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    file = tmp_path / "run" / "run.json"
    curate(text, tmp_path / "run")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"tombstones": ["ab"]}))
    before = (file.read_text(), file.stat().st_mtime_ns)
    run, _ = curate(text, tmp_path / "run")
    assert (file.read_text(), file.stat().st_mtime_ns) == before
    assert run.tombstones == ("ab",)
    assert curate(text.replace("{exact: {}}", "{exact: {}}\n    expect_kept: [0.1, 1.0]"), tmp_path / "run")[
        0
    ].tombstones


OWN_TOKENIZERS = """
version: 1
sources:
  news:
    - read: {jsonl: {paths: ["%(folder)s/news-*.jsonl"], url: url}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@%(news)s"}
  books:
    - read: {jsonl: {paths: ["%(folder)s/books.jsonl"], url: url}}
    - fit: {tokenizer: {vocab_size: 400}}
    - tokenize: {tokenizer: "@%(books)s"}
joined:
  - pack: {sequence_length: 32}
"""


def test_tokens_of_different_tokenizers_are_not_packed_together(tmp_path: Path) -> None:
    write_sources(tmp_path)
    text = OWN_TOKENIZERS % {"folder": tmp_path, "news": "news-tokenizer", "books": "books-tokenizer"}
    with pytest.raises(StageError, match="would mix tokens of different tokenizers; tokenize all sources with one"):
        curate(text, tmp_path / "run")


def test_why_names_the_token_file_of_a_later_source(tmp_path: Path) -> None:
    write_sources(tmp_path)
    text = OWN_TOKENIZERS % {"folder": tmp_path, "news": "news-tokenizer", "books": "news-tokenizer"}
    run, _ = curate(text, tmp_path / "run")
    assert run.complete
    for source in ("news-1", "books"):
        (story,) = Run.open(tmp_path / "run").why(url=f"http://{source}.example/0")
        (pack,) = (tmp_path / "run").glob("*-pack-*")
        name = story.tokens["file"].rpartition("/")[2].replace(".bin", ".parquet")
        assert story.doc_id in pq.read_table(pack / name)["doc_id"].to_pylist()


def test_a_dry_run_says_what_is_sealed_and_what_will_run(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    run = tmp_path / "run"
    first = dry_run(parse(text, "m"), str(run))
    assert [line.status for line in first] == ["will run"] * 5 + ["waits for a fit"] * 3
    assert [line.units for line in first[:4]] == [2, 0, 1, 0]
    assert not run.exists()
    curate(text, run)
    (gopher,) = run.glob("*-news-gopher_quality-*")
    (gopher / "_manifest.json").unlink()
    statuses = {line.node.name: line.status for line in dry_run(parse(text, "m"), str(run))}
    assert statuses["news-gopher_quality"] == "partly done"
    assert {status for name, status in statuses.items() if name != "news-gopher_quality"} == {"sealed"}


FILES = {
    "news-read": {"part-00000.parquet", "_commits/group-00000.arrow",
                  "_buckets/bucket-00000.parquet"},
    "news-gopher_quality": {"part-00001.parquet"},
    "dedup": {"_keys/keys-00002.arrow", "part-00002.parquet"},
    "tokenizer": {"tokenizer.json"},
    "tokenize": {"_tokenizer.json", "part-00002.parquet"},
    "pack": {"tokenizer.json", "tokens-00000.bin", "tokens-00000.idx", "tokens-00000.parquet"},
    "mix": {"index.json"},
}  # fmt: skip


def test_what_each_verb_writes(tmp_path: Path) -> None:
    run, _ = curate(write_sources(tmp_path), tmp_path / "run")
    for stage in run.stages:
        folder = tmp_path / "run" / stage.folder
        written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert FILES.get(stage.name, set()) | {"_manifest.json"} <= written
    tokenizer, pack = (
        next((tmp_path / "run").glob(f"*-{name}-????????")) / "tokenizer.json" for name in ("tokenizer", "pack")
    )
    assert tokenizer.read_bytes() == pack.read_bytes()
    assert len(json.loads(tokenizer.read_text())["model"]["vocab"]) == 300


def test_a_sentencepiece_model_goes_with_the_tokens(tmp_path: Path) -> None:
    fit = "fit: {sentencepiece: {vocab_size: 400, character_coverage: 0.98}}"
    recipe = (
        write_sources(tmp_path)
        .replace("fit: {tokenizer: {vocab_size: 300}}", fit)
        .replace("@tokenizer", "@sentencepiece")
    )
    curate(recipe, tmp_path / "run")
    fitted, tokenize, pack = (
        next((tmp_path / "run").glob(f"*-{name}-????????")) for name in ("sentencepiece", "tokenize", "pack")
    )
    content = (fitted / "tokenizer.model").read_bytes()
    assert (tokenize / "_tokenizer.model").read_bytes() == (pack / "tokenizer.model").read_bytes() == content
    section = json.loads((pack / "_manifest.json").read_text())["tokens"]
    assert section["tokenizer"]["file"] == "tokenizer.model"
    assert section["vocabulary"] == 400
