"""Writes exchanges to gzipped WARC files whose bytes depend only on the exchanges."""

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from demo.crawler import Exchange

START = datetime(2024, 1, 1, tzinfo=UTC)  # of the crawl; exchanges are dated one second apart
SOFTWARE = "winnow demo crawl"


def archive_names(count: int) -> list[str]:
    return [f"demo-{number:05d}.warc.gz" for number in range(count)]


def write_archives(folder: Path, exchanges: Iterable[Exchange], *, archives: int) -> int:
    """Deals the exchanges to the archives in turn, so that the archives are of similar size. Returns their number.

    Each archive begins with a warcinfo record. A response comes before its request, one gzip member per record.
    """
    written = 0
    with ExitStack() as stack:
        writers = []
        for name in archive_names(archives):
            writers.append(WARCWriter(stack.enter_context((folder / name).open("wb")), gzip=True))
            _write_info(writers[-1], name)
        for exchange in exchanges:
            _write_pair(writers[written % archives], exchange, written)
            written += 1
    return written


def _write_info(writer: WARCWriter, name: str) -> None:
    headers = StatusAndHeaders("", [("WARC-Type", "warcinfo"), *_head("warcinfo", name, 0)], protocol="WARC/1.0")
    headers.add_header("WARC-Filename", name)
    fields = f"software: {SOFTWARE}\r\nformat: WARC File Format 1.0\r\nrobots: obey\r\n".encode()
    record = writer.create_warc_record(
        "", "warcinfo", warc_headers=headers, payload=BytesIO(fields), length=len(fields)
    )
    writer.write_record(record)


def _write_pair(writer: WARCWriter, exchange: Exchange, number: int) -> None:
    response, request = (
        writer.create_warc_record(
            exchange.url,
            kind,
            payload=BytesIO(content),
            length=len(content),
            warc_headers_dict=dict(_head(kind, exchange.url, number)),
        )
        for kind, content in (("response", exchange.response), ("request", exchange.request))
    )
    writer.write_request_response_pair(request, response)


def _head(kind: str, url: str, number: int) -> list[tuple[str, str]]:
    date = (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return [("WARC-Record-ID", f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {url}')}>"), ("WARC-Date", date)]
