"""The commands `winnow fetch`: corpora by name, from the servers that hold them."""

import dataclasses
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from curation.core.errors import StageError, UserError
from curation.core.wording import counted, listed, size
from curation.sources.commoncrawl.courtesy import BASE, Courtesy
from pipelines.render import progress
from pipelines.render.console import Json, answer, err, plain, say

if TYPE_CHECKING:  # slow to import
    from curation.sources.commoncrawl.fetch import Fetch

app = typer.Typer(help="Download corpora by name.", no_args_is_help=True)


@app.callback()
def _commands() -> None:
    """Makes typer ask for a command's name, though there is one only."""


@app.command()
def commoncrawl(
    crawl: Annotated[
        str, typer.Option("--crawl", metavar="NAME", help="Crawl ID, e.g. CC-MAIN-2024-10 or CC-SUPPLEMENTAL-2026-22.")
    ],
    output: Annotated[
        str, typer.Option("--output", metavar="DIR|URI", help="Folder to write to, also in an object store.")
    ],
    contact: Annotated[str, typer.Option("--contact", help="E-mail address or web page, sent with each request.")],
    files: Annotated[
        str | None,
        typer.Option(
            "--files",
            metavar="FIRST:STOP",
            help="Range of the crawl's path list, e.g. 0:100; of its index with --host or --language.",
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="Kind of files: warc, wet, wat or robotstxt.")] = "warc",
    host: Annotated[str | None, typer.Option("--host", help="Only records of this host, found by the index.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="Only records in this language, found by the index, e.g. deu.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the index and its records are read.")] = False,
    base: Annotated[str, typer.Option("--from", metavar="URL", help="Server to download from.")] = BASE,
    as_json: Json = False,
) -> None:
    """Download a crawl's files, or the records of one host or language; the same command resumes."""
    courtesy = Courtesy(contact=contact, base=base)
    if kind != "warc" and (host is not None or language is not None):
        raise UserError(f"--kind {kind}: the index knows WARC records only; leave --kind out")
    with progress.logged(err):
        if host is None and language is None:
            fetch = _files(courtesy, crawl, kind, files, output)
        else:
            fetch = _records(courtesy, crawl, files, host or "", language or "", output, _ask_yes if yes else _ask)
    answer(fetch, _draw, as_json=as_json)
    if fetch.failed:
        name, why = next(iter(fetch.failed.items()))
        failed = counted(len(fetch.failed), "file or record", "files or records")
        raise StageError(f"{failed} could not be had: {name}: {why}")


def _files(courtesy: Courtesy, crawl: str, kind: str, files: str | None, output: str) -> "Fetch":
    from curation.sources.commoncrawl.client import CrawlClient
    from curation.sources.commoncrawl.fetch import fetch_files
    from curation.sources.commoncrawl.path_lists import crawl_part

    if files is None:
        raise UserError("--files FIRST:STOP says which files of the crawl: 0:100 are the first hundred")
    client = CrawlClient(courtesy)
    return fetch_files(client, crawl_part(crawl, kind, files).paths(client), output, _tell)


def _records(
    courtesy: Courtesy,
    crawl: str,
    files: str | None,
    host: str,
    language: str,
    output: str,
    ask: Callable[[str], None],
) -> "Fetch":
    from curation.sources.commoncrawl.crawl_files import CrawlFiles
    from curation.sources.commoncrawl.index import CrawlSelection
    from curation.sources.commoncrawl.path_lists import index_part
    from curation.sources.commoncrawl.records import fetch_records

    selection = CrawlSelection(host=host, language=language)
    index = CrawlFiles(**dataclasses.asdict(courtesy))
    return fetch_records(index, index_part(crawl, files), selection, output, ask, _tell)


def _tell(fetch: "Fetch") -> None:
    say(err, f"{fetch.there + fetch.fetched:,} of {fetch.files:,} files, {size(fetch.bytes)} fetched")


def _ask_yes(what: str) -> None:
    say(err, plain(what))


def _ask(what: str) -> None:
    if not sys.stdin.isatty():
        raise UserError(f"this would {what}; to agree, give --yes")
    if not typer.confirm(f"{what}?", err=True):
        raise UserError("nothing more was fetched")


def _draw(console: Console, fetch: "Fetch") -> None:
    if not fetch.files:
        return say(console, "the index names no such record")
    records = f", {counted(fetch.records, 'record')}" if fetch.records else ""
    say(console, f"{fetch.fetched:,} files fetched, {size(fetch.bytes)}{records}; {fetch.there:,} were there")
    if fetch.failed:
        say(console, f"not fetched: {plain(listed(f'{name}: {why}' for name, why in fetch.failed.items()))}")
