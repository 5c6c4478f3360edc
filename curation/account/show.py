"""Shows rows of one stage with their reason, signals and the beginning of the text, redacted as the recipe says."""

from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from curation.account.redacted import Redactor
from curation.account.sealed.sealed_stage import SealedStage
from curation.core.errors import InputError
from curation.core.settings import nearest

PREVIEW = 300  # characters of text
WIDE = ("tokens",)


@dataclass(frozen=True)
class ShownRow:
    """A document after the stage."""

    doc_id: str
    url: str | None
    reason: str | None
    text: str
    text_gone: bool  # with the originals: it was dropped on the way to the stage that redacts, or there
    signals: dict[str, Any]


def show(
    stage: SealedStage, redactor: Redactor, *, reason: str | None = None, kept: bool = False, limit: int = 10
) -> list[ShownRow]:
    """The first rows of a stage: all, those that it kept, or those whose drop reason begins with `reason`.

    Raises InputError for a stage without documents, or a reason that dropped nothing there.
    """
    columns = [name for name in stage.schema.names if name not in WIDE]
    dropped = stage.manifest.merged("dropped")
    where = None
    if kept:
        where = pc.field("drop_reason").is_null()
    elif reason is not None:
        if not any(known.startswith(reason) for known in dropped):
            raise InputError(f"{stage.name} dropped nothing as {reason!r}{nearest(reason, dropped)}")
        where = pc.starts_with(pc.field("drop_reason"), reason)
    rows: list[dict[str, Any]] = []
    for batch in stage.scan(columns, where):
        rows += map(redactor.row, batch[: limit - len(rows)].to_pylist())
        if len(rows) == limit:
            break
    return [
        ShownRow(
            doc_id=row["doc_id"],
            url=row["url"],
            reason=row["drop_reason"],
            text=(row["text"] or "")[:PREVIEW],
            text_gone=row["text"] is None and stage.manifest.originals is not None,
            signals={name: value for name, value in row.items() if isinstance(value, dict)},
        )
        for row in rows
    ]
