"""Finds a crawl's records by host or language in its columnar index: Parquet files, sorted by `url_surtkey`.

Source: Common Crawl, "Index to WARC Files and URLs in Columnar Format". The records are the index's subset `warc`:
answers of success, not redirects or robots.txt.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.errors import InputError, UserError
from curation.core.row_files import reading
from curation.core.wording import counted
from curation.sources.commoncrawl.crawl_files import CrawlFiles
from curation.sources.commoncrawl.path_lists import SCHEME
from curation.text.urls.hosts import ascii_host

MAX_RECORD = 64 << 20  # bytes, as stored
_PLACE = ("warc_filename", "warc_record_offset", "warc_record_length")
_KEY = "url_surtkey"
_BEYOND = "\U0010ffff"  # greater than any key


@dataclass(frozen=True)
class CrawlSelection:
    """Which records: those of a host, with or without `www.` before it, or those in a language, as its code of three
    letters: the first, so the main one, of those that the crawl has found in the page."""

    host: str = ""
    language: str = ""

    def __post_init__(self) -> None:
        if bool(self.host) == bool(self.language):
            raise UserError("give either a host or a language")
        if self.host and not re.fullmatch(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+", self._host):
            raise UserError(f"{self.host!r} is no host; give one such as example.org")
        if self.language and not re.fullmatch("[a-z]{3}", self.language):
            raise UserError(f"{self.language!r} is no language of the index; give three letters of ISO 639-3, as deu")

    @property
    def _host(self) -> str:
        return ascii_host(self.host.encode()).strip(".").removeprefix("www.")

    @property
    def label(self) -> str:
        """For names of files."""
        return self._host or self.language

    @property
    def keys(self) -> tuple[str, str]:
        """Of `url_surtkey`: from the first on, below the second."""
        if self.language:
            return "", _BEYOND
        key = ",".join(reversed(self._host.split(".")))
        return f"{key})", f"{key}*"

    @property
    def columns(self) -> tuple[str, ...]:
        """That are read."""
        return (*_PLACE, "content_languages") if self.language else (*_PLACE, _KEY, "url_host_name")

    @property
    def condition(self) -> tuple[str, list[str]]:
        """In SQL, with its parameters."""
        if self.language:
            return "content_languages = ? OR starts_with(content_languages, ?)", [self.language, f"{self.language},"]
        where = f"{_KEY} >= ? AND {_KEY} < ? AND url_host_name IN (?, ?)"
        return where, [*self.keys, self._host, f"www.{self._host}"]


class CrawlIndex:
    """Some of the index's files, in their order."""

    def __init__(self, files: CrawlFiles, paths: Sequence[str]) -> None:
        self._files = files
        self._paths = paths
        self._footer = cache(self._read_footer)

    def holding(self, selection: CrawlSelection) -> tuple[list[str], int]:
        """The files that may hold records of the selection, and about how many bytes of them are to be read.

        For a host a few footers are read, because the files are sorted. For a language all files are taken to be like
        the one in the middle. Raises InputError for an index without the columns.
        """
        low, high = selection.keys
        if selection.language:
            return [*self._paths], len(self._paths) * self._bytes(self._paths[len(self._paths) // 2], selection)
        paths: list[str] = []
        for path in self._paths[bisect_left(self._paths, low, key=lambda path: self._keys(path)[1]) :]:
            if self._keys(path)[0] >= high:
                break
            paths.append(path)
        return paths, sum(self._bytes(path, selection) for path in paths)

    def _read_footer(self, path: str) -> pq.FileMetaData:
        try:
            with self._files.open(path) as file:
                return pq.read_metadata(file)
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{self._files.client.url(path)} cannot be read as Parquet: {error}") from error

    def _keys(self, path: str) -> tuple[str, str]:
        """The least and the greatest key of a file."""
        footer = self._footer(path)
        ranges = [_range(footer.row_group(number)) for number in range(footer.num_row_groups)]
        return min((least for least, _ in ranges), default=""), max((most for _, most in ranges), default="")

    def _bytes(self, path: str, selection: CrawlSelection) -> int:
        """Of the columns in those row groups that may hold records."""
        low, high = selection.keys
        footer = self._footer(path)
        if missing := {*selection.columns} - {*footer.schema.names}:
            raise InputError(f"the index of this crawl has no column {min(missing)}; take another crawl")
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        if not selection.language:
            groups = [group for group in groups if _range(group)[1] >= low and _range(group)[0] < high]
        columns = (column for group in groups for column in _columns(group))
        return sum(column.total_compressed_size for column in columns if column.path_in_schema in selection.columns)

    def write_matches(self, path: str, selection: CrawlSelection, local: Path) -> None:
        """The records of one of its files, as Parquet with `file`, `start` and `length`, by file and start. Raises
        InputError where the index cannot be read, or holds places that cannot be."""
        where, values = selection.condition
        name, start, length = _PLACE
        query = (
            f"SELECT {name} AS file, {start}::BIGINT AS start, {length}::BIGINT AS length "
            f"FROM read_parquet(?, hive_partitioning = false) WHERE {where} ORDER BY ALL"
        )
        beside = local.with_name(f"_partial.{local.name}")
        with reading(f"cannot search {self._files.client.url(path)}") as connection:
            connection.register_filesystem(self._files)
            connection.sql(query, params=[f"{SCHEME}://{path}", *values]).write_parquet(str(beside))
            wrong = connection.sql(
                "SELECT count(*) FROM read_parquet(?) WHERE NOT coalesce(start >= 0 AND length BETWEEN 1 AND ? AND "
                "regexp_full_match(file, 'crawl-data/[A-Za-z0-9/._=+-]+') AND NOT contains(file, '..'), false)",
                params=[str(beside), MAX_RECORD],
            ).fetchall()[0][0]
        if wrong:
            raise InputError(f"{self._files.client.url(path)} names {counted(wrong, 'record')} that cannot be")
        beside.replace(local)


def _columns(group: pq.RowGroupMetaData) -> list[pq.ColumnChunkMetaData]:
    return [group.column(number) for number in range(group.num_columns)]


def _range(group: pq.RowGroupMetaData) -> tuple[str, str]:
    """The least and the greatest key of a row group; without statistics it may hold any."""
    stated = next((column.statistics for column in _columns(group) if column.path_in_schema == _KEY), None)
    if stated is None or not stated.has_min_max or not isinstance(stated.min, str):
        return "", _BEYOND
    return stated.min, stated.max
