"""Common Crawl as a file system of fsspec, for storage and for DuckDB: each read is one request for a range.

fsspec's own for HTTP does not know when a file was modified, which DuckDB asks, and takes a changed file for the old
one. Here a file stands for the bytes of one ETag: a range of another is refused.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from fsspec.asyn import AsyncFileSystem, sync
from fsspec.spec import AbstractBufferedFile

from curation.core import storage
from curation.sources.commoncrawl.client import CrawlClient, FileChangeError, FileGoneError, FileHead
from curation.sources.commoncrawl.courtesy import Courtesy, each
from curation.sources.commoncrawl.path_lists import SCHEME, named_part

READ_AHEAD = 64 << 10  # bytes that DuckDB's reads of an index are rounded up to
_OPTIONS = [field.name for field in dataclasses.fields(Courtesy)]


class CrawlFiles(AsyncFileSystem):  # type: ignore[misc]
    """Files by their path at the server, read-only. The options are those of Courtesy."""

    protocol = SCHEME

    def __init__(self, contact: str = "", **options: Any) -> None:
        own = {name: options.pop(name) for name in _OPTIONS if name in options}
        super().__init__(**options)
        self.client = CrawlClient(Courtesy(contact=contact, **own))
        self._heads: dict[str, FileHead] = {}

    def look(self, paths: Sequence[str]) -> None:
        """Asks for the heads of many files at once, which are then known."""
        sync(self.loop, each, paths, self._head)

    async def _head(self, path: str) -> FileHead:
        if path not in self._heads:
            try:
                self._heads[path] = await self.client.head(path)
            except FileGoneError as error:
                raise FileNotFoundError(str(error)) from error
        return self._heads[path]

    async def _info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        return {"name": path, "type": "file", "size": (await self._head(path)).size}

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        path = self._strip_protocol(path)
        head = await self._head(path)
        stop = head.size if end is None else end
        try:
            return await self.client.read_range(path, start or 0, stop, etag=head.etag) if stop > (start or 0) else b""
        except FileChangeError:
            del self._heads[path]
            raise

    def ukey(self, path: str) -> str:
        """Stands for the file's content: its ETag."""
        head: FileHead = sync(self.loop, self._head, self._strip_protocol(path))
        return head.etag or f"{head.size} {head.modified}"

    def modified(self, path: str) -> datetime:
        """When the file was changed last; 1970 if the server does not say."""
        head: FileHead = sync(self.loop, self._head, self._strip_protocol(path))
        return head.modified or datetime.fromtimestamp(0, UTC)

    def _open(self, path: str, mode: str = "rb", **kwargs: Any) -> AbstractBufferedFile:
        return _CrawlFile(self, path, mode, block_size=READ_AHEAD)


def crawl_uris(pattern: str) -> list[str]:
    """The URIs of the files that `commoncrawl:…` names, in the order of the crawl's list. Raises UserError."""
    part = named_part(pattern)
    files: CrawlFiles = storage.resolve(f"{SCHEME}://{part.crawl}")[0].handler.fs
    paths = part.paths(files.client)
    files.look(paths)
    return [f"{SCHEME}://{path}" for path in paths]


class _CrawlFile(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self.fs.cat_file(self.path, start=start, end=end))
