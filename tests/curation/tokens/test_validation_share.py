"""A validation split that misses its share is told, with the figures."""

import pytest

from curation.core.manifest import FORMAT, Manifest
from curation.core.shard_table import ShardTable
from curation.core.verbs import FILTER, TOKENIZE, Verb
from curation.tokens.validation_share import ALLOWED, misses


def sealed(held: int | None, verb: Verb = TOKENIZE) -> Manifest:
    totals = {"books": {"parts": {"tokens": 10_000, "kept": 5}, "counts": {} if held is None else {"validation": held}}}
    return Manifest(
        format=FORMAT,
        number=1,
        name="tokenize",
        verb=verb,
        chain="books",
        address="",
        address_parts={"config": {"encode": {"validation": 0.02, "validation_by_source": {}}}},
        schema=(),
        versions={},
        shards=ShardTable(folder="", units=1, groups=(), totals=totals, faults=(), fault_count=0, lost=()),
    )


@pytest.mark.parametrize(("held", "told"), [(159, True), (160, False), (240, False), (241, True), (1340, True)])
def test_a_miss_of_more_than_a_fifth_is_told(held: int, told: bool) -> None:
    assert ALLOWED == 0.2
    assert bool(list(misses(sealed(held)))) == told
    assert not list(misses(sealed(held, FILTER)))
    assert not list(misses(sealed(None))), "not counted"


def test_how_a_miss_is_told() -> None:
    (miss,) = misses(sealed(1340))
    assert miss.startswith(
        "books: 1,340 of 10,000 tokens are held out for validation, 13.4 %, where 2 % were asked for"
    )
