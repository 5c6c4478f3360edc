"""An S3 server in the test process (moto's), behind a proxy that loses, delays and falsifies answers.

Whether a request meets a fault follows from the seed, the request and how often it was made, not from the order in
which requests come; a request that met one passes the next time.
"""

import functools
import hashlib
import http.client
import logging
import re
import socket
import struct
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest

from curation.core import storage

ACCESS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
RATES = {  # of requests that can meet the fault
    "503": 0.02,
    "reset request": 0.02,
    "reset answer": 0.02,
    "delay": 0.02,
    "404": 0.02,
    "500 after upload": 0.02,
}
DELAY = 0.2  # seconds
SKEW = 900.0  # seconds
FREEBIND = 15  # IP_FREEBIND of Linux: the address may come up later
ERROR = b"<?xml version='1.0'?><Error><Code>%s</Code><Message>%s</Message></Error>"


@dataclass
class Store:
    """What a test knows of the server: `requests` by method and `faults` by name count what passed the proxy."""

    endpoint: str
    direct: str  # the server behind the proxy
    seed: int | None = None  # None: no faults
    rates: dict[str, float] = field(default_factory=RATES.copy)
    refuse: bytes = b""  # an error code that answers everything, such as ExpiredToken
    strict: bool = False  # requests that were signed more than SKEW seconds from now are refused, as S3 does
    requests: "Counter[str]" = field(default_factory=Counter)
    faults: "Counter[str]" = field(default_factory=Counter)
    seen: "Counter[tuple[str, ...]]" = field(default_factory=Counter)
    listed: set[str] = field(default_factory=set)
    log: list[str] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        return {**ACCESS, "AWS_ENDPOINT_URL": self.endpoint}

    def fault(self, method: str, path: str) -> str:
        """The name of what happens to this request, or ""."""
        times = self.seen[method, path]
        self.seen[method, path] += 1
        if self.seed is None or times:  # the next attempt passes, so that few attempts must be enough
            return ""
        draw = hashlib.blake2b(f"{self.seed} {method} {path}".encode(), digest_size=8).digest()
        at = int.from_bytes(draw) / 2**64
        plain = urlsplit(path).path
        for name, rate in self.rates.items():
            if at < rate:
                return name if self._can(name, method, path, plain) else ""
            at -= rate
        return ""

    def _can(self, name: str, method: str, path: str, plain: str) -> bool:
        upload = method == "PUT" or (method == "POST" and "uploadId=" in path)
        if name == "404":
            return method in ("GET", "HEAD") and plain in self.listed
        if name == "reset answer":
            return method == "GET"
        return upload if name in ("reset request", "500 after upload") else True


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: Store

    def _pass(self) -> None:
        store = self.store
        length = int(self.headers.get("Content-Length") or 0)
        fault = store.fault(self.command, self.path)
        store.requests[self.command] += 1
        store.log.append(f"{self.command} {self.path} {self.headers.get('Range', '')} {fault}".strip())
        if fault:
            store.faults[fault] += 1
        if fault == "delay":
            time.sleep(DELAY)
        if fault == "reset request":
            self.rfile.read(length // 2)
            return self._reset()
        body = self.rfile.read(length)
        if store.refuse:
            return self._answer(403, {}, ERROR % (store.refuse, b"refused"))
        if store.strict and self._skewed():
            store.faults["skew"] += 1
            return self._answer(403, {}, ERROR % (b"RequestTimeTooSkewed", b"The difference is too large."))
        if fault == "503":
            return self._answer(503, {}, ERROR % (b"SlowDown", b"Please reduce your request rate."))
        if fault == "404":
            return self._answer(404, {}, ERROR % (b"NoSuchKey", b"The specified key does not exist."))
        status, headers, content = self._forward(body)
        if fault == "500 after upload" and status < 300:
            return self._answer(500, {}, ERROR % (b"InternalError", b"We encountered an internal error."))
        if "list-type=2" in self.path:
            bucket = urlsplit(self.path).path.strip("/")
            store.listed |= {f"/{bucket}/{key}" for key in re.findall(r"<Key>([^<]*)</Key>", content.decode())}
        if fault == "reset answer" and len(content) > 1:
            self._head(status, headers, len(content))
            self.wfile.write(content[: len(content) // 2])
            return self._reset()
        return self._answer(status, headers, content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass  # noqa: N815

    def _skewed(self) -> bool:
        signed = self.headers.get("X-Amz-Date", "")
        when = datetime.strptime(signed, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) if signed else datetime.now(UTC)
        return abs((datetime.now(UTC) - when).total_seconds()) > SKEW

    def _forward(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        inner = http.client.HTTPConnection(urlsplit(self.store.direct).netloc, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("expect", "connection")}
        inner.request(self.command, self.path, body or None, headers)
        answer = inner.getresponse()
        content = answer.read()
        inner.close()
        passed = {k: v for k, v in answer.getheaders() if k.lower() not in ("connection", "transfer-encoding", "date")}
        return answer.status, passed, content

    def _answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
        self._head(status, headers, len(content))
        if self.command != "HEAD":
            self.wfile.write(content)

    def _head(self, status: int, headers: dict[str, str], length: int) -> None:
        self.send_response(status)
        headers = {"Content-Length": str(length), **headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _reset(self) -> None:
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None: ...

    def finish(self) -> None:
        try:
            super().finish()
        except (OSError, ValueError):  # of a connection that was reset
            return


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.SOL_IP, FREEBIND, 1)
        super().server_bind()

    def handle_error(self, *_: object) -> None: ...  # a client that has gone


@contextmanager
def object_store(*buckets: str, address: str = "127.0.0.1") -> Iterator[Store]:
    """A server with these empty buckets; its requests go through the proxy, which listens at this address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    store = Store("", f"http://{host}:{port}")
    proxy = _Server((address, 0), type("Proxy", (_Proxy,), {"store": store}))
    store.endpoint = f"http://{address}:{proxy.server_port}"
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        empty(store, *buckets)
        yield store
    finally:
        proxy.shutdown()
        proxy.server_close()
        moto.stop()


def empty(store: Store, *buckets: str) -> None:
    """The server has these buckets, empty; no fault is set, and nothing counted."""
    urllib.request.urlopen(f"{store.direct}/moto-api/reset", b"").close()
    for bucket in buckets:
        client(store).create_bucket(Bucket=bucket)
    store.seed = None
    store.rates = RATES.copy()
    store.refuse = b""
    store.strict = False
    for counted in (store.requests, store.faults, store.seen, store.listed, store.log):
        counted.clear()


def client(store: Store) -> Any:
    """boto3's, past the proxy."""
    return _client(store.direct)


@functools.cache  # to make one takes longer than most requests
def _client(endpoint: str) -> Any:
    import boto3

    secrets = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=endpoint, **secrets)


def keys(store: Store, prefix: str) -> list[str]:
    """Of every object below a prefix of `bucket`, past the proxy."""
    pages = client(store).get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix)
    return [entry["Key"] for page in pages for entry in page.get("Contents", ())]


def content(store: Store, prefix: str) -> dict[str, bytes]:
    """Every object below a prefix of `bucket`, by the rest of its key, past the proxy."""
    read = client(store).get_object
    return {key.removeprefix(prefix): read(Bucket="bucket", Key=key)["Body"].read() for key in keys(store, prefix)}


@pytest.fixture(scope="module")
def server() -> Iterator[Store]:
    with object_store() as store:
        yield store


@pytest.fixture
def store(server: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The server with an empty `bucket`, to which this process's environment leads."""
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    empty(server, "bucket")
    _forget()
    yield server
    _forget()


def _forget() -> None:
    """fsspec keeps file systems with the environment that they were made in."""
    from s3fs import S3FileSystem

    storage.forget_stores()
    S3FileSystem.clear_instance_cache()
