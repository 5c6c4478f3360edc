"""Licences that a `licence_policy` stage was given and did not know: the words and how many documents state them.

Read from two narrow columns of the stage's files, so that they are told even where the stage keeps such documents, and
nothing that pages wrote stands in a manifest.
"""

from collections import Counter

import pyarrow.compute as pc

from curation.account.card.text import counted
from curation.core import storage
from curation.core.manifest import Manifest
from curation.core.parquet_file import open_parquet
from curation.core.threads import at_once

KEY = "licence_policy"
SHOWN = 10
MAX_CHARACTERS = 80  # shown of each


def unknown_licences(folder: str, manifest: Manifest) -> Counter[str]:
    """Words -> documents; empty for a stage without the filter."""
    if not manifest.verb.judges or KEY not in manifest.order:
        return Counter()
    found = Counter[str]()
    for one in at_once(_of_file, [storage.join(folder, part.file) for part in manifest.parts]):
        found.update(one)
    return found


def warning(found: Counter[str]) -> tuple[str, ...]:
    """One, or none where every licence is known."""
    if not found:
        return ()
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    words = (f"{text[:MAX_CHARACTERS]!r} {number:,}" for text, number in ordered[:SHOWN])
    more = f", … and {len(ordered) - SHOWN:,} more" if len(ordered) > SHOWN else ""
    return (f"{counted(found.total(), 'document')} of unknown licences: {', '.join(words)}{more}",)


def _of_file(uri: str) -> dict[str, int]:
    with open_parquet(uri) as parquet:
        table = parquet.read(columns=["licence", f"{KEY}.known"], use_threads=False)
    unknown = pc.fill_null(pc.equal(pc.struct_field(table[KEY], "known"), 0), False)
    counts = pc.value_counts(table["licence"].filter(unknown)).to_pylist()
    return {one["values"]: one["counts"] for one in counts}
