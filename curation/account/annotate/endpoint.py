"""An OpenAI-compatible endpoint for chat completions: one request, and what its outcome means.

An outcome is an answer or a failure: `UnavailableError` (ask again later), `LimitedError` (ask later, and less often),
`UnansweredError` (this document will not be answered) or `UserError` (no document will: the key, the address or the
account is wrong). No failure holds the server's own words, which may repeat the document or the key: only the status,
and the error's code where that is a plain identifier.
"""

import json
import re
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from curation.account.annotate.answers import Answer
from curation.core.credentials import MASK, masked
from curation.core.errors import UserError

PATH = "/chat/completions"
TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")
CONNECT_SECONDS = 15
MOST_BYTES = 16 << 20  # of a reply; a longer one is no chat completion
MOST_TOKENS = 10**9  # that a reply may say it has cost
MOST_REASON = 100  # characters of the reason why an answer ended
LONGEST_ASKED = 3600.0  # seconds that a server may ask to be left alone
FATAL = {
    401: "does not accept the key; set {env} to a valid one, or name another variable with --api-key-env",
    402: "says that the account cannot pay",
    404: "is not a chat endpoint, or does not have the model {model!r}; check --endpoint and --model",
    405: "is not a chat endpoint; check --endpoint",
}
NEVER = (400, 403, 413, 414, 415, 422, 451)  # the same request would be refused again
LATE = (504, 524)  # a gateway gave up on a model that may have worked
UNPAID = ("insufficient_quota", "billing_not_active", "billing_hard_limit_reached")  # codes of HTTP 429
_CODE = re.compile(r"(?=.{1,48}$)(?:[a-z]+(?:_[a-z]+)+|[A-Za-z]+Error)")


class UnavailableError(Exception):
    """No usable reply. `billed`: the request may have been paid for all the same."""

    def __init__(self, cause: str, *, billed: bool = False, after: float | None = None) -> None:
        super().__init__(cause)
        # seconds to wait, if the server says
        self.billed = billed
        self.after = after


class LimitedError(UnavailableError):
    """Too many requests."""


