"""One request to a real server: addresses, headers, the body, and failures that repeat nothing of what was sent."""

import asyncio
import gzip
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from curation.account.annotate.answers import Answer
from curation.account.annotate.endpoint import (
    LONGEST_ASKED,
    Endpoint,
    LimitedError,
    UnansweredError,
    UnavailableError,
    seconds_of,
)
from curation.core.errors import UserError
from tests.chat_server import ANSWER_TOKENS, PROMPT_TOKENS, Reply, chat_server
from tests.curation.account.annotate.examples import KEY

MESSAGES = [{"role": "user", "content": "Rate it.\nText: a private word"}]


def ask(url: str, **options: Any) -> Answer:
    async def request() -> Answer:
        endpoint = Endpoint(url=url, model="m", **{"timeout": 5, **options})
        async with endpoint.session() as session:
            return await endpoint.ask(session, endpoint.request(MESSAGES))

    return asyncio.run(request())


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://a:8000", "http://a:8000/v1/chat/completions"),
        ("http://a:8000/", "http://a:8000/v1/chat/completions"),
        ("https://a/v1", "https://a/v1/chat/completions"),
        ("https://a/openai/v1/", "https://a/openai/v1/chat/completions"),
        ("https://a/v1beta", "https://a/v1beta/chat/completions"),
        ("https://a/api/chat/completions", "https://a/api/chat/completions"),
    ],
)
def test_addresses(url: str, address: str) -> None:
    assert Endpoint(url=url, model="m").address == address


def test_what_is_sent_and_what_comes_back() -> None:
    with chat_server() as server:
        answer = ask(server.url, key=KEY, body={"seed": 7, "temperature": None}, max_tokens=99)
        [request] = server.requests
    assert answer == Answer("It explains.\nScore: 3", "stop", PROMPT_TOKENS, ANSWER_TOKENS)
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body == {"max_tokens": 99, "seed": 7, "model": "m", "messages": MESSAGES}


def test_the_proxy_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "here.invalid")
        ask("http://there.invalid", key=KEY)
        assert server.requests[0].path == "http://there.invalid/v1/chat/completions"
        with pytest.raises(UnavailableError, match="no connection"):
            ask("http://here.invalid")
        monkeypatch.setenv("http_proxy", "socks5://me:secret@127.0.0.1:1")
        with pytest.raises(UserError, match=r"by the proxy socks5://\*\*\*@127.0.0.1:1, which is not one for HTTP"):
            ask("http://there.invalid")


def test_the_longest_answer() -> None:
    assert Endpoint(url="http://a", model="m", max_tokens=9).longest_answer == 9
    body = {"max_tokens": None, "max_completion_tokens": 700}
    assert Endpoint(url="http://a", model="m", body=body).longest_answer == 700
    assert Endpoint(url="http://a", model="m", body={"max_tokens": None}).longest_answer is None


def test_lone_surrogates_become_question_marks_and_no_key_is_no_header() -> None:
    with chat_server(lambda _: Reply("a\ud800b")) as server:
        assert ask(server.url).answer == "a?b"
        assert "Authorization" not in server.requests[0].headers


def test_usage_that_is_missing_or_no_number() -> None:
    def with_usage(usage: object) -> Reply:
        return Reply(raw=json.dumps({"choices": [{"message": {"content": "x"}}], "usage": usage}).encode())

    with chat_server() as server:
        for usage in (None, {}, *({"prompt_tokens": count} for count in ("5", -1, True, 10**400))):
            server.answer = lambda _, usage=usage: with_usage(usage)  # type: ignore[misc]
            assert ask(server.url) == Answer("x", "", None, None)


@pytest.mark.parametrize(
    ("reply", "kind", "message", "billed"),
    [
        (Reply(status=500), UnavailableError, "HTTP 500", False),
        (Reply(status=504), UnavailableError, "HTTP 504", True),
        (Reply(status=429, raw=b'{"error": {"type": "too_many"}}'), LimitedError, "HTTP 429 (too_many)", False),
        (Reply(status=400, raw=b'{"type": "BadRequestError"}'), UnansweredError, "HTTP 400 (BadRequestError)", None),
        (Reply(status=400, raw=b'{"error": {"code": "a private word"}}'), UnansweredError, "HTTP 400", None),
        (Reply(status=400, raw=b'{"error": {"code": 400, "type": null}}'), UnansweredError, "HTTP 400", None),
        (Reply(status=400, raw=b'{"error": "a private word"}'), UnansweredError, "HTTP 400", None),
        (Reply(status=403, raw=b"<html>"), UnansweredError, "HTTP 403", None),
        *(
            (Reply(raw=raw), UnavailableError, "the reply is not a chat completion", True)
            for raw in (
                b"a private word",
                b'{"choices": []}',
                b'["choices"]',
                b'{"choices": [{"message": {"content": 7}}]}',
                b"x" * (17 << 20),
                b"[" * 200_000,
            )
        ),
        (Reply(status=400, raw=b"[" * 200_000), UnansweredError, "HTTP 400", None),
        (Reply(drop=True), UnavailableError, "connection lost", True),
        (Reply(delay=1), UnavailableError, "no reply within 0.3 s", True),
    ],
)
def test_failures(reply: Reply, kind: type[Exception], message: str, billed: bool | None) -> None:
    with chat_server(lambda _: reply) as server, pytest.raises(kind) as caught:
        ask(server.url, key=KEY, timeout=0.3 if reply.delay else 5)
    assert str(caught.value) == message
    assert getattr(caught.value, "billed", None) == billed


