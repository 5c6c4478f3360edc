"""Targets: damaged archives of each kind, and HTTP responses. Reading never raises."""

import gzip
import io
import random
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import brotli
import lz4.frame
import zstandard

from curation.core.protocols import Piece, ReadTally
from curation.sources.http import TooManyBytes, UndecodableBody, decode_body, media_type, parse_response
from curation.sources.warc import Warc
from tests.curation.sources.sample_archives import PAGE, http, warc
from tests.fuzz.child import Execution, Target
from tests.mutations import mutated

Pack = Callable[[list[bytes]], bytes]

LONG = b"<html><body>" + b"".join(b"<p>paragraph %d of the page</p>\n" % i for i in range(40))
CHUNKS = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (LONG[:100], LONG[100:])) + b"0\r\nX: y\r\n\r\n"
BLOCKS = [
    http(),
    http(gzip.compress(LONG), "Content-Encoding: gzip"),
    http(CHUNKS, "Transfer-Encoding: chunked"),
    http(brotli.compress(LONG), "Content-Encoding: br"),
    http(zstandard.compress(LONG), "Content-Encoding: zstd"),
    http(zlib.compress(LONG), "Content-Encoding: deflate", "Content-Language: en"),
    http(PAGE, status="404 Not Found"),
    http(PAGE, media=None),
]
RECORDS = [warc(f"p{i}", block) for i, block in enumerate(BLOCKS)] + [warc("info", b"software: x", kind="warcinfo")]
ARC_HEAD = b"filedesc://x.arc 0.0.0.0 20200102030405 text/plain 14\n1 0 Test\nline\n\n"
ARC_LINE = "http://example.org/{} 1.2.3.4 20200102030405 text/html {}\n"
ARC_RECORDS = [ARC_HEAD, *(ARC_LINE.format(i, len(b)).encode() + b + b"\n" for i, b in enumerate(BLOCKS))]


def each(pack: Callable[[bytes], bytes]) -> Pack:
    """A member for each record."""
    return lambda records: b"".join(map(pack, records))


def whole(pack: Callable[[bytes], bytes]) -> Pack:
    """One member for all."""
    return lambda records: pack(b"".join(records))


def wacz(records: list[bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("archive/one.warc.gz", each(gzip.compress)(records[:4]))
        packed.writestr("archive/two.warc", b"".join(records[4:]), zipfile.ZIP_DEFLATED)
        packed.writestr("datapackage.json", "{}")
    return out.getvalue()


def with_dictionary(records: list[bytes]) -> bytes:
    """A zstd frame for each record, after the dictionary that all need."""
    dictionary = zstandard.ZstdCompressionDict(b"".join(RECORDS), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    content = zstandard.compress(dictionary.as_bytes())
    return b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content + b"".join(map(packer.compress, records))


def reading(pack: Pack, records: list[bytes]) -> Callable[[Path], Execution]:
    """Reads an archive whose container is damaged, or a record before it was packed."""
    sound = pack(records)
    source = Warc(paths=(), max_record_bytes=1 << 20)

    def make(folder: Path) -> Execution:
        path = folder / "archive"

        def execute(rng: random.Random) -> None:
            if rng.random() < 0.5:
                content = mutated(sound, rng)
            else:
                place = rng.randrange(len(records))
                content = pack([*records[:place], mutated(records[place], rng), *records[place + 1 :]])
            path.write_bytes(content)
            for batch in source.read((Piece(str(path)),), "web", ReadTally()):
                batch.validate(full=True)

        return execute

    return make


def responses(_: Path) -> Execution:
    def execute(rng: random.Random) -> None:
        response = parse_response(mutated(rng.choice(BLOCKS), rng))
        media_type(response.headers.get("content-type"))
        with suppress(TooManyBytes, UndecodableBody):
            assert len(decode_body(response, 1 << 16)) <= 1 << 16

    return execute


TARGETS = {
    "plain": Target(reading(b"".join, RECORDS), 40_000),
    "gzip": Target(reading(each(gzip.compress), RECORDS), 40_000),
    "gzip_whole": Target(reading(whole(gzip.compress), RECORDS), 20_000),
    "zstd": Target(reading(each(zstandard.compress), RECORDS), 40_000),
    "zstd_whole": Target(reading(whole(zstandard.compress), RECORDS), 20_000),
    "zstd_dictionary": Target(reading(with_dictionary, RECORDS), 20_000),
    "lz4": Target(reading(each(lz4.frame.compress), RECORDS), 40_000),
    "lz4_whole": Target(reading(whole(lz4.frame.compress), RECORDS), 20_000),
    "arc": Target(reading(b"".join, ARC_RECORDS), 30_000),
    "arc_gzip": Target(reading(each(gzip.compress), ARC_RECORDS), 20_000),
    "wacz": Target(reading(wacz, RECORDS), 30_000),
    "http": Target(responses, 100_000),
}
