"""A breadth-first crawler for one server that plays many hosts. It obeys robots.txt, follows links and redirects.

It sends one request at a time, in order of discovery: the same site gives the same exchanges in the same order.
"""

import socket
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPResponse
from io import BytesIO
from urllib.parse import quote, urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import brotli
from lxml import etree

AGENT = "demo-crawler"
_TIMEOUT = 30  # seconds for one answer


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer as they went over the wire, with framing and content coding."""

    url: str
    request: bytes
    response: bytes


class _Wire:
    """The part of a socket that `HTTPResponse` needs, over bytes in memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, mode: str) -> BytesIO:
        return BytesIO(self._content)


class Crawler:
    """Crawls the hosts under `domain`, which one server at `address` plays, with at most `max_requests` requests."""

    def __init__(self, *, address: tuple[str, int], domain: str, max_requests: int) -> None:
        self._address = address
        self._domain = domain
        self._max_requests = max_requests
        self._robots: dict[str, RobotFileParser] = {}

    def crawl(self, seeds: Sequence[str]) -> Iterator[Exchange]:
        """Every exchange. A host's robots.txt comes before its first page."""
        queue = deque(seeds)
        seen = set(seeds)
        requests = 0
        while queue and requests < self._max_requests:
            url = queue.popleft()
            host = urlsplit(url).netloc
            if host not in self._robots:
                exchange = self._fetch(f"http://{host}/robots.txt")
                self._robots[host] = _rules(exchange)
                requests += 1
                yield exchange
            if not self._robots[host].can_fetch(AGENT, url):
                continue
            exchange = self._fetch(url)
            requests += 1
            yield exchange
            for link in _links(exchange):
                if link in seen:  # resolving is slow, and most links repeat
                    continue
                target = _absolute(url, link)
                if target not in seen and self._inside(target):
                    seen.add(target)
                    queue.append(target)

    def _inside(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme == "http" and parts.netloc.endswith(f".{self._domain}")

    def _fetch(self, url: str) -> Exchange:
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUser-Agent: {AGENT}\r\n"
            "Accept: text/html,*/*;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\nConnection: close\r\n\r\n"
        ).encode("ascii")
        with socket.create_connection(self._address, timeout=_TIMEOUT) as connection:
            connection.sendall(request)
            received = []
            while block := connection.recv(1 << 16):
                received.append(block)
        return Exchange(url, request, b"".join(received))


def _rules(exchange: Exchange) -> RobotFileParser:
    """The rules of a robots.txt; any status but 200 allows everything."""
    response, body = decode(exchange)
    parser = RobotFileParser()
    parser.parse(body.decode("utf-8", errors="replace").splitlines() if response.status == 200 else [])
    return parser


def decode(exchange: Exchange) -> tuple[HTTPResponse, bytes]:
    """The answer's head, and its decoded body: empty if the content coding is not the stated one."""
    response = HTTPResponse(_Wire(exchange.response))  # type: ignore[arg-type]
    response.begin()
    body = response.read()
    response.close()
    try:
        return response, _uncompressed(body, response.getheader("Content-Encoding", ""))
    except (zlib.error, brotli.error):
        return response, b""


def _uncompressed(body: bytes, coding: str) -> bytes:
    if coding in ("gzip", "deflate"):
        return zlib.decompress(body, 47)  # 47: zlib or gzip header
    return bytes(brotli.decompress(body)) if coding == "br" else body


def _links(exchange: Exchange) -> list[str]:
    """The answer's links as written, in order."""
    response, body = decode(exchange)
    if location := response.getheader("Location"):
        return [location]
    if not response.getheader("Content-Type", "").startswith("text/html") or response.status != 200 or not body:
        return []
    parser = etree.HTMLParser(encoding="iso-8859-1", huge_tree=True)  # addresses are ASCII, whatever the charset
    tree = etree.fromstring(body, parser)
    return [] if tree is None else [str(target) for target in tree.xpath("//a/@href")]


def _absolute(base: str, target: str) -> str:
    """The link's absolute address without its fragment; "" if it is malformed."""
    try:
        return quote(urldefrag(urljoin(base, target.strip())).url, safe="/:?&=#%~+,;@!$'()*[]")
    except ValueError:  # such as an unclosed IPv6 bracket in an example address
        return ""
