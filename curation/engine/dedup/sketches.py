"""The pre-pass counts keys in two bits each, so that those which occur once need not be written.

*sketch*, per group of shards: its keys, and those of earlier runs, are counted in one sketch per prefix. *merge*, per
sketch: the counts of all groups are added up. Then a shard writes only keys that occur twice or more, and a few that
seem to; no repeated key is lost. The price: every key is made twice, and each group writes and each shard reads two
bytes per key. It pays from some 10^8 keys on, where most occur once and what is written crosses a network.
"""

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.dedup_methods import Methods
from curation.core.document import bucket_of
from curation.core.protocols import Uint64s
from curation.engine.dedup.layout import SKETCH, Layout
from curation.models.bloom.two_bit_sketch import TwoBitSketch
from curation.text.kernels.mix64 import GOLDEN


def sketch_path(layout: Layout, number: int) -> str:
    return storage.join(layout.folder, SKETCH, f"sketch-{number:05d}.bits")


def only_repeated(layout: Layout, methods: Methods, keys: pa.Table, sketches: int) -> pa.Table:
    """The rows whose key the sketches have seen twice or several documents of the shard have, and all rows of methods
    that are not about repeated keys. `sketches` is the number of sketches."""
    kept = np.asarray(keys["copies"]) > 1
    all_kept = [number for number, (_, method) in enumerate(methods) if not method.only_repeated]
    kept |= np.isin(np.asarray(keys["method"]), all_kept)
    hi, lo = sketched_keys(keys)
    sketch_of = bucket_of(hi, sketches)
    left = np.flatnonzero(~kept)
    for number in np.unique(sketch_of[left]).tolist():
        rows = left[sketch_of[left] == number]
        sketch = TwoBitSketch.from_bytes(storage.read_bytes(sketch_path(layout, number)))
        kept[rows] = sketch.repeated(hi[rows], lo[rows])
    return keys.filter(pa.array(kept))


def sketched_keys(keys: pa.Table) -> tuple[Uint64s, Uint64s]:
    """Both halves of each key as the sketches count it: by `hi` alone, because some methods pair keys by that."""
    hi: Uint64s = np.asarray(keys["key_hi"])
    mixed = hi * GOLDEN
    return hi, (mixed ^ (mixed >> np.uint64(29))) * GOLDEN