def test_a_reply_that_drips_does_not_outlast_the_timeout() -> None:
    """The server says that more will come, and sends nothing more."""
    reply = Reply(raw=b'{"choices"', headers={"Content-Length": "100"})
    with (
        chat_server(lambda _: reply) as server,
        pytest.raises(UnavailableError, match=r"no reply within|connection lost"),
    ):
        ask(server.url, timeout=0.3)


def test_the_key_is_never_shown_or_stored() -> None:
    with chat_server(lambda _: Reply(f"Your key is {KEY}.", finish=KEY)) as server:
        answer = ask(server.url, key=KEY)
        assert (answer.answer, answer.finish) == ("Your key is ***.", "***")
        server.answer = lambda _: Reply(status=401, raw=json.dumps({"error": {"code": "ab_" + KEY}}).encode())
        with pytest.raises(UserError) as caught:
            ask(server.url, key=KEY)
        server.answer = lambda _: Reply(status=400, raw=b'{"error": {"code": "its_key_here"}}')
        with pytest.raises(UnansweredError, match=r"^HTTP 400$"):
            ask(server.url, key="key")
    assert KEY not in str(caught.value)
    assert KEY not in repr(Endpoint(url="http://a", model="m", key=KEY))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "localhost:8000"}, "--endpoint localhost:8000: expected http://"),
        ({"url": "ftp://a"}, "expected http://"),
        ({"url": "http://me:secret@a/v1"}, "must not hold a user, a password or a query"),
        ({"url": "http://a/v1?key=secret"}, "must not hold a user, a password or a query"),
        ({"model": ""}, "--model must name a model"),
        ({"timeout": 0}, "--timeout, --concurrency and --max-tokens must be above 0"),
        ({"key": "two words"}, "the key in OPENAI_API_KEY has blanks"),
        ({"key": "schlüssel"}, "the key in OPENAI_API_KEY has blanks"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        Endpoint(**{"url": "http://a", "model": "m", **options})
    assert "secret" not in str(caught.value)
    assert not options.get("key") or options["key"] not in str(caught.value)


def test_a_packed_reply_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 100_000_000)
    with chat_server(lambda _: Reply(raw=bomb, headers={"Content-Encoding": "gzip"})) as server:
        with pytest.raises(UnavailableError, match="the reply is not a chat completion"):
            ask(server.url)
        assert server.requests[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(("reason", "finish"), [("stop", "stop"), ("x" * 5_000, "x" * 100), ([1], ""), (None, "")])
def test_the_reason_why_an_answer_ended(reason: object, finish: str) -> None:
    raw = json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": reason}]}).encode()
    with chat_server(lambda _: Reply(raw=raw)) as server:
        assert ask(server.url) == Answer("x", finish)


@pytest.mark.parametrize(
    ("stated", "wait"),
    [
        ("nan", None),
        ("inf", LONGEST_ASKED),
        ("9" * 4_400, LONGEST_ASKED),
        ("1" + "0" * 30, LONGEST_ASKED),
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
        ("Wed, 21 Oct 2015 07:28:00 +99999999999999", None),
    ],
)
def test_a_wait_that_cannot_be(stated: str, wait: float | None) -> None:
    assert seconds_of(stated) == wait


def test_retry_after() -> None:
    assert [seconds_of(value) for value in (None, "7", "0.5", "-3", "soon", "")] == [None, 7, 0.5, 0, None, None]
    soon = seconds_of(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True))
    assert soon is not None
    assert 80 < soon <= 90
    assert seconds_of("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    assert [seconds_of(value) for value in ("86400", "1e999", "inf", tomorrow)] == [3600, 3600, 3600, 3600]
