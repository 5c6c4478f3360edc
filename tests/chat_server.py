"""A server in the test process that speaks the protocol of chat completions, with the faults that a test asks for."""

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.serving import LoopbackServer, serving

# that each answer says it used
PROMPT_TOKENS = 100
ANSWER_TOKENS = 20


@dataclass(frozen=True)
class Request:
    """What the server was sent; `number` counts the requests with this text, from 1."""

    headers: dict[str, str]
    path: str
    body: dict[str, Any]
    text: str  # after the last line break of the prompt's "Text:", up to the next
    number: int


@dataclass(frozen=True)
class Reply:
    """What it answers: a completion with this content, or else `raw` bytes."""

    content: str | None = "It explains.\nScore: 3"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    usage: bool = True
    finish: str = "stop"
    raw: bytes | None = None
    delay: float = 0.0  # seconds
    drop: bool = False  # the connection, without an answer

    def bytes(self) -> bytes:
        if self.raw is not None:
            return self.raw
        message = {"role": "assistant", "content": self.content}
        reply: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": self.finish}]}
        if self.usage:
            reply["usage"] = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": ANSWER_TOKENS}
        return json.dumps(reply).encode()


Answer = Callable[[Request], Reply]


@dataclass
class ChatServer:
    """`url` is its address; `answer` may be changed while it runs."""

    url: str
    answer: Answer = lambda _: Reply()
    requests: list[Request] = field(default_factory=list)
    at_once: int = 0  # the most requests that were under way together
    _under_way: int = 0
    _seen: "Counter[str]" = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, headers: dict[str, str], path: str, body: dict[str, Any]) -> Request:
        text = body["messages"][-1]["content"].partition("Text: ")[2].partition("\n")[0]
        with self._lock:
            self._seen[text] += 1
            request = Request(headers, path, body, text, self._seen[text])
            self.requests.append(request)
            self._under_way += 1
            self.at_once = max(self.at_once, self._under_way)
        return request

    def end(self) -> None:
        with self._lock:
            self._under_way -= 1


@contextmanager
def chat_server(answer: Answer = lambda _: Reply()) -> Iterator[ChatServer]:
    """Serves while the context lasts."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.chat = ChatServer(server.url, answer)
    with serving(server):
        yield server.chat


class _Server(LoopbackServer):
    chat: ChatServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = chat.begin(dict(self.headers), self.path, body)
        try:
            reply = chat.answer(request)
            time.sleep(reply.delay)
        finally:
            chat.end()
        if reply.drop:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        content = reply.bytes()
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True  # the client has given up

    def log_message(self, format: str, *args: object) -> None: ...
