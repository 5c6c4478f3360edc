"""How fast one core adds keys to a Bloom filter and looks them up, beside rbloom in the same run.

    pip install rbloom                                  the peer (compiled from Rust); left out where it is missing
    python -m benchmarks.dedup.bloom                          2,000,000 keys at rates of 1 in 100 and 1 in a million
    python -m benchmarks.dedup.bloom --json figures.json      also write the figures

Keys are drawn at random. Ours are pairs of uint64 in arrays, in the order in which a bucket has them (ascending) and in
none; rbloom's are a list of Python integers made of the upper halves, its cheapest kind of key, added by `update` and
looked up one by one. Each filter is sized by its own rule for the keys and the rate. Of the keys looked up half were
added. Figures are of the fastest of `--repeats` rounds, in CPU time of the one thread that works. The two-bit sketch is
timed on the same keys.

In the JSON file: `keys` and `rows`, of which each has `what`, `rate` (stated; null for the sketch), `measured_rate` (of
keys that were not added, but for the sketch of keys that were added once), `megabytes`, `inserts_per_second`,
`lookups_per_second` and, beside those of rbloom at the same rate, `insert_ratio` and `lookup_ratio`.
"""

import argparse
import importlib
import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from curation.core.protocols import Uint64s
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import plan
from curation.models.bloom.two_bit_sketch import TwoBitSketch

PEER = "rbloom"
Half = tuple[Uint64s, Uint64s]


def drawn(count: int, seed: int) -> Half:
    """(hi, lo) of different keys."""
    draw = np.random.default_rng(seed)
    return draw.integers(0, 2**64, count, np.uint64), draw.integers(0, 2**64, count, np.uint64)


def ascending(keys: Half) -> Half:
    order = np.argsort(keys[0])
    return keys[0][order], keys[1][order]


def seconds(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def row(
    what: str, rate: float | None, count: int, rounds: list[tuple[float, float]], **figures: float
) -> dict[str, Any]:
    """Of (seconds to insert, seconds to look up) rounds of `count` keys each."""
    inserts, lookups = (count / min(column) for column in zip(*rounds, strict=True))
    speeds = {"inserts_per_second": inserts, "lookups_per_second": lookups}
    return {"what": what, "rate": rate, **figures, **speeds}


def of_partition(what: str, added: Half, others: Half, rate: float, repeats: int) -> dict[str, Any]:
    count = len(added[0])
    sizing, rounds = plan(count, rate, partitions=1, max_mb=4096), []
    for _ in range(repeats):
        partition = Partition.empty(sizing, 0)
        partition.words.fill(0)  # the first touch of its memory is not what is timed
        insert = seconds(lambda filled=partition: filled.insert(*added))  # type: ignore[misc]
        rounds.append((insert, seconds(lambda filled=partition: look_up(filled, added, others))))  # type: ignore[misc]
    measured = float(partition.contains(*others).mean())
    return row(what, rate, count, rounds, measured_rate=measured, megabytes=sizing.bytes / 1e6)


def look_up(partition: Partition, added: Half, others: Half) -> None:
    """Half as many of each as were added."""
    for hi, lo in (added, others):
        partition.contains(hi[::2].copy(), lo[::2].copy())


def of_peer(added: Half, others: Half, rate: float, repeats: int) -> dict[str, Any]:
    make = importlib.import_module(PEER).Bloom
    keys, strange = added[0].tolist(), others[0].tolist()
    mixed, rounds = keys[::2] + strange[::2], []
    for _ in range(repeats):
        peer = make(len(keys), rate)
        insert = seconds(lambda filled=peer: filled.update(keys))  # type: ignore[misc]
        rounds.append((insert, seconds(lambda filled=peer: [key in filled for key in mixed])))  # type: ignore[misc]
    measured = sum(key in peer for key in strange) / len(strange)
    return row(PEER, rate, len(keys), rounds, measured_rate=measured, megabytes=peer.size_in_bits / 8e6)


def of_sketch(what: str, keys: Half, repeats: int) -> dict[str, Any]:
    rounds = []
    for _ in range(repeats):
        sketch = TwoBitSketch.sized(len(keys[0]))
        sketch.words.fill(0)
        insert = seconds(lambda filled=sketch: filled.add(*keys))  # type: ignore[misc]
        rounds.append((insert, seconds(lambda filled=sketch: filled.repeated(*keys))))  # type: ignore[misc]
    measured = float(sketch.repeated(*keys).mean())
    return row(what, None, len(keys[0]), rounds, measured_rate=measured, megabytes=sketch.words.nbytes / 1e6)


def measure(count: int, rates: list[float], repeats: int) -> dict[str, Any]:
    added, others = drawn(count, 0), drawn(count, 1)
    in_order = ascending(added), ascending(others)
    rows = []
    for rate in rates:
        own = [
            of_partition("in order", *in_order, rate, repeats),
            of_partition("in none", added, others, rate, repeats),
        ]
        if importlib.util.find_spec(PEER) is not None:
            peer = of_peer(added, others, rate, repeats)
            for one in own:
                for name in ("insert", "lookup"):
                    one[f"{name}_ratio"] = one[f"{name}s_per_second"] / peer[f"{name}s_per_second"]
            own.append(peer)
        rows += own
    rows.append(of_sketch("sketch, in order", in_order[0], repeats))
    rows.append(of_sketch("sketch, in none", added, repeats))
    return {"keys": count, "rows": rows}


def show(figures: dict[str, Any]) -> None:
    table = Table(title=f"{figures['keys']:,} keys, one core; × is beside {PEER}")
    for column in ("keys", "rate", "measured", "MB", "inserts/s", "×", "lookups/s", "×"):
        table.add_column(column, justify="right" if column != "keys" else "left")
    for one in figures["rows"]:
        speeds = []
        for name in ("insert", "lookup"):
            ratio = one.get(f"{name}_ratio")
            speeds += [f"{one[f'{name}s_per_second'] / 1e6:,.1f} M", f"{ratio:,.1f}" if ratio else ""]
        rate = f"{one['rate']:g}" if one["rate"] else ""
        table.add_row(one["what"], rate, f"{one['measured_rate']:.2g}", f"{one['megabytes']:,.0f}", *speeds)
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keys", type=int, default=2_000_000)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-2, 1e-6])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    figures = measure(options.keys, options.rates, options.repeats)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
