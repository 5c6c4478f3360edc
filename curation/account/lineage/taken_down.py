"""Tells when and where a document was taken down: in its own run, in a run that it reads, or by its recipe's list."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pyarrow as pa

from curation.core.credentials import masked
from curation.core.manifest import RunRecord
from curation.core.reasons import TAKEDOWN
from curation.core.wording import listed

SHOWN = 5  # runs


@dataclass(frozen=True)
class TakenDown:
    """`when` is ISO 8601, empty where a list kept the document out from the beginning; `where` is the other run or the
    list, empty for the run itself."""

    when: str
    where: str = ""
    listed: bool = False

    @property
    def words(self) -> str:
        """For people: "taken down in runs/2024-10 on 2026-11-28T04:00:01+00:00"."""
        where = f" {'by the list' if self.listed else 'in'} {self.where}" if self.where else ""
        return f"taken down{where}{f' on {self.when}' if self.when else ''}"


def taken_down(
    record: RunRecord, doc_id: str, text_hash: str | None, url: str | None, reason: str | None
) -> TakenDown | None:
    """The takedown of the document, or of one with its text or its URL; `reason` is why the run dropped it, if it did.
    None if it was not taken down."""
    page = _page(record, url)
    own = _own_entry(record, doc_id, text_hash, page)
    if own is not None and "of" not in own:
        return TakenDown(own["when"])
    for removal in record.removals:
        if removal.names(doc_id, text_hash, page):
            return TakenDown(removal.when, masked(removal.of), not removal.when)
    if own is not None:
        lists = {removal.of for removal in record.removals if not removal.when}
        return TakenDown(own["when"], _named(own["of"]), lists.issuperset(own["of"]))
    if reason == TAKEDOWN and record.removals:  # recognised by its keys
        latest = max(removal.when for removal in record.removals)
        return TakenDown(latest, _named([removal.of for removal in record.removals]))
    return None


def _own_entry(record: RunRecord, doc_id: str, text_hash: str | None, page: str | None) -> dict[str, Any] | None:
    """The takedown in run.json that names the document."""
    named = (
        (doc_id, record.tombstones, "tombstones"),
        (text_hash, record.taken_texts, "texts"),
        (page, record.taken_urls, "urls"),
    )
    for name, names, count in named:
        if name in names:
            ends = accumulate(takedown.get(count, 0) for takedown in record.takedowns)
            at = names.index(name)
            return next(entry for entry, end in zip(record.takedowns, ends, strict=True) if at < end)
    return None


def _page(record: RunRecord, url: str | None) -> str | None:
    """The name of the document's page; None where no takedown names any."""
    if not url or not (record.taken_urls or any(removal.urls for removal in record.removals)):
        return None
    from curation.dedup.page_names import page_names  # loads kernels

    name: str | None = page_names(pa.array([url], pa.string()))[0].as_py()
    return name


def _named(places: Sequence[str]) -> str:
    return listed([*dict.fromkeys(map(masked, places))], SHOWN)
