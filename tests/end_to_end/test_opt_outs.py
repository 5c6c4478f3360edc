"""A crawl with the answers to its requests for robots.txt beside it: what is refused is dropped by name, told in the
card, and the same for any number of shards."""

import gzip
from pathlib import Path

import pytest

from curation.account.card.markdown import markdown
from curation.account.run import Run
from tests.curation.account.corpus import made
from tests.curation.sources.sample_archives import http, members
from tests.takedowns import rows

RECIPE = """
version: 1
name: asked
shards: {group_mb: %(group_mb)s}
sources:
  web:
    - read: {warc: {paths: ["%(folder)s/warc"]}}
    - extract: {resiliparse: {}}
    - fit: {site_preferences: {files: "%(folder)s/robotstxt"}}
    - filter:
        opt_outs:
          honour: [robots_txt, content_signal, content_usage, noai, tdm_reservation, domain_list]
          site_preferences: "@site_preferences"
          domain_list: "%(folder)s/asked-us.txt"
          agents: [CCBot, GPTBot]
          unknown: drop
    - filter: {gopher_quality: {min_words: 5, min_stop_words: 0, min_mean_word_length: 1}}
"""
BODY = "<main><p>" + "The mill stands at the river and the people of the village walk there. " * 20 + "</main>"
REFUSED = b"\xef\xbb\xbfUser-agent: GPTBot\r\nDisallow: /private\r\n"
# Host -> its robots.txt, and fields of the answer with it.
SITES: dict[str, tuple[bytes, str]] = {
    "refused.example": (REFUSED, "200 OK"),
    "xn--mnchen-3ya.example": (b"User-agent: *\nDisallow: /\xff\xfe\nDisallow: /caf%C3%A9/", "200 OK"),
    "huge.example": (b"User-agent: ccbot\nDisallow: /\n" + b"Allow: /*/a$\n" * 80_000, "200 OK"),
    "lines.example": (b"\n" * 1_000_000, "200 OK"),
    "signal.example": (b"User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n", "200 OK"),
    "polite.example": (b"User-agent: *\nContent-Signal: search=yes\nDisallow: /cgi-bin/", "200 OK"),
    "none.example": (b"", "404 Not Found"),
    "moved.example": (b"", "301 Moved\r\nLocation: https://polite.example/robots.txt"),
    "listed.example": (b"", "404 Not Found"),
}
# Address -> what the page states in a header and in its metadata, and why it is dropped.
PAGES: dict[str, tuple[str, str, str | None]] = {
    "https://refused.example/private/a": ("A: b", "", "robots_txt:high"),
    "https://refused.example/public/a": ("A: b", "", None),
    "http://MÜNCHEN.example:8080/café/a": ("A: b", "", "robots_txt:high"),
    "http://münchen.example/a": ("A: b", "", None),
    "https://huge.example/b": ("A: b", "", "robots_txt:high"),
    "https://huge.example/b/a": ("A: b", "", None),
    "https://lines.example/": ("A: b", "", None),
    "https://signal.example/": ("A: b", "", "content_signal:high"),
    "https://polite.example/": ("A: b", "", None),
    "https://polite.example/1": ("Content-Usage: train-ai=n", "", "content_usage:high"),
    "https://polite.example/2": ("A: b", "<meta name=robots content='NOAI, noimageai'>", "noai:high"),
    "https://polite.example/3": ("X-Robots-Tag: gptbot: noai", "", "noai:high"),
    "https://polite.example/4": ("X-Robots-Tag: noimageai", "", None),
    "https://none.example/": ("tdm-reservation: 1", "", "tdm_reservation:high"),
    "https://none.example/1": ("tdm-reservation: 1", "<meta name=tdm-reservation content=0>", None),
    "https://moved.example/": ("A: b", "", "robots_txt_known:low"),
    "https://unasked.example/": ("A: b", "", "robots_txt_known:low"),
    "https://www.listed.example/": ("A: b", "", "robots_txt_known:low"),
    "https://listed.example/": ("A: b", "", "domain_list:high"),
}


def answer(url: str, block: bytes, day: int) -> bytes:
    """A record of an archive."""
    lines = [f"WARC-Target-URI: {url}", f"WARC-Record-ID: <urn:test:{url}>", f"WARC-Date: 2024-03-0{day}T03:04:05Z"]
    head = "\r\n".join(["WARC/1.0", "WARC-Type: response", *lines, f"Content-Length: {len(block)}", "", ""])
    return head.encode() + block + b"\r\n\r\n"


def write_inputs(folder: Path) -> None:
    """Three files of pages and two of answers, of the day before."""
    pages = [
        answer(url, http(f"<html><head>{meta}</head><body>{BODY}</body></html>".encode(), field), day=2)
        for url, (field, meta, _) in PAGES.items()
    ]
    answers = [
        answer(f"https://{host}/robots.txt", http(gzip.compress(text), "Content-Encoding: gzip", status=status), day=1)
        for host, (text, status) in SITES.items()
    ]
    for name, records, count in (("warc", pages, 3), ("robotstxt", answers, 2)):
        (folder / name).mkdir()
        for number in range(count):
            (folder / name / f"{number}.warc.gz").write_bytes(members(*records[number::count]))
    (folder / "asked-us.txt").write_text("listed.example\n")


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    write_inputs(folder)
    made(RECIPE % {"folder": folder, "group_mb": 0}, folder / "run-0")
    return folder


def test_each_page_is_dropped_for_what_its_site_or_itself_states(asked: Path) -> None:
    found = {row["url"]: row["drop_reason"] for row in rows(asked / "run-0", "opt_outs")}
    expected = {url: reason and f"opt_outs.{reason}" for url, (_, _, reason) in PAGES.items()}
    assert found == expected
    kept = [row["url"] for row in rows(asked / "run-0", "gopher_quality") if row["drop_reason"] is None]
    assert sorted(kept) == sorted(url for url, reason in expected.items() if reason is None)


def test_the_card_tells_it(asked: Path) -> None:
    text = markdown(Run.open(asked / "run-0").card())
    section = text.partition("## Opt-outs\n")[2].partition("\n## ")[0]
    assert "| `opt_outs` | `robots_txt` | yes | 19 | 3 | 3 | 0 |" in section
    assert "| `opt_outs` | `noimageai` | no | 19 | 2 | 0 | 1 |" in section
    assert "without a robots.txt of that time: 3 documents, 3 of them dropped for it." in section
    assert "  - 2 kept documents are under Content-Signal: `search=yes`" in section


def test_the_same_for_any_number_of_shards(asked: Path) -> None:
    made(RECIPE % {"folder": asked, "group_mb": 1}, asked / "run-1")
    one, other = ([{**row, "shard": None} for row in rows(asked / name, "opt_outs")] for name in ("run-0", "run-1"))
    assert one == other
