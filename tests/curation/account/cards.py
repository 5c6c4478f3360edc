"""Two sources with licences, dates and a page that tries to break out of the card, and a run of them: what cards are
tried on."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

from tests.crawl import prose
from tests.curation.account.corpus import made, write_lines

HOSTILE = "MIT | x\n\n# <script>alert(1)</script> `code` ![i](http://evil.example/i.png) \x1b[31m\u202e"
RECIPE = """
version: 1
name: carded
shards: {group_mb: 0}
sources:
  web:
    - read:
        jsonl: {paths: ["%(folder)s/web-*.jsonl"], url: url, licence: licence, crawled_at: at, declared_language: lang}
    - filter: {gopher_quality: {min_words: 30, min_stop_words: 0}}
    - rewrite: {unicode: {}}
  books:
    - read: {jsonl: {paths: ["%(folder)s/books.jsonl"], default_licence: CC0-1.0}}
joined:
  - dedup: {exact: {}}
"""
TOKENS = """
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0.2}
  - pack: {sequence_length: 32}
  - mix: {weights: {web: 3, books: 1}}
"""


def text(number: int, sentences: int = 8) -> str:
    """Another one for each number, in one paragraph."""
    return " ".join(prose(random.Random(number), sentences).replace("<p>", "").replace("</p>", "").split())


def web_rows() -> list[list[dict[str, Any]]]:
    """Two files: three documents of one licence; one without, a hostile one, one that is too short, a copy."""
    one = [
        {"text": text(0), "licence": "CC-BY-4.0", "at": "2024-01-05", "lang": "en"},
        {"text": text(1), "licence": "CC-BY-4.0", "at": "2024-01-02", "lang": "en"},
        {"text": text(2), "licence": "CC-BY-4.0", "lang": "en"},
    ]
    two = [
        {"text": text(3), "lang": "en", "url": "src/index.js"},
        {"text": text(4), "licence": HOSTILE, "at": "2025-03-04", "lang": "de"},
        {"text": "too short", "licence": "MIT"},
        {"text": text(0), "licence": "MIT"},
    ]
    return [
        [{"url": f"http://{name}.example/{i}", **row} for i, row in enumerate(rows)]
        for name, rows in (("one", one), ("two", two))
    ]


def write_sources(folder: Path) -> None:
    for number, rows in enumerate(web_rows()):
        write_lines(folder / f"web-{number}.jsonl", rows)
    write_lines(folder / "books.jsonl", ({"text": text(n)} for n in (10, 11)))


def run_recipe(folder: Path, recipe: str, name: str = "run") -> str:
    """The run of a recipe with `%%(folder)s`, made where it is not there yet."""
    run = folder / name
    if not run.exists():
        made(recipe % {"folder": folder}, run)
    return str(run)


def copied(run: str, to: Path) -> Path:
    shutil.copytree(run, to)
    return to


def edit_json(path: Path, **changes: Any) -> None:
    """Sets keys of a JSON file; those that become None are removed."""
    values = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in values.items() if value is not None}))
