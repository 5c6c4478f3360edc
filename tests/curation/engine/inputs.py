"""Two small sources of JSON lines that share some documents, and a recipe with every verb that joins them."""

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from curation.core.commits import COMMITS, Commit
from curation.engine.executor.executor import Listener
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Unit, Work
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.part_files import PartWriter
from curation.fit.sample.shares import KeptShard
from tests.crawl import prose
from tests.support import documents

SHARED_DOCUMENTS = 4  # in both sources
RECIPE = """
version: 1
name: joined
shards: {group_mb: 0}
sources:
  news:
    - read: {jsonl: {paths: ["%(folder)s/news-*.jsonl"], url: url}}
    - filter: {gopher_quality: {}}
  books:
    - read: {jsonl: {paths: ["%(folder)s/books.jsonl"], url: url}}
joined:
  - dedup: {exact: {}}
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0.2}
  - pack: {sequence_length: 32}
  - mix: {weights: {news: 1, books: 1}}
"""


def run_here(work: Work, units: Sequence[Unit], folder: str, step: str = COMMITS) -> list[Commit]:
    """The commits of units that are run in this process; they are also put down for the step."""
    with CommitLog(folder, step) as log:
        Inline().run(work, units, Listener(log.add))
        return [log.commits[unit.number] for unit in units]


def text(number: int) -> str:
    """A document that passes Gopher's rules, another one for each number."""
    return prose(random.Random(number), 10).replace("<p>", "").replace("</p>", "\n")


def write_sources(folder: Path) -> str:
    """Writes 16 and 13 documents in three files; returns the recipe that reads them."""
    numbers = {"news-0": range(8), "news-1": range(8, 15), "books": range(15 - SHARED_DOCUMENTS, 24)}
    for name, chosen in numbers.items():
        texts = [text(number) for number in chosen] + (["too short"] if name == "news-1" else [])
        rows = [{"text": one, "url": f"http://{name}.example/{i}"} for i, one in enumerate(texts)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return RECIPE % {"folder": folder}


def numbered_shards(
    folder: Path, shards: int = 2, rows: int = 2000, sources: tuple[str, ...] = ("web",), **columns: object
) -> list[KeptShard]:
    """Shards of documents with their own number as text; every fourth was dropped. `columns`: number -> value."""
    found = []
    for shard in range(shards):
        numbers = range(shard * rows, (shard + 1) * rows)
        reasons: list[object] = ["a.b:low" if n % 4 == 3 else None for n in numbers]
        ids: list[object] = [hashlib.md5(str(n).encode()).hexdigest() for n in numbers]
        more = {name: [value(n) for n in numbers] for name, value in columns.items() if callable(value)}
        batch = documents(*map(str, numbers), doc_id=ids, drop_reason=reasons, **more)
        source = sources[shard % len(sources)]
        writer = PartWriter(str(folder), shard, batch.schema, source)
        writer.add(pa.Table.from_batches([batch]))
        part = writer.close()[0]
        found.append(KeptShard((str(folder / part.file),), source, part.kept_text_bytes, part.kept))
    return found
