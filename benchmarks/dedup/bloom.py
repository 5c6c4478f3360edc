"""How fast one core adds keys to a Bloom filter and looks them up, beside rbloom in the same run.

    pip install rbloom                           the peer (compiled from Rust); without it, only ours is measured
    python -m benchmarks.dedup.bloom             2,000,000 keys at rates of 1 in 100 and 1 in a million

Keys are drawn at random. Ours are pairs of uint64 in arrays, once ascending, as in a bucket, and once unsorted. rbloom
gets a list of Python integers, the upper halves, which is its cheapest kind of key; `update` adds them, and they are
looked up one by one. Each filter is sized by its own rule for the keys and the rate. Half of the keys looked up were
added. Figures are CPU time of the fastest of `--repeats` rounds.

In the JSON file: `keys` and `rows`, each with `what`, `rate` (stated), `measured_rate` (of keys that were not added),
`megabytes`, `inserts_per_second`, `lookups_per_second` and, relative to rbloom at the same rate, `insert_ratio` and
`lookup_ratio`.
"""

import importlib
import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.figures import command_line, empty_table, write_json
from curation.core.protocols import Uint64s
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import plan

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


def row_of(what: str, rate: float, count: int, rounds: list[tuple[float, float]], **figures: float) -> dict[str, Any]:
    """A row from rounds of (seconds to insert, seconds to look up) `count` keys."""
    inserts, lookups = (count / min(column) for column in zip(*rounds, strict=True))
    speeds = {"inserts_per_second": inserts, "lookups_per_second": lookups}
    return {"what": what, "rate": rate, **figures, **speeds}


def of_partition(what: str, added: Half, others: Half, rate: float, repeats: int) -> dict[str, Any]:
    count = len(added[0])
    sizing = plan(count, rate, partitions=1, max_mb=4096)
    rounds = []
    for _ in range(repeats):
        partition = Partition.empty(sizing, 0)
        partition.words.fill(0)  # the first touch of its memory is not what is timed
        insert = seconds(partial(partition.insert, *added))
        rounds.append((insert, seconds(partial(look_up, partition, added, others))))
    measured = float(partition.contains(*others).mean())
    return row_of(what, rate, count, rounds, measured_rate=measured, megabytes=sizing.bytes / 1e6)


def look_up(partition: Partition, added: Half, others: Half) -> None:
    """Looks up half of the keys that were added and half of the others."""
    for hi, lo in (added, others):
        partition.contains(hi[::2].copy(), lo[::2].copy())


def of_peer(added: Half, others: Half, rate: float, repeats: int) -> dict[str, Any]:
    make = importlib.import_module(PEER).Bloom
    keys = added[0].tolist()
    strange = others[0].tolist()
    mixed = keys[::2] + strange[::2]
    rounds = []
    for _ in range(repeats):
        peer = make(len(keys), rate)
        insert = seconds(partial(peer.update, keys))
        rounds.append((insert, seconds(lambda peer=peer: [key in peer for key in mixed])))  # type: ignore[misc]
    measured = sum(key in peer for key in strange) / len(strange)
    return row_of(PEER, rate, len(keys), rounds, measured_rate=measured, megabytes=peer.size_in_bits / 8e6)


def measure(count: int, rates: list[float], repeats: int) -> dict[str, Any]:
    added = drawn(count, 0)
    others = drawn(count, 1)
    in_order = ascending(added), ascending(others)
    rows = []
    for rate in rates:
        own = [
            of_partition("in order", *in_order, rate, repeats),
            of_partition("unsorted", added, others, rate, repeats),
        ]
        if importlib.util.find_spec(PEER) is not None:
            peer = of_peer(added, others, rate, repeats)
            for ours in own:
                for name in ("insert", "lookup"):
                    ours[f"{name}_ratio"] = ours[f"{name}s_per_second"] / peer[f"{name}s_per_second"]
            own.append(peer)
        rows += own
    return {"keys": count, "rows": rows}


def show(figures: dict[str, Any]) -> None:
    columns = ("rate", "measured", "MB", "inserts/s", "×", "lookups/s", "×")
    table = empty_table(f"{figures['keys']:,} keys, one core; × is relative to {PEER}", "keys", *columns)
    for row in figures["rows"]:
        speeds = []
        for name in ("insert", "lookup"):
            ratio = row.get(f"{name}_ratio")
            speeds += [f"{row[f'{name}s_per_second'] / 1e6:,.1f} M", f"{ratio:,.1f}" if ratio else ""]
        table.add_row(
            row["what"], f"{row['rate']:g}", f"{row['measured_rate']:.2g}", f"{row['megabytes']:,.0f}", *speeds
        )
    Console().print(table)


def main() -> None:
    parser = command_line("dedup.bloom", __doc__)
    parser.add_argument("--keys", type=int, default=2_000_000)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-2, 1e-6])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    figures = measure(options.keys, options.rates, options.repeats)
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
