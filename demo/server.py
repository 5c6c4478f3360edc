"""A local HTTP server that plays many hosts: the Host header and the path choose the answer."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import brotli

DATE = "Mon, 01 Jan 2024 00:00:00 GMT"  # fixed, so that a repeated crawl gives the same bytes
_CHUNK = 4096  # bytes per chunk of a chunked answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """One answer. `coding` is applied if the client accepts it; `claims` is stated but not applied, as broken
    servers do; `location` is for redirects."""

    body: bytes = b""
    content_type: str = "text/html"
    status: int = 200
    coding: str = "identity"  # or gzip, deflate, br
    claims: str = ""
    chunked: bool = False
    location: str = ""


Site = Mapping[str, Resource]  # by address, "http://host/path"

_MISSING = b"<html><head><title>Not found</title></head><body><h1>404</h1><p>There is no such page.</p></body></html>"


def encode(body: bytes, coding: str) -> bytes:
    """The body in a content coding, with the same bytes every time."""
    if coding == "gzip":
        return gzip.compress(body, 6, mtime=0)
    if coding == "deflate":
        return zlib.compress(body)
    if coding == "br":
        return bytes(brotli.compress(body, quality=4))
    return body


@contextmanager
def serve(site: Site) -> Iterator[tuple[str, int]]:
    """Address and port of a server that serves `site` until the block ends."""
    server = _Server(site)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield "127.0.0.1", server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one segment per answer, not one per header line
    server: _Server

    def do_GET(self) -> None:
        url = f"http://{self.headers.get('Host', '')}{self.path}"
        resource = self.server.site.get(url, Resource(body=_MISSING, status=404))
        accepted = [part.strip() for part in self.headers.get("Accept-Encoding", "").split(",")]
        coding = resource.coding if resource.coding in accepted else "identity"
        self._send(resource, encode(resource.body, coding), coding)

    def _send(self, resource: Resource, body: bytes, coding: str) -> None:
        self.send_response_only(resource.status)
        self.send_header("Date", DATE)
        self.send_header("Server", "demo")
        self.send_header("Content-Type", resource.content_type)
        if resource.claims or coding != "identity":
            self.send_header("Content-Encoding", resource.claims or coding)
        if resource.location:
            self.send_header("Location", resource.location)
        framing = ("Transfer-Encoding", "chunked") if resource.chunked else ("Content-Length", str(len(body)))
        self.send_header(*framing)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(_chunks(body) if resource.chunked else body)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the crawler reports what it fetches."""


def _chunks(body: bytes) -> bytes:
    parts = [body[at : at + _CHUNK] for at in range(0, len(body), _CHUNK)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
