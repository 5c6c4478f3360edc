"""Text that leaves a run: the kept documents with chosen columns, whole or not at all, the same bytes each time."""

import json
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.account.texts import export as module
from curation.account.texts.export import export_text
from curation.account.texts.text_files import Form
from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from pipelines.takedown import take_down
from tests.curation.account.unfinished import begun
from tests.takedowns import marker, request
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run

RECIPE = """
version: 1
name: little
sources:
  notes:
    - read: {jsonl: {paths: ["%s/notes.jsonl"], url: url, licence: licence}}
    - filter: {gopher_quality: {min_words: 3, min_stop_words: 0, min_mean_word_length: 1}}
      name: words
    - rewrite: {unicode: {form: NFC}}
"""
NOTES = [
    {"text": "one two three\n", "url": "http://a/1", "licence": "CC0-1.0"},
    {"text": "too short", "url": "http://a/2", "licence": None},
    {"text": "vier fu\u0308nf sechs", "url": "http://a/3", "licence": None},
]
KEPT = ["one two three\n", "vier f\u00fcnf sechs"]


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three notes, of which the second is dropped and the last is rewritten."""
    folder = tmp_path_factory.mktemp("little")
    (folder / "notes.jsonl").write_text("".join(json.dumps(note) + "\n" for note in NOTES))
    runner.curate(parse(RECIPE % folder, "r.yaml"), str(folder / "run"), Inline())
    return Run.open(folder / "run")


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().splitlines()]


def test_the_text_of_the_last_stage(little: Run, tmp_path: Path) -> None:
    done = export_text(little, str(tmp_path / "out"), form="jsonl")
    found = lines(tmp_path / "out")
    assert [one["text"] for one in found] == KEPT
    assert [one["url"] for one in found] == ["http://a/1", "http://a/3"]
    assert (done.documents, done.columns) == (2, ("doc_id", "url", "source", "crawled_at", "licence", "text"))
    listed = json.loads((tmp_path / "out" / "_export").read_text())
    assert (listed["documents"], [file["name"] for file in listed["files"]]) == (2, ["part-00000.jsonl"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_a_named_stage_and_columns(little: Run, tmp_path: Path) -> None:
    """The words before they were rewritten, and a field of a struct."""
    columns = ["gopher_quality.words", "text"]
    export_text(little, str(tmp_path / "out"), form="jsonl", stage="words", columns=columns)
    assert lines(tmp_path / "out") == [
        {"gopher_quality.words": 3, "text": NOTES[0]["text"]},
        {"gopher_quality.words": 3, "text": NOTES[2]["text"]},
    ]


@pytest.mark.parametrize("form", ["parquet", "jsonl.gz", "jsonl.zst", "datasets"])
def test_the_same_run_gives_the_same_bytes(little: Run, tmp_path: Path, form: Form) -> None:
    made = []
    for name in ("one", "two"):
        export_text(little, str(tmp_path / name), form=form)
        made.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert made[0] == made[1]


def test_datasets_loads_both_splits(taken_run: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    export_text(Run.open(taken_run), str(tmp_path / "out"), form="datasets", columns=["text", "source"])
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))
    stage = Run.open(taken_run).stage("tokenize")
    for split in ("train", "validation"):
        expected = [
            row["text"] for batch in stage.scan(["text", "split"]) for row in batch.to_pylist() if row["split"] == split
        ]
        assert loaded[split]["text"][:] == expected
        assert loaded[split].column_names == ["text", "source"]


@pytest.mark.parametrize("stage", [None, "near", "books-read"])
def test_what_was_taken_down_is_in_no_file(taken_run: Path, tmp_path: Path, stage: str | None) -> None:
    url = "http://books-0.example/0"
    export_text(Run.open(taken_run), str(tmp_path / "before"), form="jsonl", stage=stage)
    assert any(marker(url).encode() in path.read_bytes() for path in (tmp_path / "before").iterdir())
    take_down(str(taken_run), request(tmp_path, url))
    export_text(Run.open(taken_run), str(tmp_path / "after"), form="jsonl", stage=stage)
    assert not any(marker(url).encode() in path.read_bytes() for path in (tmp_path / "after").iterdir())
    assert len(lines(tmp_path / "after")) < len(lines(tmp_path / "before"))


def test_tombstones_hold_where_a_stage_has_the_document_still(little: Run, tmp_path: Path) -> None:
    path = Path(little.folder) / "run.json"
    before = path.read_text()
    doc_id = next(little.stage("words").scan(["doc_id"])).to_pylist()[0]["doc_id"]
    record = json.loads(before)
    path.write_text(json.dumps({**record, "tombstones": [doc_id]}))
    try:
        export_text(Run.open(little.folder), str(tmp_path / "out"), form="jsonl")
    finally:
        path.write_text(before)
    assert [one["text"] for one in lines(tmp_path / "out")] == KEPT[1:]


def test_a_run_that_is_not_finished(taken_run: Path, tmp_path: Path) -> None:
    begun(taken_run, sealed=2)
    with pytest.raises(UserError, match="is not finished, so its last text is not there yet; name a --stage"):
        export_text(Run.open(taken_run), str(tmp_path / "out"))
    done = export_text(Run.open(taken_run), str(tmp_path / "out"), stage="news-gopher_quality", form="jsonl")
    assert done.documents == len(lines(tmp_path / "out")) == 15


def test_an_export_that_fails_leaves_nothing(little: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(module.DocumentFiles, "close", full)
    with pytest.raises(OSError, match="disk full"):
        export_text(little, str(tmp_path / "out"))
    assert [*tmp_path.iterdir()] == []


def test_a_store(little: Run) -> None:
    export_text(little, "memory://exported/texts", form="jsonl")
    assert storage.list_names("memory://exported/texts") == ["_export", "part-00000.jsonl"]
    assert storage.read_text("memory://exported/texts/part-00000.jsonl").count("\n") == 2
    with pytest.raises(UserError, match="exists already"):
        export_text(little, "memory://exported/texts", form="jsonl")


def test_what_is_refused(little: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    with pytest.raises(UserError, match="has no column 'txt'; did you mean 'text'"):
        export_text(little, out, columns=["txt"])
    with pytest.raises(UserError, match="columns are text, text; name each once"):
        export_text(little, out, columns=["text", "text"])
    with pytest.raises(InputError, match="no stage 'wrods'"):
        export_text(little, out, stage="wrods")
    with pytest.raises(UserError, match="lies in the run"):
        export_text(little, f"{little.folder}/text")
    with pytest.raises(InputError, match="cannot read ftp://"):
        export_text(little, "ftp://host/text")
    assert [*tmp_path.iterdir()] == []
