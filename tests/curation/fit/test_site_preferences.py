"""Which answers are kept of an archive, and what is left out by name."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from protego import Protego

from curation.core.errors import InputError, RecipeError
from curation.fit.site_preferences import SitePreferences
from curation.models.preferences.robots_txt import MAX_BYTES, RobotsTxt, essential
from curation.models.preferences.site_files import SiteFiles, load
from curation.sources.http import decode_body, parse_response
from curation.sources.wacz import read_archive
from tests.curation.sources.sample_archives import http, members
from tests.support import SHARED, needs_shared_data


def answer(url: str, body: bytes, *fields: str, status: str = "200 OK", date: str = "2024-03-01T00:00:00Z") -> bytes:
    """A record of an archive."""
    block = http(body, *fields, status=status, media="text/plain")
    lines = ["WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: {url}", f"WARC-Date: {date}"]
    return "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""]).encode() + block + b"\r\n\r\n"


def indexed(folder: Path, *records: bytes) -> SiteFiles:
    archive = folder / "robots.warc.gz"
    archive.write_bytes(members(*records))
    path = folder / SitePreferences.asset
    path.write_bytes(SitePreferences(files=str(archive)).index({"files": [str(archive)]})[path.name])
    load.cache_clear()
    return load(str(path))


RULES = b"User-agent: *\nDisallow: /\n"


def test_answers_are_kept_or_counted(tmp_path: Path) -> None:
    files = indexed(
        tmp_path,
        answer("https://a.example/robots.txt", RULES),
        answer("http://A.example:8080/robots.txt?x=1", RULES, date="2024-03-02T00:00:00Z"),
        answer("https://gone.example/robots.txt", RULES, status="410 Gone"),
        answer("https://down.example/robots.txt", RULES, status="503 Unavailable"),
        answer("https://moved.example/robots.txt", b"", "Location: https://a.example/robots.txt", status="301 Moved"),
        answer("https://zip.example/robots.txt", gzip.compress(RULES), "Content-Encoding: gzip"),
        answer("https://bomb.example/robots.txt", gzip.compress(b"\n" * (9 << 20)), "Content-Encoding: gzip"),
        answer("https://big.example/robots.txt", RULES + b"#\n" * 500_000),
        answer("https://huge.example/robots.txt", RULES + b"#\n" * 5_000_000),
        answer("https://undated.example/robots.txt", RULES, date="?"),
        answer("https:///robots.txt", RULES),
        answer("https://a.example/page/robots.txt", RULES),
        answer("https://a.example/", b"<html>"),
        answer("https://a.example/ai.txt", RULES),
        answer("https://gone.example/ai.txt", b"", status="404 Not Found"),
        answer("https://a.example/.well-known/tdmrep.json", b'[{"location": "/", "tdm-reservation": 1}]'),
        answer("https://b.example/.well-known/tdmrep.json", b"[" * 100_000),
    )
    assert dict(files.counts) == {
        "ai_txt": 1,
        "left out: ai_txt with status 404": 1,
        "left out: no host": 1,
        "left out: robots_txt that cannot be decoded": 1,
        "left out: robots_txt with status 301": 1,
        "left out: robots_txt with status 503": 1,
        "left out: robots_txt without a date": 1,
        "left out: tdmrep that is no list of rules": 1,
        "robots_txt": 6,
        "robots_txt longer than 500 KiB, read up to there": 2,
        "tdmrep": 1,
    }
    assert sorted(files.hosts.names(np.arange(files.hosts.total)).to_pylist()) == [
        *("a.example", "big.example", "gone.example", "huge.example", "zip.example")
    ]
    assert set(files.contents.to_pylist()) == {"user-agent:*\ndisallow:/", "", '[["/", true, null]]'}


def test_rules_of_a_tdmrep_that_are_no_rules_say_nothing(tmp_path: Path) -> None:
    rules = [
        {"location": " /a\n", "tdm-reservation": "0", "tdm-policy": 7},
        *({"location": "/b"}, {"tdm-reservation": 1}, {"location": 1, "tdm-reservation": 1}, "x", None),
        {"location": "/c\ud800", "tdm-reservation": 1, "tdm-policy": "https://p"},
        {"location": "/d", "tdm-reservation": [1]},
    ]
    files = indexed(tmp_path, answer("https://a.example/.well-known/tdmrep.json", json.dumps(rules).encode()))
    assert json.loads(files.contents[0].as_py()) == [["/a", False, None], ["/c?", True, "https://p"]]


def test_terms_of_use_are_kept_of_any_address(tmp_path: Path) -> None:
    terms = b"<rsl><content url=' /a '><license><prohibits>all</prohibits></license></content></rsl>"
    typed = answer("https://a.example/terms?x=1", terms).replace(b"text/plain", b"application/rsl+xml; charset=utf-8")
    length = len(typed.partition(b"\r\n\r\n")[2]) - 4
    typed = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % length, typed)
    files = indexed(
        tmp_path,
        typed,
        answer("https://b.example/x/rsl.xml", terms),
        answer("https://c.example/rsl.xml", b"<html>not here"),
        answer("https://d.example/rsl.xml", b"", status="404 Not Found"),
        answer("https://e.example/page", terms),
    )
    assert dict(files.counts) == {"left out: no host": 0, "left out: rsl that cannot be read": 1, "rsl": 2} | {
        "left out: rsl with status 404": 1
    }
    assert sorted(map(json.loads, files.contents.to_pylist())) == [
        ["https://a.example/terms?x=1", [["/a", "refused"]]],
        ["https://b.example/x/rsl.xml", [["/a", "refused"]]],
    ]


def test_the_same_bytes_for_any_order_of_records(tmp_path: Path) -> None:
    records = [answer(f"https://{name}.example/robots.txt", RULES) for name in "abc"]
    made = []
    for number, order in enumerate((records, records[::-1])):
        archive = tmp_path / f"{number}.warc.gz"
        archive.write_bytes(members(*order))
        made.append(SitePreferences(files=str(archive)).index({"files": [str(archive)]}))
    assert made[0] == made[1]


@needs_shared_data
def test_real_files_are_read_as_protego_reads_them() -> None:
    """Names of crawlers that no group's name is the beginning of, where protego goes another way."""
    seen = 0
    for path in ("aut__example.warc.gz", "ipwb__sample-1.warc.gz"):
        for _, record in read_archive(str(SHARED / "crawl" / path), lambda *_: None, max_block=MAX_BYTES):
            response = parse_response(record.block)
            if record.headers.get("warc-target-uri", "").endswith("/robots.txt") and response.status == 200:
                content = decode_body(response, MAX_BYTES)
                theirs = Protego.parse(content.decode("utf-8", "replace"))
                ours = RobotsTxt(essential(content), ("Googlebot", "ia_archiver", "CCBot"))
                paths = {"/", "/a", *re.findall(r"(?m):\s*(/\S*)", content.decode("utf-8", "replace"))}
                for path in paths:
                    refused = {
                        name for name in ("Googlebot", "ia_archiver", "CCBot") if not theirs.can_fetch(path, name)
                    }
                    assert set(ours.disallowed(path)) == refused
                    seen += 1
    assert seen >= 100


def test_an_archive_without_answers_and_no_archive(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no answer to a request for /robots.txt, .* in 1 files; give"):
        indexed(tmp_path, answer("https://a.example/", b"<html>"))
    with pytest.raises(RecipeError, match="files is empty"):
        SitePreferences(files=())
