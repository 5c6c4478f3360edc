"""Parsers that misbehave on the page they are told to, each as the child process would meet it."""

import ctypes
import os
import sys
import time
from collections.abc import Callable


def build(*, word: str) -> Callable[[str], str]:
    """Upper case of a page; a page that holds the word "hang", "crash" … does just that."""

    def parse(page: str) -> str:
        for name, act in _ACTS.items():
            if name in page.split():
                act()
        return f"{word} {page.upper()}"

    return parse


def surroundings(*, word: str) -> Callable[[str], str]:
    """The working folder and the search path, a line each."""
    return lambda page: "\n".join((os.getcwd(), *sys.path))  # noqa: PTH109 - a string is wanted


def killed_by() -> Callable[[bytes], bytes]:
    """Of files, as JSON; one that is "kill" ends the process."""

    def read(content: bytes) -> bytes:
        if content == b"kill":
            os.abort()
        return b'{"text": "read"}'

    return read


def broken(*, word: str) -> Callable[[str], str]:
    raise ValueError(f"no parser for {word}")


def _hang_in_c() -> None:
    """Never returns to the interpreter and keeps its lock, like a parser caught in a loop."""
    libc = ctypes.PyDLL(None)
    while True:
        libc.usleep(100_000)


def _eat() -> None:
    held = []
    while True:
        held.append(bytes(16 << 20))  # not touched: only the address space is used up


def _noise() -> None:
    print("a library talks", flush=True)
    os.write(1, b"and its C code too\n")


_seen: list[int] = []


def _crash_when_used() -> None:
    """Crashes unless it is the first page of its process that gets here."""
    _seen.append(1)
    if len(_seen) > 1:
        os.abort()


def _raise() -> None:
    raise RecursionError("too deep for this library")


class _Panic(BaseException):
    """As a library in Rust raises it."""


def _panic() -> None:
    raise _Panic("index out of bounds")


_ACTS: dict[str, Callable[[], object]] = {
    "hang": lambda: time.sleep(3600),
    "hang_in_c": _hang_in_c,
    "crash": lambda: ctypes.string_at(0),
    "panic": _panic,
    "exit": lambda: os._exit(3),
    "eat": _eat,
    "noise": _noise,
    "used": _crash_when_used,
    "raise": _raise,
}
