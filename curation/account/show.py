"""Shows rows of one stage with their reason, signals and the beginning of the text, redacted as the recipe says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from curation.account.drawn import drawn
from curation.account.redacted import Redactor
from curation.account.sealed.bounds import DecidingLimit, deciding_limit, recorded
from curation.account.sealed.rows import read
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.core.close_names import nearest
from curation.core.errors import InputError

PREVIEW = 300  # characters of text
WIDE = ("tokens",)


@dataclass(frozen=True)
class ShownRow:
    """A document after the stage; `decided` is the limit that dropped it there, if a limit did."""

    doc_id: str
    url: str | None
    reason: str | None
    decided: DecidingLimit | None
    text: str
    text_gone: bool  # with the originals: it was dropped on the way to the stage that redacts, or there
    signals: dict[str, Any]


def show(
    stage: SealedStage,
    redactor: Redactor,
    *,
    reason: str | None = None,
    kept: bool = False,
    limit: int = 10,
    random: int | None = None,
    seed: int = 0,
) -> list[ShownRow]:
    """Rows of a stage: of all, of those that it kept, or of those whose drop reason begins with `reason`. They are the
    first `limit`, or `random` ones that the seed draws from all parts.

    Raises InputError for a stage without documents, or a reason that dropped nothing there.
    """
    columns = [name for name in stage.schema.names if name not in WIDE]
    dropped = stage.manifest.merged("dropped")
    if reason is not None and not kept and not any(known.startswith(reason) for known in dropped):
        raise InputError(f"{stage.name} dropped nothing as {reason!r}{nearest(reason, dropped)}")
    if random is None:
        rows = _first(stage, columns, reason, kept, limit)
    else:
        rows = _drawn(stage, columns, random, seed=seed, reason=reason, kept=kept)
    rules = recorded(stage.manifest)
    return [
        ShownRow(
            doc_id=row["doc_id"],
            url=row["url"],
            reason=row["drop_reason"],
            decided=deciding_limit(rules, row),
            text=(row["text"] or "")[:PREVIEW],
            text_gone=row["text"] is None and stage.manifest.originals is not None,
            signals={name: value for name, value in row.items() if isinstance(value, dict)},
        )
        for row in map(redactor.row, rows)
    ]


def _first(
    stage: SealedStage, columns: Sequence[str], reason: str | None, kept: bool, limit: int
) -> Iterator[dict[str, Any]]:
    where = None
    if kept:
        where = pc.field("drop_reason").is_null()
    elif reason is not None:
        where = pc.starts_with(pc.field("drop_reason"), reason)
    for batch in stage.scan(columns, where):
        yield from batch[:limit].to_pylist()
        limit -= min(limit, len(batch))
        if not limit:
            return


def _drawn(stage: SealedStage, columns: Sequence[str], most: int, **which: Any) -> Iterator[dict[str, Any]]:
    places = drawn(stage, most, **which)
    rows: dict[SealedShard, list[int]] = {}
    for shard, row in sorted(places, key=lambda place: (place[0].number, place[1])):
        rows.setdefault(shard, []).append(row)
    found = {
        (shard, row): values
        for shard, own in rows.items()
        for row, values in zip(own, read(shard.files, columns, np.array(own)).to_pylist(), strict=True)
    }
    yield from (found[place] for place in places)
