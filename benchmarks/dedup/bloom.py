"""How fast one core adds keys to a Bloom filter and looks them up, beside rbloom (`pip install rbloom`).

Keys are drawn at random. Ours are pairs of uint64 in arrays, once ascending, as in a bucket, and once unsorted. rbloom
gets a list of Python integers, the upper halves, which is its cheapest kind of key; `update` adds them, and they are
looked up one by one. Each filter is sized by its own rule for the keys and the rate. Half of the keys looked up were
added. The results agree if no filter's rate of false positives is twice the rate that was asked for.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.case import Case, DisagreementError, package
from curation.core.protocols import Uint64s
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import plan

Half = tuple[Uint64s, Uint64s]  # (hi, lo) of different keys


def drawn(count: int, seed: int) -> Half:
    draw = np.random.default_rng(seed)
    return draw.integers(0, 2**64, count, np.uint64), draw.integers(0, 2**64, count, np.uint64)


def ascending(keys: Half) -> Half:
    order = np.argsort(keys[0])
    return keys[0][order], keys[1][order]


def filled(keys: Half, rate: float) -> Partition:
    partition = Partition.empty(plan(len(keys[0]), rate, partitions=1, max_mb=4096), 0)
    partition.words.fill(0)  # the first touch of its memory
    partition.insert(*keys)
    return partition


def look_up(partition: Partition, added: Half, others: Half) -> None:
    """Looks up half of the keys that were added and half of the others."""
    for hi, lo in (added, others):
        partition.contains(hi[::2].copy(), lo[::2].copy())


def peer_filled(keys: list[int], rate: float) -> Any:
    made = package("rbloom").Bloom(len(keys), rate)
    made.update(keys)
    return made


def run(options: argparse.Namespace) -> Iterator[Case]:
    added = drawn(options.keys, 0)
    others = drawn(options.keys, 1)
    ours = {"in order": (ascending(added), ascending(others)), "unsorted": (added, others)}
    keys = added[0].tolist()
    strange = others[0].tolist()
    mixed = keys[::2] + strange[::2]
    common: dict[str, Any] = {"amounts": {"keys": options.keys}, "called": "rbloom", "packages": ("rbloom",)}
    for rate in options.rates:
        theirs: dict[str, Any] = {}  # their filter, made once before it is looked up in

        def fill(rate: float = rate, theirs: dict[str, Any] = theirs) -> Any:
            theirs["filter"] = peer_filled(keys, rate)
            return theirs["filter"]

        def peer_look_up(theirs: dict[str, Any] = theirs) -> list[bool]:
            made = theirs["filter"] if theirs else package("rbloom")
            return [key in made for key in mixed]

        def alike(mine: Partition, peers: Any, rate: float = rate) -> str:
            rates = mine.contains(*others).mean(), sum(key in peers for key in strange) / len(strange)
            if max(rates) > 2 * rate + 5 / len(strange):
                raise DisagreementError(f"false positives {rates}, asked for {rate:g}")
            return f"false positives {rates[0]:.2g} and {rates[1]:.2g}"

        for what, (own, strangers) in ours.items():
            name = f"{what}, {rate:g}"
            yield Case(name=f"insert {name}", ours=partial(filled, own, rate), peer=fill, agree=alike, **common)
            search = partial(look_up, filled(own, rate), own, strangers)
            yield Case(name=f"look up {name}", ours=search, peer=peer_look_up, **common)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keys", type=int, default=2_000_000)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-2, 1e-6])
