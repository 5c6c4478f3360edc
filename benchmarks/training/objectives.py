"""How many tokens a second each objective makes examples of on one core, beside the aim of 2 million.

Rows are of 512 and of 2,048 random tokens, of which the last 2 % are padding. Documents have 400 tokens on average and
are kept apart; three of four tokens begin a word, one in twenty ends a sentence. Each row's generator is made anew, as
in training, which counts too.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.case import Case, Figures, measured
from curation.core import catalog
from training.batch import Example, Row, SpecialIds
from training.config.components import OBJECTIVE, Objective

AIM = 2.0  # million tokens a second and core
VOCABULARY = 32_768
LENGTHS = (512, 2048)
TOKENS = 1 << 13  # of a round: milliseconds, so that other work on the machine disturbs not all rounds
OPTIONS: dict[str, dict[str, dict[str, Any]]] = {  # further ways of an objective, by name
    "masked": {"words": {"unit": "words"}, "spans": {"unit": "spans"}},
    "bart": {"all ways": {"rotation": 0.5, "deletion": 0.1, "masking": 0.1}},
}


def objectives() -> Iterator[tuple[str, Objective]]:
    """All that winnow has, with their default options and with those above; a mixture of two."""
    made: dict[str, Any] = {key: catalog.find(OBJECTIVE, key) for key in catalog.known(OBJECTIVE)}
    mixture = made.pop("mixture")
    for key, kind in made.items():
        yield key, kind()
        for name, options in OPTIONS.get(key, {}).items():
            yield f"{key}, {name}", kind(**options)
    yield "mixture of two", mixture(objectives={key: made[key]() for key in ("prefix_lm", "masked")})


def rows_for(objective: Objective, length: int) -> list[Row]:
    """Random rows, and special ids behind the vocabulary."""
    rng = np.random.default_rng(0)
    names = objective.special(length)
    size = VOCABULARY + len(names)
    ids = SpecialIds(
        size=size,
        end_of_text=0,
        padding=1,
        named={name: VOCABULARY + number for number, name in enumerate(names)},
        begins_word=rng.random(size) < 0.75,
        ends_sentence=rng.random(size) < 0.05,
    )
    return [_row(length, ids, rng) for _ in range(TOKENS // length)]


def _row(length: int, ids: SpecialIds, rng: np.random.Generator) -> Row:
    tokens = rng.integers(2, VOCABULARY, length + 1).astype(np.uint16)
    tokens[rng.random(length + 1) < 1 / 400] = ids.end_of_text
    ends = tokens == ids.end_of_text
    segments = (1 + np.cumsum(ends) - ends).astype(np.int32)
    filled = length - length // 50
    tokens[filled:] = ids.padding
    segments[filled:] = 0
    return Row(tokens, segments, True, ids)


def _all(objective: Objective, rows: list[Row]) -> list[Example]:
    return [objective.example(row, np.random.default_rng((0, number))) for number, row in enumerate(rows)]


def run(options: argparse.Namespace) -> Iterator[Figures]:
    table: dict[str, dict[str, Any]] = {}
    for name, objective in objectives():
        rates = {}
        for length in LENGTHS:
            ours = partial(_all, objective, rows_for(objective, length))
            case = Case(name=name, ours=ours, amounts={"Mtokens": TOKENS / 1e6})
            rates[f"rows of {length:,}"] = measured(case, options.rounds).rates["Mtokens"]
        table[name] = {**rates, "aim": AIM, "reached": "yes" if min(rates.values()) >= AIM else "no"}
    yield Figures("million tokens a second and core", table)
