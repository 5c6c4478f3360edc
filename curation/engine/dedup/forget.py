"""Takes documents out of a sealed dedup stage's key files, so that later runs against it no longer find them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.document import pack_doc, unpack_doc
from curation.core.manifest import read_json, read_manifest, write_json
from curation.dedup.order import Keep
from curation.engine.dedup.earlier import FORGOTTEN
from curation.engine.dedup.keys import KeysStep, columns_read
from curation.engine.dedup.layout import Layout
from curation.engine.execution import Unit, run_here
from curation.engine.parts import read_part

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _KeysAgain(KeysStep):
    """Keys of what a dedup stage wrote, as when it read it, but without some documents."""

    forgotten: tuple[int, ...] = ()

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        for table in read_part(unit.payload, columns=self.columns, kept_only=False):
            docs = pack_doc(unit.number, np.asarray(table["_row"]))
            yield table.filter(pa.array(~np.isin(docs, self.forgotten)))


def forget(folder: str, methods: tuple[tuple[str, Any], ...], keep: Keep, docs: Ints) -> None:
    """Makes the key files of the shards with documents int64[D] (engine ids of the stage at `folder`) anew without them
    and without those forgotten before, from the texts that the stage wrote; `methods` and `keep` are the stage's.

    A key that another document has too stays, as that one's. Noted first, so that it is safe to do again after a crash;
    from then on the stage counts as another one for the addresses of runs against it.
    """
    manifest = read_manifest(folder)
    assert manifest is not None, "only a sealed stage is read by later runs"
    note = storage.join(folder, FORGOTTEN)
    forgotten = sorted({*(read_json(note) or []), *docs.tolist()})
    write_json(note, forgotten)
    layout = Layout(folder, len(manifest.parts), manifest.address_parts["buckets"])
    step = _KeysAgain(layout, methods, columns_read(methods, keep), keep, forgotten=tuple(forgotten))
    for shard in np.unique(unpack_doc(docs)[0]).tolist():
        run_here(step, Unit(shard, storage.join(folder, manifest.parts[shard].file)))
