"""A small run with planted items, made without Ray, and the documents that hold them.

0  clean                                             5  the question of sums/0, too short for the filter of words
1  sums/0: question and answer                       6  clean, with "Two and two" in it: sums/1 cannot be found
2  places/0: its first 14 tokens of 18               7  the near copy of 8
3  sums/0: its question, in capitals                 8  clean, of ninety words
4  clean
"""

import json
from pathlib import Path

from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS, write_rows

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty")
PARTLY = " ".join(SHIPS.split()[:14])
ANSWER = ITEMS["sums"][0]["answer"]


def plain_text(number: int, words: int = 60) -> str:
    """Words of which no 8 in a row are those of an item or of another number."""
    return " ".join(f"{WORDS[(at + number) % 10]}{number}x{at}" for at in range(words))


TEXTS = [
    plain_text(0),
    f"{plain_text(1)}. Write to jane@example.org. {HENS}? {ANSWER}! {plain_text(11)}",
    f"{plain_text(2)}. {PARTLY}. {plain_text(12)}",
    f"{plain_text(3)}: {HENS.upper()}?! {plain_text(13)}",
    plain_text(4),
    f"{HENS}.",
    f"{plain_text(6)} Two and two. {plain_text(16)}",
    f"{plain_text(8, 90)} and something else.",
    plain_text(8, 90),
]
RECIPE = """
version: 1
name: seen
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web-*.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: 25, max_words: 1000, max_mean_word_length: 100, min_stop_words: 0,
        min_alphabetic_words: 0}}
joined:
%(found)s
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: %(validation)s}
  - pack: {sequence_length: 64}
  - mix: {}
"""
FOUND = """
  - fit:
      evalsets:
        sets:
          sums: {files: %(folder)s/sums.jsonl, answer: answer}
          places: {files: %(folder)s/places.jsonl, choices: choices, answer: answer}
        sizes: [8]
  - filter: {contamination: {evalsets: "@evalsets", method: llama, action: %(action)s}}
"""


def url(number: int) -> str:
    return f"http://web.example/{number}"


def write_sources(folder: Path) -> None:
    """Two files of documents, and the sets."""
    rows = [{"text": text, "url": url(number)} for number, text in enumerate(TEXTS)]
    for name, part in (("web-0", rows[:4]), ("web-1", rows[4:])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    for name, items in ITEMS.items():
        write_rows(folder / f"{name}.jsonl", items)


def curate(folder: Path, *, action: str = "mark", validation: float = 0.0, found: bool = True, extra: str = "") -> str:
    """The run of the recipe; `extra` are lines after the contamination stage."""
    write_sources(folder)
    stages = (FOUND % {"folder": folder, "action": action} if found else "") + extra
    text = RECIPE % {"folder": folder, "found": stages, "validation": validation}
    run = folder / "run"
    runner.curate(parse(text, "m.yaml"), str(run), Inline())
    return str(run)
