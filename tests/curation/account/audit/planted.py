"""Small runs in which a group is dropped more often than the rest, or none is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curation.account.run import Run
from tests.curation.account.corpus import made, write_lines

RECIPE = """
version: 1
name: planted
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/*.jsonl"], url: url, crawled_at: day, declared_language: lang}}
    - filter: {gopher_quality: {min_words: 20, min_stop_words: 0}}
      name: gopher
    - dedup: {exact: {}}
"""
LONG = "one two three four five six seven eight nine ten "


def page(number: int, site: str, *, short: bool = False, copy: bool = False, **columns: Any) -> dict[str, Any]:
    """A page of 11 words, which the filter drops, or of 31; the dedup drops all copies but one."""
    text = "copied " + 3 * LONG if copy else f"page{number} " + (LONG if short else 3 * LONG)
    return {"text": text, "url": f"https://{site}/{number}", "day": "2024-02-03", "lang": "en-GB", **columns}


def write(folder: Path, shards: Sequence[Sequence[dict[str, Any]]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, pages in enumerate(shards):
        write_lines(folder / f"{number}.jsonl", pages)


def curate(folder: Path, shards: Sequence[Sequence[dict[str, Any]]], recipe: str = RECIPE) -> Run:
    write(folder / "given", shards)
    return made(recipe % {"folder": folder / "given"}, folder / "run")


def planted() -> list[list[dict[str, Any]]]:
    """180 pages of two shards.

    Of red.de 50 of 60 are short, of 30 other sites in .de 3, of 90 sites in .com 9. Of the others in .com 40 declare
    French and are copies of each other.
    """
    red = [page(n, "www.red.de", short=n < 50) for n in range(60)]
    german = [page(n, f"site{n}.de", short=n < 3) for n in range(60, 90)]
    german = [one if n >= 3 else page(n + 60, f"site{n}.de", short=True) for n, one in enumerate(german)]
    blue = [page(n, f"blue{n}.com", short=n < 109) for n in range(100, 150)]
    french = [page(n, f"bleu{n}.com", copy=True, lang="fr") for n in range(150, 190)]
    return [[*red, *german[:10]], [*german[10:], *blue, *french]]


def even() -> list[list[dict[str, Any]]]:
    """240 pages of 240 sites, half in .de; 40 of each half are short."""
    pages = [
        page(n, f"s{n}.{'de' if n % 2 else 'com'}", short=n % 6 < 2, lang="de" if n % 4 else "en") for n in range(240)
    ]
    return [pages[:100], pages[100:]]
