"""Licences that a `licence_policy` stage was given and did not know: the words and how many documents state them.

Read from two narrow columns of the stage's files, so they are known even where the stage keeps such documents, and no
words of pages stand in a manifest.
"""

from collections import Counter

import pyarrow.compute as pc

from curation.account.card.text import counted
from curation.account.run.stage import Shard, Stage
from curation.core.threads import at_once

KEY = "licence_policy"
SHOWN = 10
MAX_CHARACTERS = 80  # shown of each


def unknown_licences(stage: Stage) -> Counter[str]:
    """Words -> documents; empty for a stage without the filter."""
    words = Counter[str]()
    if stage.verb.judges and KEY in stage.manifest.order:
        for counts in at_once(_of_shard, stage.shards):
            words.update(counts)
    return words


def warning(found: Counter[str]) -> tuple[str, ...]:
    """One, or none where every licence is known."""
    if not found:
        return ()
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    words = (f"{text[:MAX_CHARACTERS]!r} {number:,}" for text, number in ordered[:SHOWN])
    more = f", … and {len(ordered) - SHOWN:,} more" if len(ordered) > SHOWN else ""
    return (f"{counted(found.total(), 'document')} of unknown licences: {', '.join(words)}{more}",)


def _of_shard(shard: Shard) -> dict[str, int]:
    table = shard.read(["licence", f"{KEY}.known"])
    unknown = pc.fill_null(pc.equal(pc.struct_field(table[KEY], "known"), 0), False)
    counts = pc.value_counts(table["licence"].filter(unknown)).to_pylist()
    return {one["values"]: one["counts"] for one in counts}
