"""Targets: every filter, rewriter and dedup method on hostile texts, however their column lies in memory."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.contracts import test_every_dedup_method as dedup
from tests.contracts import test_every_filter as filters
from tests.contracts import test_every_rewriter as rewrite
from tests.fuzz.child import Execution, Target
from tests.fuzz.texts import WAYS, as_array, assert_same, batch, hostile_texts, laid_out, plain

Component = Callable[[pa.RecordBatch], Any]
NEED_UTF8 = ("c4_lines datatrove",)  # sources give valid UTF-8
COLUMN_WAYS = tuple(way for way in WAYS if way not in ("chunks", "narrow"))  # those that a batch's column may have


def all_filters(folder: Path) -> dict[str, Component]:
    filters.make_assets(folder)
    return {f"{key} {variant}": _measure(key, variant) for key, variant in _each(filters)}


def all_rewriters(_: Path) -> dict[str, Component]:
    return {f"{key} {variant}": _rewrite(key, variant) for key, variant in _each(rewrite)}


def all_methods(folder: Path) -> dict[str, Component]:
    dedup.make_assets(folder)
    return {key: _keys(key) for key in dedup.KEYS}


def _each(contract: Any) -> list[tuple[str, str | None]]:
    return [(key, variant) for key in contract.KEYS for variant in contract.variants(key)]


def _measure(key: str, variant: str | None) -> Component:
    made = filters.make(key, variant)
    added = {name: column for name, column in filters.ADDED.items() if name in made.reads}

    def measure(documents: pa.RecordBatch) -> Any:
        for name, column in added.items():
            known = {"label": "en", "score": 1.0} if name == "language" else None
            documents = documents.append_column(name, pa.array([known] * len(documents), column))
        return made.measure(documents.select(made.reads))

    return measure


def _rewrite(key: str, variant: str | None) -> Component:
    made = rewrite.make(key, variant)
    return lambda documents: made.rewrite(rewrite.given_to(made, documents).select(made.reads))


def _keys(key: str) -> Component:
    made = dedup.make(key)

    def keys(documents: pa.RecordBatch) -> Any:
        found = dedup.last_keys(made, documents, documents)
        return found.hi, found.lo, found.row

    return keys


def calling(components: Callable[[Path], dict[str, Component]]) -> Callable[[Path], Execution]:
    """Gives one of the components the same texts laid out in two ways."""

    def make(folder: Path) -> Execution:
        known = list(components(folder).items())

        def execute(rng: random.Random) -> None:
            name, component = rng.choice(known)
            texts = hostile_texts(rng, valid=name in NEED_UTF8)
            expected = plain(component(batch(texts, as_array(texts))))
            way = rng.choice(COLUMN_WAYS)
            try:
                assert_same(component(batch(texts, laid_out(texts, way, rng))), expected)
            except Exception as error:
                raise AssertionError(f"{name}, texts laid out as {way}: {texts}") from error

        return execute

    return make


TARGETS = {
    "filters": Target(calling(all_filters), 45_000, 50),
    "rewriters": Target(calling(all_rewriters), 40_000, 30),
    "dedup": Target(calling(all_methods), 40_000, 30),
}
