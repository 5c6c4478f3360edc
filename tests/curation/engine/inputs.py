"""Two small sources of JSON lines that share some documents, and a recipe with every verb that joins them."""

import json
import random
from pathlib import Path

from tests.crawl import prose

SHARED_DOCUMENTS = 4  # in both sources
RECIPE = """
version: 1
name: joined
buckets: 2
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
