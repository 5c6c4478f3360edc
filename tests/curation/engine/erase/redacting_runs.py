"""Runs whose rewriter `c4_lines` stands for one that redacts: it cuts the lines that hold SECRET."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core.progress import Progress
from curation.core.protocols import Redacting
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.rewrite.c4_lines import C4Lines

NAME = "quillfeather"
SECRET = "please enable javascript, dear Ms Quillfeather"
GOOD = "The people of the small town have to read this large book with all of its pages."
RECIPE = """
version: 1
name: private
shards: {group_mb: 0}
%(privacy)s
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web-*.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: %(words)s, min_stop_words: 1}}
      name: gopher
    - dedup: {exact: {}}
    - rewrite: {c4_lines: {terminal_punctuation: false, min_words: 1}}
      name: redact
    - filter: {c4_quality: {min_sentences: %(sentences)s}}
      name: late
  books:
    - read: {jsonl: {paths: ["%(folder)s/books-*.jsonl"], url: url}}
joined:
  - dedup: {exact: {}}
    name: both
"""
UNTIL_SEALED = "privacy: {originals: until_sealed}"


class RedactingLines(C4Lines, Redacting):
    """`c4_lines`, as a component that redacts; of URLs and licences it takes out NAME."""

    def urls(self, urls: pa.Array) -> pa.Array:
        return pc.replace_substring(urls, NAME, "someone")

    def words(self, texts: pa.Array) -> pa.Array:
        return self.urls(texts)


def write_inputs(folder: Path) -> None:
    """Two shards of web documents, all with the secret: kept, short (dropped before), a copy, and one that is dropped
    after the redaction; and a book."""
    for shard in range(2):
        texts = {
            "kept": f"{GOOD} {shard}\n{SECRET}\n{GOOD}",
            "short": f"{shard}\n{SECRET}",
            "copy": f"{GOOD} {shard}\n{SECRET}\n{GOOD}",
            "late": f"A book of the people {shard}.\n{SECRET} {SECRET}",
        }
        rows = [{"url": f"http://{shard}.example/{name}", "text": text} for name, text in texts.items()]
        (folder / f"web-{shard}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "books-0.jsonl").write_text(json.dumps({"url": "http://book.example/", "text": GOOD}) + "\n")


def curate(
    folder: Path,
    run: str,
    privacy: str = UNTIL_SEALED,
    words: int = 10,
    sentences: int = 2,
    *,
    recipe: str = RECIPE,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> str:
    """The folder of the finished run."""
    values = {"folder": folder, "privacy": privacy, "words": words, "sentences": sentences}
    runner.curate(parse(recipe % values, "private.yaml"), str(folder / run), Inline(), on_progress)
    return str(folder / run)


def words_in(run: str) -> Iterator[tuple[str, str]]:
    """Every string in every Parquet and Arrow file of the run, with the file's path."""
    for path in sorted(Path(run).rglob("*")):
        if path.suffix == ".parquet":
            for column in pq.read_table(path).flatten().flatten().columns:
                if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                    yield from ((str(path), value) for value in column.drop_null().to_pylist())
        elif path.is_file() and path.suffix in {".json", ".arrow"}:
            yield str(path), path.read_bytes().decode(errors="replace")
