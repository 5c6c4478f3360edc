"""Fetches files of a crawl into a folder; the same call again goes on where it stopped.

A file is there only when it is complete: it appears in one step, and then its record in `_fetched/`. When a call ends,
however it does, `_manifest.json` holds the records of all files that are there.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import StageError
from curation.core.json_files import find_whole
from curation.core.manifest import replace_json
from curation.core.own_folder import own_folder
from curation.core.run_lock import only_run
from curation.core.stores import upload
from curation.sources.commoncrawl.client import BusyServerError, CrawlClient, FileGoneError
from curation.sources.commoncrawl.courtesy import each
from curation.sources.commoncrawl.download import download

RECORDS = "_fetched"
MANIFEST = "_manifest.json"


@dataclass
class Fetch:
    """What a call has done; `failed` says of a file, or of a record as FILE@OFFSET, why there is none."""

    files: int
    fetched: int = 0
    there: int = 0  # before the call
    bytes: int = 0  # that were fetched
    records: int = 0  # that were fetched one by one
    failed: dict[str, str] = field(default_factory=dict)


OnFile = Callable[[Fetch], None]  # called after each file


class FetchFolder:
    """Where files are fetched to, and where on this machine they are until they are complete: `work`."""

    def __init__(self, output: str) -> None:
        self.output = storage.absolute(output)
        self._in_store = storage.in_store(self.output)
        self.work = Path(storage.resolve(self.output)[1])
        if self._in_store:
            self.work = own_folder("fetch") / hashlib.sha256(masked(self.output).encode()).hexdigest()[:16]
            self.work.mkdir(exist_ok=True)
        storage.make_folder(storage.join(self.output, RECORDS))
        sizes = storage.list_sizes(self.output)
        records = storage.list_names(storage.join(self.output, RECORDS))
        self.there = {name for name in sizes if f"{name}.json" in records}

    def publish(self, local: Path, name: str, record: Mapping[str, object]) -> None:
        """Makes a complete local file visible, then its record. Raises StageError where the place does not take it."""
        uri = storage.join(self.output, name)
        try:
            if self._in_store:
                storage.delete_file(uri)  # one without a record, of a call that was killed
                upload(storage.resolve(uri)[0], str(local), storage.resolve(uri)[1])
                local.unlink()
            else:
                local.replace(self.work / name)
        except OSError as error:
            raise StageError(f"cannot write {uri}: {error}; run the same command again") from error
        replace_json(self._record(name), record)
        self.there.add(name)

    def write_manifest(self) -> None:
        """The records of all files that are there, by name."""
        replace_json(
            storage.join(self.output, MANIFEST),
            {"files": [find_whole(self._record(name), dict[str, object]) for name in sorted(self.there)]},
        )

    def _record(self, name: str) -> str:
        return storage.join(self.output, RECORDS, f"{name}.json")


@contextmanager
def fetch_folder(output: str) -> Iterator[FetchFolder]:
    """The folder, with its manifest written in the end. Raises InputError while another process fetches into it."""
    with only_run(storage.absolute(output)):
        folder = FetchFolder(output)
        try:
            yield folder
        finally:
            folder.write_manifest()


def fetch_files(client: CrawlClient, paths: Sequence[str], output: str, on_file: OnFile = lambda fetch: None) -> Fetch:
    """Files by their paths at the server. One that cannot be had is named in the result, and the others are fetched.

    Raises UserError, which ends all, where the server refuses this machine (HTTP 403).
    """
    fetch = Fetch(len(paths))
    with fetch_folder(output) as folder:
        missing = [path for path in paths if path.rpartition("/")[2] not in folder.there]
        fetch.there = len(paths) - len(missing)

        async def one(path: str) -> None:
            try:
                part, file = await download(client, path, folder.work)
                await asyncio.to_thread(folder.publish, part.path, file.file, asdict(file))
            except (BusyServerError, FileGoneError) as error:
                fetch.failed[path.rpartition("/")[2]] = str(error)
            else:
                fetch.fetched += 1
                fetch.bytes += file.size
            on_file(fetch)

        asyncio.run(each(missing, one))
        fetch.failed = dict(sorted(fetch.failed.items()))
    return fetch