class UnansweredError(Exception):
    """The document will not be answered."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model is asked, and how."""

    url: str  # with or without /v1 and /chat/completions
    model: str
    key: str = field(default="", repr=False)  # sent as a bearer token, if any
    key_env: str = "OPENAI_API_KEY"  # for messages
    timeout: float = 60.0  # seconds that a reply may take in all
    retries: int = 5  # further requests after one without a usable reply
    concurrency: int = 16  # requests at once
    backoff: float = 1.0  # seconds before the first further request; doubled for each
    patience: float = 300.0  # seconds without any answer after which all stops
    max_tokens: int = 512  # of an answer
    temperature: float = 0.0
    body: Mapping[str, Any] = field(default_factory=dict)  # more fields of a request; null takes one out

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UserError(f"--endpoint {masked(self.url)}: expected http://… or https://…")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UserError("--endpoint must not hold a user, a password or a query; the key goes in a variable")
        if not self.model:
            raise UserError("--model must name a model of the endpoint")
        if not (self.timeout > 0 and self.concurrency > 0 and self.retries >= 0 and self.max_tokens > 0):
            raise UserError("--timeout, --concurrency and --max-tokens must be above 0, and --retries 0 or more")
        if not re.fullmatch(r"[!-~]*", self.key):
            raise UserError(f"the key in {self.key_env} has blanks, line breaks or other characters that no key has")

    @property
    def address(self) -> str:
        """The URL that is asked."""
        url = self.url.rstrip("/")
        if url.endswith(PATH):
            return url
        return url + PATH if re.fullmatch(r"v\d\w*", url.rpartition("/")[2]) else f"{url}/v1{PATH}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields of a request besides the messages and the model."""
        fields = {"max_tokens": self.max_tokens, "temperature": self.temperature, **self.body}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def longest_answer(self) -> int | None:
        """The most tokens of an answer; None if the request sets no limit."""
        limits = [value for name in TOKEN_LIMITS if isinstance(value := self.parameters.get(name), int)]
        return max(limits, default=None)

    def session(self) -> aiohttp.ClientSession:
        """To be used as a context, in the loop that asks."""
        headers = {"Accept-Encoding": "identity"}  # a packed reply may be a thousand times as long
        headers |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return aiohttp.ClientSession(
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=self.timeout, sock_connect=min(CONNECT_SECONDS, self.timeout)),
            connector=aiohttp.TCPConnector(limit=self.concurrency),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=self._proxy(),
        )

    def _proxy(self) -> str | None:
        """The proxy that the system names. aiohttp's `trust_env` would also read passwords from ~/.netrc."""
        parts = urlsplit(self.url)
        proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        if proxy is not None and urlsplit(proxy).scheme not in ("http", "https"):
            raise UserError(f"{self.address} would be reached by the proxy {masked(proxy)}, which is not one for HTTP")
        return proxy

    def request(self, messages: Sequence[Mapping[str, str]]) -> bytes:
        """The body of a request."""
        fields = {**self.parameters, "model": self.model, "messages": list(messages)}
        return json.dumps(fields, ensure_ascii=False).encode()

    async def ask(self, session: aiohttp.ClientSession, request: bytes) -> Answer:
        """Raises UnavailableError, LimitedError, RefusedError or UserError."""
        headers = {"Content-Type": "application/json"}
        try:
            async with session.post(self.address, data=request, headers=headers, allow_redirects=False) as reply:
                content = bytearray()
                async for piece in reply.content.iter_any():
                    content += piece
                    if len(content) > MOST_BYTES:
                        raise UnavailableError("the reply is not a chat completion", billed=True)
                status = reply.status
                after = seconds_of(reply.headers.get("Retry-After"))
        except aiohttp.ClientConnectorCertificateError as error:
            raise UserError(f"{self.address} has a certificate that is not trusted") from error
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise UnavailableError("no connection") from error
        except TimeoutError as error:
            raise UnavailableError(f"no reply within {self.timeout:g} s", billed=True) from error
        except (aiohttp.ClientError, ssl.SSLError, OSError) as error:
            raise UnavailableError("connection lost", billed=True) from error
        return self._answer(status, after, content)

    def _answer(self, status: int, after: float | None, content: bytes | bytearray) -> Answer:
        if status == 200:
            return self._completion(content)
        code = self._code(content)
        cause = f"HTTP {status} ({code})" if code else f"HTTP {status}"
        if status in FATAL or code in UNPAID:
            hint = FATAL[402 if code in UNPAID else status].format(env=self.key_env, model=self.model)
            raise UserError(f"{self.address} {hint} ({cause})")
        if 300 <= status < 400:
            raise UserError(f"{self.address} sends requests on to another address ({cause}); name that with --endpoint")
        if status == 429:
            raise LimitedError(cause, after=after)
        if status in NEVER:
            raise UnansweredError(cause)
        raise UnavailableError(cause, billed=status in LATE, after=after)

    def _completion(self, content: bytes | bytearray) -> Answer:
        try:
            reply = json.loads(content)
            choice = reply["choices"][0]
            text = choice["message"].get("content") or ""
            if not isinstance(text, str):
                raise TypeError("the content of a message is text")
            usage = reply.get("usage") or {}
            tokens = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise UnavailableError("the reply is not a chat completion", billed=True) from None
        billed = [count if type(count) is int and 0 <= count <= MOST_TOKENS else None for count in tokens]
        finish = choice.get("finish_reason")
        finish = finish[:MOST_REASON] if isinstance(finish, str) else ""
        return Answer(self._keyless(text), self._keyless(finish), *billed)

    def _keyless(self, text: str) -> str:
        """The text without the key, which a server may send back, and without lone surrogates."""
        clean = text.encode(errors="replace").decode()
        return clean.replace(self.key, MASK) if self.key else clean

    def _code(self, content: bytes | bytearray) -> str:
        """The code of an error that names one, such as model_not_found; else ""."""
        try:
            error = json.loads(content)
            error = error.get("error", error)
            codes = [error.get("code"), error.get("type")]
        except (ValueError, AttributeError, RecursionError):
            return ""
        named = (code for code in codes if isinstance(code, str) and _CODE.fullmatch(code))
        return next((code for code in named if not (self.key and self.key in code)), "")


def seconds_of(retry_after: str | None) -> float | None:
    """The wait that a Retry-After header asks for, in seconds or until a date, at most LONGEST_ASKED, because a clock
    may be wrong; None if it asks for none."""
    if retry_after is None:
        return None
    with suppress(ValueError):
        seconds = float(retry_after)
        return None if isnan(seconds) else min(max(0.0, seconds), LONGEST_ASKED)
    try:
        moment = parsedate_to_datetime(retry_after)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return min(max(0.0, (moment - datetime.now(UTC)).total_seconds()), LONGEST_ASKED)
    except (ValueError, OverflowError, TypeError):
        return None
