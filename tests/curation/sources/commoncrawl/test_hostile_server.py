"""A server that means harm, or is broken: what it states is checked, and what it sends has an end."""

import gzip
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curation.core.errors import InputError, StageError, WinnowError
from curation.sources.commoncrawl import path_lists
from curation.sources.commoncrawl.client import CrawlClient, _date, seconds_of
from curation.sources.commoncrawl.courtesy import Courtesy
from curation.sources.commoncrawl.fetch import fetch_files
from curation.sources.commoncrawl.path_lists import path_list
from tests.crawl_server import CONTACT, CRAWL, crawl_server, paths_gz

Send = Callable[[bytes], None]
Answer = Callable[[Send], None]
DIGITS = b"9" * 4_400


@contextmanager
def raw_server(answer: Answer) -> Iterator[str]:
    """Gives every request this answer, byte by byte as it says, until the client goes."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            answer(connection.sendall)

    def listen() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def head(*lines: bytes, status: bytes = b"200 OK") -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status, *lines, b"", b""])


def sent(*pieces: bytes) -> Answer:
    return lambda send: send(b"".join(pieces))


def trickle(send: Send) -> None:
    """A byte now and then, for a minute."""
    send(head(b"Content-Length: 100000"))
    for _ in range(600):
        send(b"x")
        threading.Event().wait(0.1)


def slow_head(send: Send) -> None:
    for byte in head(b"Content-Length: 5") * 20:
        send(bytes([byte]))
        threading.Event().wait(0.1)


ANSWERS = {
    "a size of 4,400 digits": sent(head(b"Content-Length: " + DIGITS)),
    "a negative size": sent(head(b"Content-Length: -5"), b"hello"),
    "a size beyond any file": sent(head(b"Content-Length: 9999999999999"), b"hello"),
    "no size": sent(head(b"Connection: close"), b"hello"),
    "a range of 4,400 digits": sent(
        head(b"Content-Range: bytes 0-4/" + DIGITS, b"Content-Length: 5", status=b"206 Partial Content"), b"hello"
    ),
    "a range that is none": sent(head(b"Content-Range: bytes 5-1/-3", b"Content-Length: 5", status=b"206 P"), b"hello"),
    "more than it states": sent(
        head(b"Content-Range: bytes 0-4/5", b"Content-Length: 999999", status=b"206 P"), b"x" * 999_999
    ),
    "a header of 1 MB": sent(head(b"Content-Length: 5", b"X: " + b"x" * 1_000_000), b"hello"),
    "100,000 headers": sent(head(b"Content-Length: 5", *[b"X%d: 1" % number for number in range(100_000)]), b"hello"),
    "a redirect to a file": sent(head(b"Location: file:///etc/passwd", b"Content-Length: 0", status=b"302 Found")),
    "a wait of 10^30 s": sent(head(b"Retry-After: 1" + b"0" * 30, b"Content-Length: 0", status=b"404 Not Found")),
    "a cookie": sent(head(b"Set-Cookie: a=" + b"b" * 4_000, b"Content-Length: 5"), b"hello"),
    "no HTTP": sent(b"\x00" * 10_000),
    "a byte at a time": trickle,
    "a head, a byte at a time": slow_head,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_every_answer_is_one_line(answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curation.sources.commoncrawl.client.CONNECT", 0.2)
    path = f"crawl-data/{CRAWL}/a.warc.gz"
    with raw_server(answer) as url:
        client = CrawlClient(Courtesy(contact=CONTACT, base=url, backoff=0.001, stall=0.3, attempts=2))
        fetched = fetch_files(client, [path], str(tmp_path))
        assert [*fetched.failed] == ["a.warc.gz"]
        assert len(fetched.failed["a.warc.gz"]) < 400
        with pytest.raises((InputError, StageError)) as caught:
            path_list(client, CRAWL, "warc")
    assert isinstance(caught.value, WinnowError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stated", "moment"),
    [
        ("Mon, 04 Mar 2024 10:00:00 GMT", datetime(2024, 3, 4, 10, tzinfo=UTC)),
        ("Mon, 04 Mar 99999999999999999999 10:00:00 GMT", None),
        (f"Mon, 04 Mar {DIGITS.decode()} 10:00:00 GMT", None),
        ("Mon, 04 Mar 1200 10:00:00 GMT", None),
        ("Mon, 04 Mar 2024 10:00:00 +9999999999999999", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_dates(stated: str | None, moment: datetime | None) -> None:
    assert _date(stated) == moment


def test_waits() -> None:
    assert [seconds_of(text) for text in ("7", None, "", "-1", "soon", DIGITS.decode())] == [7, *[None] * 5]


def listed(packed: bytes) -> list[str]:
    with crawl_server({f"crawl-data/{CRAWL}/warc.paths.gz": packed}) as server:
        return path_list(server.client(), CRAWL, "warc")


def test_a_list_is_read_line_by_line_whatever_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"a/{'x' * (number % 50)}{number}.gz" for number in range(1_000)]
    assert listed(paths_gz(*paths)) == paths
    monkeypatch.setattr(path_lists, "_PIECE", 7)
    assert listed(paths_gz(*paths[:100])) == paths[:100]
    assert listed(gzip.compress(b"\n\n a/b.gz \r\na/c.gz")) == ["a/b.gz", "a/c.gz"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(b"a " * 1_000_000, "a line has more than 1,024 characters", id="one line of short words"),
        pytest.param(b"a\n" * 1_000_000, "it names 'a'", id="short lines"),
        pytest.param(b"a/b\n" * 1_000_000, "it names a file twice, a/b", id="one path again and again"),
        pytest.param(b"\0" * 10_000_000, "a line has more than 1,024 characters", id="nothing"),
    ],
)
def test_a_bomb_of_a_list(text: bytes, why: str) -> None:
    with pytest.raises(InputError, match=rf"warc\.paths\.gz is no list of files: {why}"):
        listed(zlib.compress(text, wbits=31))


def test_a_list_of_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_lists, "MAX_PATHS", 3)
    assert len(listed(paths_gz("a/b", "a/c", "a/d"))) == 3
    with pytest.raises(InputError, match="it names more than 3 files"):
        listed(paths_gz("a/b", "a/c", "a/d", "a/e"))
