"""Truncation: drop pages whose capture lacks its end, because the crawler or the connection cut it off.

    - filter: {truncation: {}}
    - filter: {truncation: {drop: [length, disconnect]}}

Source: ISO 28500:2017 (WARC 1.1), section 5.13, for the causes that an archive states (`length`, `time`, `disconnect`,
`unspecified`). The others are ours: the body's compression or chunks have no end (`content_encoding`, `chunked`), or it
is shorter than its header states (`content_length`). `warc` and `wet` find the cause and write it to the column
`truncated`; documents of other sources have none and are kept.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.core.truncation import CAUSES, Cause

TRUNCATED = "truncated"  # the column with the cause
WHOLE = "whole"  # stands for no cause


@dataclass(frozen=True, kw_only=True)
class Truncation(Filter):
    """The causes of truncation that drop a page."""

    drop: Annotated[tuple[Cause, ...], "causes that drop a page; all by default"] = CAUSES

    reads: ClassVar[tuple[str, ...]] = (TRUNCATED,)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("cause", one_of="kept"),)
    deciding: ClassVar[tuple[str, ...]] = ("drop",)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.drop:
            raise RecipeError(f"drop is empty, so every page goes on; give some of {', '.join(CAUSES)}")

    def signal_types(self) -> Signals:
        """The cause."""
        return {"cause": pa.string()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `cause` string[N], "whole" where nothing is missing."""
        return {"cause": pc.fill_null(batch.column(TRUNCATED).cast(pa.string()), WHOLE)}

    @property
    def kept(self) -> tuple[str, ...]:
        """The values of `cause` that are kept."""
        return (WHOLE, *(cause for cause in CAUSES if cause not in self.drop))
