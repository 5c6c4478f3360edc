"""A run of two sources with copies inside and across them, made without Ray, and a training run's folder on it."""

import hashlib
import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from tokenizers import Tokenizer

from curation.account.lineage.requests import Request, read_request
from curation.account.run import Run
from curation.core.manifest import RunRecord
from curation.core.run_lock import LOCK
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.tokens.shards import TokenData
from tests.crawl import prose

RECIPE = """
version: 1
name: taken
shards: {group_mb: 0}
sources:
  news:
    - read: {jsonl: {paths: ["%(folder)s/news-*.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: %(words)s}}
    - dedup: {exact: {}}
  books:
    - read: {jsonl: {paths: ["%(folder)s/books-*.jsonl"], url: url}}
joined:
  - dedup: {minhash: {threshold: 0.6}}
    name: near
  - dedup: {paragraph: {}, substring: {}}
    name: spans
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0.25, seed: 1}
  - pack: {sequence_length: 48%(pack)s}
  - mix: {}
"""
SHARED = "A sentence that stands at the end of many pages, and is long enough to be found as a substring of them all."
COPIES = {  # url -> url of the document that it is an exact or (~) a near copy of
    "http://news-0.example/5": "http://news-0.example/1",
    "http://news-1.example/2": "http://news-0.example/1",
    "http://books-0.example/3": "~http://news-0.example/1",
    "http://books-0.example/4": "http://books-0.example/0",
}
CLUSTER = ["http://news-0.example/1", *list(COPIES)[:3]]  # all that are copies of each other


def marker(url: str) -> str:
    """A word that stands in the text of this document and of its copies only."""
    original = COPIES.get(url, url).removeprefix("~")
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(original.encode()).hexdigest()[:14])


def text_of(url: str) -> str:
    """Another text for each url, but for those in COPIES."""
    original = COPIES.get(url, url)
    rng = random.Random(original.removeprefix("~"))
    paragraphs = [
        f"The word {marker(url)} stands here. " + prose(rng, 6).replace("<p>", "").replace("</p>", "\n")
        for _ in range(2)
    ]
    if original.startswith("~"):
        paragraphs[-1] = paragraphs[-1].rsplit(" ", 3)[0]
    return "\n\n".join([*paragraphs, SHARED] if int(url.rpartition("/")[2]) % 3 == 0 else paragraphs)


def write_sources(folder: Path) -> None:
    """Three files of 8 documents and one of 6; the last of `news-1` is too short for the filter."""
    for name, count in (("news-0", 8), ("news-1", 8), ("books-0", 6), ("books-1", 8)):
        urls = [f"http://{name}.example/{number}" for number in range(count)]
        rows = [{"text": text_of(url), "url": url} for url in urls]
        if name == "news-1":
            rows[-1]["text"] = "Too short by far."
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def curate(sources: Path, run: Path, executor: Executor | None = None, *, words: int = 20, pack: str = "") -> RunRecord:
    """Runs the recipe on the sources into the folder `run`."""
    text = RECIPE % {"folder": sources, "words": words, "pack": pack}
    return runner.curate(parse(text, "m.yaml"), str(run), executor or Inline())


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sources; beside them `made`, a run that is made when a test first asks for `taken_run`."""
    folder = tmp_path_factory.mktemp("sources")
    write_sources(folder)
    return folder


@pytest.fixture
def taken_run(sources: Path, tmp_path: Path) -> Path:
    """A run of its own for the test, in an otherwise empty folder."""
    if not (sources / "made").exists():
        curate(sources, sources / "made")
    run = tmp_path / "runs" / "run"
    shutil.copytree(sources / "made", run)
    return run


def request(folder: Path, *urls: str) -> Request:
    """A file that asks for these urls, read."""
    path = folder / "request.txt"
    path.write_text("".join(f"{url}\n" for url in urls))
    return read_request(str(path), "url")


def write_training(folder: Path, data: Path, *, steps: int, batch_rows: int = 2, **more: Any) -> Path:
    """What a training run leaves that has made `done` steps (all, if not said), with checkpoints at some of them;
    `read` is where its data was then."""
    settings = {"steps": steps, "batch_rows": batch_rows, "sequence_length": more.get("sequence_length", 48)}
    folder.mkdir(parents=True)
    read = more.get("read", data)
    fingerprint = TokenData.open(str(read)).fingerprint() if list(read.rglob("index.json")) else "0" * 32
    content = {"config": settings, "data": fingerprint, "path": str(data)}
    (folder / "config.json").write_text(json.dumps(content))
    done = more.get("done", steps)
    records = [{"kind": "step", "step": step} for step in range(1, done + 1)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for step in more.get("checkpoints", ()):
        (folder / "checkpoints" / f"step_{step}").mkdir(parents=True)
        (folder / "checkpoints" / f"step_{step}" / "_manifest.json").write_text("{}")
    if done == steps:
        (folder / "result.json").write_text(json.dumps({"steps": steps, "data": str(data)}))
    return folder


def stage_folder(run: Path, name: str) -> Path:
    (folder,) = run.glob(f"[0-9][0-9]-{name}-????????")
    return folder


def rows(run: Path, name: str) -> list[dict[str, Any]]:
    """All rows of a stage of the run as it is now, in order, with all columns that documents have there."""
    stage = Run.open(run).stage(name)
    return [row for batch in stage.scan(stage.schema.names) for row in batch.to_pylist()]


def doc_id_of(run: Path, url: str) -> str:
    for name in ("news-read", "books-read"):
        for row in rows(run, name):
            if row["url"] == url:
                return str(row["doc_id"])
    raise KeyError(url)


def hashes(run: Path, *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """SHA-256 of every file in the run's folder but the lock, which says who held it last."""
    files = sorted(path for path in run.rglob("*") if path.is_file() and path.name not in (LOCK, *without))
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def arrow_table(path: Path) -> pa.Table:
    """Commits are Arrow streams, all else is Arrow files."""
    opened = pa.ipc.open_stream if path.name.startswith("group-") else pa.ipc.open_file
    with opened(path) as file:
        return file.read_all()


def contents(run: Path) -> list[str]:
    """What each file of the run holds, its tokens decoded."""
    found = []
    for path in sorted(run.rglob("*")):
        if path.suffix == ".parquet":
            found.append(str(pq.read_table(path).to_pylist()))
        elif path.suffix == ".arrow":
            found.append(str(arrow_table(path).to_pylist()))
        elif path.suffix == ".bin":
            tokenizer = Tokenizer.from_file(str(path.parent / "tokenizer.json"))
            found.append(tokenizer.decode(np.fromfile(path, "<u2").tolist()))
        elif path.is_file():
            found.append(path.read_bytes().decode(errors="replace"))
    return found
