"""The pre-pass: keys are counted in two bits each, so that those which occur once need not be written.

*sketch*, per group of shards: their keys, and those of earlier runs, are counted in sketches by their prefix.
*merge*, per sketch: those of all groups are added up. Then a shard writes only keys that occur twice or more, and a
few that seem to. No repeated key is lost. It costs making every key twice, two bytes per key and group, and as many
that each shard reads again: it pays for some 10^8 keys, where most occur once and what is written has to travel.
"""

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.document import bucket_of
from curation.core.protocols import DedupMethod, Embeds, Members, Methods, Uint64s
from curation.engine.dedup.layout import SKETCH, Layout
from curation.models.bloom.two_bit_sketch import TwoBitSketch
from curation.text.kernels.mix64 import GOLDEN


def sketch_path(layout: Layout, number: int) -> str:
    return storage.join(layout.folder, SKETCH, f"sketch-{number:05d}.bits")


def only_repeated(layout: Layout, methods: Methods, keys: pa.Table, sketches: int) -> pa.Table:
    """Rows whose key the sketches have seen twice, or that several documents of the shard have, and all rows of methods
    that are not about repeated keys. `sketches` is how many there are."""
    kept = np.asarray(keys["copies"]) > 1
    number = np.asarray(keys["method"])
    kept |= np.isin(number, [n for n, (_, method) in enumerate(methods) if not counts(method)])
    hi, lo = sketched_keys(keys)
    sketch_of = bucket_of(hi, sketches)
    left = np.flatnonzero(~kept)
    for one in np.unique(sketch_of[left]).tolist():
        rows = left[sketch_of[left] == one]
        sketch = TwoBitSketch.from_bytes(storage.read_bytes(sketch_path(layout, one)))
        kept[rows] = sketch.repeated(hi[rows], lo[rows])
    return keys.filter(pa.array(kept))


def counts(method: DedupMethod) -> bool:
    """True for methods to which a key that occurs once is of no use."""
    return not isinstance(method, Members | Embeds)


def sketched_keys(keys: pa.Table) -> tuple[Uint64s, Uint64s]:
    """Both halves of each key as the sketches know it: by `hi` alone, by which some methods pair their keys."""
    hi: Uint64s = np.asarray(keys["key_hi"])
    mixed = hi * GOLDEN
    return hi, (mixed ^ (mixed >> np.uint64(29))) * GOLDEN
