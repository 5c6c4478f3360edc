"""A small corpus of two languages and a recipe with two filter stages, run without Ray: what limits are tried on."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.run import Run
from curation.account.tune.limits import parse_changes
from curation.account.tune.tune_report import Tuning
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.fit.tokenizer import Tokenizer
from tests.crawl import prose
from tests.support import learned

NOUNS = "Fluss Tal Dorf Haus Garten Fenster Lehrer Winter Straße Brücke Markt Kirche Abend Morgen Wald Berg".split()
VERBS = "sieht findet malt baut verlässt besucht trägt verkauft hütet öffnet vergisst kennt".split()
RECIPE = """
version: 1
name: tried
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web-*.jsonl"], url: url}}
    - filter: {language: {languages: [en, de], min_score: %(score)s}}
    - filter:
        gopher_quality: {min_words: %(words)s, min_stop_words: 0, by_language: {de: {max_mean_word_length: %(german)s}}}
        gopher_repetition: {max_duplicate_lines: %(lines)s, %(others)s}
      name: gopher
    - dedup: {exact: {}}
    - tokenize: {tokenizer: "%(folder)s/tokenizer.json", validation: 0.1}
"""
OTHERS = [  # of the same rule set, out of the way: the corpus is made of few words
    *("max_duplicate_paragraphs", "max_duplicate_line_characters", "max_duplicate_paragraph_characters"),
    *(f"max_top_{n}gram_characters" for n in (2, 3, 4)),
    *(f"max_duplicate_{n}gram_characters" for n in (5, 6, 7, 8, 9, 10)),
]
LIMITS = {
    "score": 0.85,
    "words": 50,
    "german": 9.0,
    "lines": 0.3,
    "others": ", ".join(f"{name}: 1.0" for name in OTHERS),
}
SOURCES_RECIPE = """
version: 1
name: joined
shards: {group_mb: 0}
sources:
  one:
    - read: {jsonl: {paths: ["%(folder)s/web-[01].jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: %(one)s, min_stop_words: 0}}
  two:
    - read: {jsonl: {paths: ["%(folder)s/web-2.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: %(two)s, min_stop_words: 0}}
joined:
  - filter:
      c4_quality: {min_sentences: %(sentences)s}
      fineweb_quality: {max_duplicate_line_characters: %(repeated)s, max_short_lines: %(short)s}
    name: quality
  - rewrite: {unicode: {}}
  - dedup: {exact: {}}
"""
SOURCES_LIMITS = {"one": 50, "two": 80, "sentences": 3, "repeated": 0.1, "short": 0.67}


def german(rng: random.Random, sentences: int) -> str:
    """Sentences that the classifier takes for German, four a line."""
    made = [
        f"Der {rng.choice(NOUNS)} {rng.choice(VERBS)} den {rng.choice(NOUNS)} und die {rng.choice(NOUNS)} nicht."
        for _ in range(sentences)
    ]
    return "\n".join(" ".join(made[i : i + 4]) for i in range(0, sentences, 4))


def texts(seed: int, documents: int) -> list[str]:
    """Half English, half German, of 2 to 30 sentences; every fifth has a line in both, every seventh repeats a line,
    every eleventh is a copy."""
    rng = random.Random(seed)
    made: list[str] = []
    for number in range(documents):
        length = rng.randrange(2, 31)
        english = prose(rng, length).replace("<p>", "").replace("</p>", "")
        text = german(rng, length) if number % 2 else english
        if number % 5 == 2:
            text = f"{german(rng, 1)} {english}" if rng.random() < 0.5 else f"{english[:60]} {german(rng, length)}"
        if number % 7 == 3:
            text = "\n".join([*text.split("\n"), *[text.split("\n")[0]] * rng.randrange(1, 6)])
        made.append(made[rng.randrange(number)] if number % 11 == 10 else text)
    return made


def write_corpus(folder: Path) -> None:
    """Three shards of 100 documents, and the tokenizer that all runs share."""
    every: list[str] = []
    for shard in range(3):
        own = texts(shard, 100)
        rows = [{"text": one, "url": f"http://{shard}.example/{i}"} for i, one in enumerate(own)]
        write_lines(folder / f"web-{shard}.jsonl", rows)
        every += own
    made = learned(Tokenizer(vocab_size=300), [pa.array(every, pa.large_string())])
    (folder / "tokenizer.json").write_bytes(made)


def curate(folder: Path, **limits: Any) -> Run:
    """The recipe's run with LIMITS or others, made where it is not there yet."""
    return _run(folder, RECIPE, "run", LIMITS, limits)


def curate_sources(folder: Path, **limits: Any) -> Run:
    """The same of the recipe that joins two sources, whose limits are by default those in SOURCES_LIMITS."""
    return _run(folder, SOURCES_RECIPE, "sources", SOURCES_LIMITS, limits)


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A JSON line for each row."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def made(recipe: str, run: Path | str) -> Run:
    """The run of a recipe, made in this process."""
    runner.curate(parse(recipe, "m.yaml"), str(run), Inline(), lambda _: None)
    return Run.open(run)


def _run(folder: Path, recipe: str, name: str, usual: dict[str, Any], limits: dict[str, Any]) -> Run:
    run = str(folder / "-".join([name, *(f"{key}-{value}" for key, value in limits.items())]))
    return made(recipe % {"folder": folder, **usual, **limits}, run)


def rows(run: Run, name: str) -> pa.Table:
    """All rows of a stage, with all columns that documents have there."""
    stage = run.stage(name)
    return pa.Table.from_batches(stage.scan(stage.schema.names), stage.schema)


def reasons(run: Run, name: str) -> dict[str, str | None]:
    """url -> drop reason in a stage."""
    table = rows(run, name)
    return dict(zip(table["url"].to_pylist(), table["drop_reason"].to_pylist(), strict=True))


def tokens(run: Run) -> dict[str, int]:
    """url -> tokens of the documents that the run kept to its end."""
    table = rows(run, "tokenize")
    return {url: len(ids) for url, ids in zip(table["url"].to_pylist(), table["tokens"].to_pylist(), strict=True)}


def tried(run: Run, *settings: str, stage: str | None = None, **options: Any) -> dict[str, Tuning]:
    """What `tune` says of each stage with `settings` as on the command line."""
    return {one.stage: one for one in run.tune(stage, changes=parse_changes(settings), **options)}


def spoil(path: Path, name: str, groups: int | None = None) -> None:
    """Overwrites a column's pages in the first row groups of a Parquet file, or in all."""
    content = bytearray(path.read_bytes())
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups if groups is None else groups):
        columns = [metadata.row_group(group).column(at) for at in range(metadata.num_columns)]
        for column in (column for column in columns if column.path_in_schema == name):
            start = column.dictionary_page_offset or column.data_page_offset
            content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    path.write_bytes(bytes(content))
