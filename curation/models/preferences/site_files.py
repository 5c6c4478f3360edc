"""What sites say in files of their own, by host and date: robots.txt, ai.txt and tdmrep.json, as a fit has read them.

One Parquet file, sorted by all its columns: a host in canonical form (`curation/text/urls/parse.py`), the kind of file,
when it was fetched, and what it says: `robots_txt.essential` lines of the first two, "" where a robots.txt does not
exist; of the third, a JSON list of [location, reserved, policy]; of a file in RSL, a JSON list of its address and its
terms, a list of [pattern, verdict]. Its metadata has the counts of what was left out.
H hosts, R rows, N documents.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError
from curation.text.kernels.buffers import Indices
from curation.text.phrases.string_set import Entries, entries, find_spans
from curation.text.urls.parse import Urls

MAIN = "site_preferences.parquet"
ROBOTS_TXT = "robots_txt"
AI_TXT = "ai_txt"
TDMREP = "tdmrep"
RSL = "rsl"  # has any address
PLACES = {"/robots.txt": ROBOTS_TXT, "/ai.txt": AI_TXT, "/.well-known/tdmrep.json": TDMREP}
SCHEMA = pa.schema(
    [
        ("host", pa.string()),
        ("kind", pa.string()),
        ("fetched_at", pa.timestamp("ms", "UTC")),
        ("content", pa.large_string()),
    ]
)
MILLISECONDS = 86_400_000  # of a day
_COUNTS = b"counts"
_KINDS = sorted([*PLACES.values(), RSL])


@dataclass(frozen=True)
class SiteFiles:
    """All files: the hosts, int64[R] dates in ms, the distinct ones of these sorted, int64[R] keys that rise with
    (host, kind, date), the distinct contents and int32[R] which of these each file has."""

    hosts: Entries
    dates: Indices
    moments: Indices
    keys: Indices
    contents: pa.Array
    content_of: npt.NDArray[np.int32]
    counts: Mapping[str, int]

    def nearest(self, urls: Urls, kind: str, dates: Indices, max_days: int) -> Indices:
        """int64[N]: the row of the host's file that was fetched nearest to each date, the earlier of two as near; -1
        where none was within `max_days` before or after. `dates` are int64[N] in ms."""
        host = find_spans(urls.data, urls.starts, urls.host_stops, self.hosts)
        if not len(self.keys):
            return np.full(len(host), -1, np.int64)
        group = host * len(_KINDS) + _KINDS.index(kind)
        after = np.searchsorted(self.keys, group << 32 | np.searchsorted(self.moments, dates))
        best = np.full(len(host), -1, np.int64)
        least = np.full(len(host), max_days * MILLISECONDS + 1)
        for row in (after - 1, after):
            inside = row.clip(0, len(self.keys) - 1)
            distance = np.abs(self.dates[inside] - dates)
            better = (row == inside) & (self.keys[inside] >> 32 == group) & (host >= 0) & (distance < least)
            best[better] = row[better]
            least[better] = distance[better]
        return best

    def rows(self, urls: Urls, kind: str) -> tuple[Indices, Indices]:
        """int64[N] each: the first row, and the one after the last, of the files of a kind that each host has."""
        host = find_spans(urls.data, urls.starts, urls.host_stops, self.hosts)
        group = host * len(_KINDS) + _KINDS.index(kind)
        first = np.searchsorted(self.keys, group << 32)
        return first, np.where(host < 0, first, np.searchsorted(self.keys, group + 1 << 32))

    def content(self, row: int) -> str:
        """The content of the file in a row."""
        text: str = self.contents[self.content_of[row]].as_py()
        return text


def to_bytes(rows: pa.Table, counts: Mapping[str, int]) -> bytes:
    """The file of some rows of SCHEMA in any order, and of what was left out of it."""
    order = [(name, "ascending") for name in SCHEMA.names]
    table = rows.sort_by(order).replace_schema_metadata({_COUNTS: json.dumps(dict(sorted(counts.items())))})
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _table(content: bytes) -> pa.Table:
    """The rows of a file. Raises ValueError for other columns, missing values, and kinds that there are not."""
    table = pq.read_table(io.BytesIO(content))
    if table.schema.remove_metadata() != SCHEMA:
        raise ValueError("it has other columns")
    table.validate(full=True)
    known = pc.all(pc.is_in(table["kind"], pa.array(_KINDS)), min_count=0).as_py()
    if not known or any(column.null_count for column in table.columns):
        raise ValueError("a row lacks a value, or has another kind")
    return table


def _counts(table: pa.Table) -> dict[str, int]:
    """The counts of the fit. Raises ValueError if the table has none."""
    counts = json.loads((table.schema.metadata or {}).get(_COUNTS, b"{}"))
    if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
        raise ValueError("it counts no files")
    return counts


@lru_cache(maxsize=4)
def load(file: str) -> SiteFiles:
    """The same object for the same name. Raises InputError if there is no such file, or it is another one."""
    if storage.size(file) < 0:
        raise InputError(
            f"no site preferences at {file}; give the path of a file made by `fit: {{site_preferences: …}}`"
        )
    try:
        table = _table(storage.read_bytes(file))
        counts = _counts(table)
    except (ValueError, OSError, RecursionError, pa.ArrowException) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).partition("\n")[0]
        raise InputError(f"{file} is not made by `fit: {{site_preferences: …}}`: {reason}") from error
    hosts = table["host"].combine_chunks().dictionary_encode()  # in their order, which is sorted
    kinds = np.asarray(pc.index_in(table["kind"], pa.array(_KINDS)), np.int64)
    dates = np.asarray(table["fetched_at"].cast(pa.int64()), np.int64)
    contents = table["content"].combine_chunks().dictionary_encode()
    moments = np.unique(dates)
    group = np.asarray(hosts.indices, np.int64) * len(_KINDS) + kinds
    return SiteFiles(
        hosts=entries(hosts.dictionary.to_pylist()),
        dates=dates,
        moments=moments,
        keys=group << 32 | np.searchsorted(moments, dates),
        contents=contents.dictionary,
        content_of=np.asarray(contents.indices, np.int32),
        counts=counts,
    )
