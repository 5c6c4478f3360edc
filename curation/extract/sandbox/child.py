"""The child process: reads pages from one pipe, writes texts to another, with time and memory limits.

`parent.py` starts it and passes both pipes, which nothing else writes to or reads. A page is framed as its length and
its bytes, a reply as a status, a length and the text. If a parser of markup finds next to nothing, the page's prose
(`prose.py`) or the article that it gives to search engines (`article_body.py`), whichever is longer, takes its place,
and the status says so. Each reply is written before the next page is read, so that the parent knows at which page the
child died. The child ends when the pages do, so it cannot outlive its parent.
"""

import importlib
import logging
import os
import resource
import signal
import struct
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TypeAlias

from curation.extract import article_body, prose
from curation.extract.headline import headed, headline
from curation.extract.marks import GUARD

Parse: TypeAlias = Callable[[str], str]
Read: TypeAlias = Callable[[bytes], tuple[int, bytes]]  # a page or file to the status and what is sent

PAGE = struct.Struct("<I")  # bytes of the page
REPLY = struct.Struct("<BI")  # status, bytes of the text
TEXT, ARTICLE_BODY, PROSE, PARSER_ERROR, OUT_OF_MEMORY, READY, BROKEN = range(7)
READINGS = {ARTICLE_BODY: article_body.READING, PROSE: prose.READING}  # what was read in the parser's place
BUFFER_BYTES = 1 << 20


def serve(settings: dict[str, Any]) -> None:
    """Answers pages until they end; `settings` are those that `parent.py` passes, with the numbers of both pipes."""
    pages = os.fdopen(settings["pages"], "rb", buffering=BUFFER_BYTES)
    replies = settings["replies"]
    try:
        module, _, name = settings["parser"].partition(":")
        parse = getattr(importlib.import_module(module), name)(**settings["options"])
        read = _reader(parse) if settings["markup"] else lambda content: (TEXT, parse(content))
    except Exception as error:  # reported to the parent, which raises it
        _reply(replies, BROKEN, f"{type(error).__name__}: {error}".encode())
        return
    _limit(settings["memory_mb"] << 20)
    _reply(replies, READY, b"")
    _serve(pages, replies, read, settings["timeout_seconds"])


def _limit(memory_bytes: int) -> None:
    """SIGALRM kills even inside a parser that never returns to Python; inherited masks and handlers are undone."""
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})


def _serve(pages: BinaryIO, replies: int, read: Read, timeout_seconds: float) -> None:
    while header := pages.read(PAGE.size):
        page = pages.read(PAGE.unpack(header)[0])
        signal.setitimer(signal.ITIMER_REAL, timeout_seconds)
        try:
            status, text = read(page)
        except MemoryError:
            status = OUT_OF_MEMORY
            text = b""
        except BaseException:  # a panic in a Rust library is not an Exception
            status = PARSER_ERROR
            text = b""
        signal.setitimer(signal.ITIMER_REAL, 0)
        _reply(replies, status, text)


def _reader(parse: Parse) -> Read:
    readings = {PROSE: prose.visible_prose(), ARTICLE_BODY: article_body.article_body}
    return lambda page: _read(page.decode(), parse, readings)


def _read(page: str, parse: Parse, readings: Mapping[int, Parse]) -> tuple[int, bytes]:
    """TEXT and what the parser finds; if that is next to nothing, the status and text of the reading that finds most,
    if it finds more. A title alone is no text."""
    text = parse(page)
    status = TEXT
    page = page.replace(GUARD, "")
    if prose.next_to_nothing(text):
        found = {other: read(page) for other, read in readings.items()}
        most = max(found, key=lambda other: prose.letters(found[other]), default=TEXT)
        if not prose.next_to_nothing(found.get(most, "")):
            status = most
            text = found[most]
    return status, _clean(headed(text, headline(page)))


def _clean(text: str) -> bytes:
    """UTF-8 without NULs; a lone surrogate, which a character reference can make, becomes U+FFFD."""
    text = text.replace("\0", "").strip()
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _reply(replies: int, status: int, text: bytes) -> None:
    frame = memoryview(REPLY.pack(status, len(text)) + text)
    while frame:
        frame = frame[os.write(replies, frame) :]
