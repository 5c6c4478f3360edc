"""A server in the test process with files, ranges and ETags as Common Crawl's, and the faults that a test asks for."""

import gzip
import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from curation.sources.commoncrawl.client import CrawlClient
from curation.sources.commoncrawl.courtesy import Courtesy
from tests.serving import LoopbackServer, serving

CONTACT = "me@example.org"
CRAWL = "CC-MAIN-2024-10"


@dataclass(frozen=True)
class Ask:
    """A request; `number` counts those for this path, from 1."""

    path: str
    headers: dict[str, str]
    number: int
    method: str = "GET"


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer: its status; or it is cut after some bytes of the body, and may stall before."""

    status: int = 0
    cut: int = -1
    stall: float = 0.0  # seconds
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class CrawlServer:
    """`files` and `fault` may be changed while it runs."""

    url: str
    files: dict[str, bytes]
    fault: Callable[[Ask], Fault | None] = lambda ask: None
    asks: list[Ask] = field(default_factory=list)
    at_once: int = 0  # the most requests that were under way together
    under_way: int = 0
    seen: "Counter[str]" = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, *, stall: float = 5.0, attempts: int = 4) -> CrawlClient:
        """One that waits for next to nothing."""
        return CrawlClient(Courtesy(contact=CONTACT, base=self.url, backoff=0.001, stall=stall, attempts=attempts))


def paths_gz(*paths: str) -> bytes:
    return gzip.compress("".join(f"{path}\n" for path in paths).encode())


def etag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


@contextmanager
def crawl_server(files: Mapping[str, bytes]) -> Iterator[CrawlServer]:
    """Serves while the context lasts."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.crawl = CrawlServer(server.url, dict(files))
    with serving(server):
        yield server.crawl


class _Server(LoopbackServer):
    crawl: CrawlServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        crawl = self.server.crawl
        path = self.path.lstrip("/")
        with crawl.lock:
            crawl.seen[path] += 1
            ask = Ask(path, dict(self.headers), crawl.seen[path], self.command)
            crawl.asks.append(ask)
            crawl.under_way += 1
            crawl.at_once = max(crawl.at_once, crawl.under_way)
        try:
            self._answer(ask, crawl.fault(ask) or Fault())
        except OSError:
            self.close_connection = True  # the client has given up
        finally:
            with crawl.lock:
                crawl.under_way -= 1

    def _answer(self, ask: Ask, fault: Fault) -> None:
        body = self.server.crawl.files.get(ask.path)
        if fault.status or body is None:
            return self._send(fault.status or 404, dict(fault.headers), b"")
        headers = {"ETag": etag(body), "Last-Modified": "Mon, 04 Mar 2024 10:00:00 GMT", **fault.headers}
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", ask.headers.get("Range", ""))
        if part and ask.headers.get("If-Range", etag(body)) == etag(body):
            start = int(part[1])
            stop = min(int(part[2] or len(body)) + 1, len(body))
            if start >= len(body):
                return self._send(416, {}, b"")
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(body)}"
            return self._send(206, headers, body[start:stop], fault)
        self._send(200, headers, body, fault)

    def _send(self, status: int, headers: dict[str, str], body: bytes, fault: Fault = Fault()) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault.cut < 0:
            self.wfile.write(body)
            return
        self.wfile.write(body[: fault.cut])
        self.wfile.flush()
        time.sleep(fault.stall)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None: ...
