"""What goes over the wire, and what a crawler makes of it."""

import socket

import pytest

from demo.crawler import Crawler, decode
from demo.server import Resource, Site, encode, serve

HOME = "http://a.x.invalid/"


def crawl(site: Site, *, max_requests: int = 100) -> dict[str, tuple[int, bytes]]:
    """Status and decoded body by address, in the order of the crawl."""
    with serve(site) as address:
        exchanges = list(Crawler(address=address, domain="x.invalid", max_requests=max_requests).crawl([HOME]))
    decoded = [(exchange.url, decode(exchange)) for exchange in exchanges]
    return {url: (response.status, body) for url, (response, body) in decoded}


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("coding", ["identity", "gzip", "deflate", "br"])
def test_every_way_of_sending_gives_the_body(coding: str, chunked: bool) -> None:
    body = b"<p>" + bytes(range(32, 127)) * 200
    assert crawl({HOME: Resource(body=body, coding=coding, chunked=chunked)})[HOME] == (200, body)


def test_an_unaccepted_coding_is_not_used() -> None:
    with serve({HOME: Resource(body=b"plain", coding="br")}) as address, socket.create_connection(address) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a.x.invalid\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.endswith(b"\r\n\r\nplain")
    assert b"Content-Encoding" not in answer


def test_codings_are_the_same_every_time() -> None:
    assert encode(b"text", "gzip")[4:8] == b"\0\0\0\0"  # no time stamp


def test_links_are_followed_breadth_first_within_the_domain() -> None:
    page = (
        b'<a href="/1">1</a><a href="http://b.x.invalid/2#part">2</a><a href="http://away.invalid/">no</a><a>none</a>'
    )
    site = {
        HOME: Resource(body=page),
        "http://a.x.invalid/1": Resource(body=b'<a href="3">3</a><a href="http://[">bad</a>'),
        "http://b.x.invalid/2": Resource(status=301, location="/4"),
        "http://b.x.invalid/4": Resource(body=b"end"),
    }
    assert [(url, status) for url, (status, _) in crawl(site).items()] == [
        ("http://a.x.invalid/robots.txt", 404),
        (HOME, 200),
        ("http://a.x.invalid/1", 200),
        ("http://b.x.invalid/robots.txt", 404),
        ("http://b.x.invalid/2", 301),
        ("http://a.x.invalid/3", 404),
        ("http://b.x.invalid/4", 200),
    ]


def test_what_robots_txt_forbids_is_not_fetched() -> None:
    rules = b"User-agent: *\nDisallow: /private/\n"
    site = {
        "http://a.x.invalid/robots.txt": Resource(body=rules, content_type="text/plain"),
        HOME: Resource(body=b'<a href="/private/1">1</a><a href="/public/1">1</a>'),
    }
    assert "http://a.x.invalid/private/1" not in crawl(site)
    assert "http://a.x.invalid/public/1" in crawl(site)


def test_a_body_that_is_not_coded_as_claimed_ends_nothing() -> None:
    site = {HOME: Resource(body=b"<a href=/1>1</a>", claims="gzip")}
    assert crawl(site)[HOME] == (200, b"")


def test_the_crawl_is_bounded() -> None:
    endless = Resource(body=b"".join(b'<a href="/%d">next</a>' % number for number in range(50)))
    assert len(crawl({HOME: endless}, max_requests=10)) == 10
