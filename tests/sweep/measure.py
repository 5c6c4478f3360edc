"""Measures every filter, rewriter and dedup method on its slowest text: CPU seconds and memory for one document.

    python -m tests.sweep [--components pii minhash] [--texts digits] [--bytes 1000000]

Components are made as the contract tests make them, in all variants, and with the options that make them slow. Each
works in a process of its own, first on a page of prose, then on the texts of `tests.sweep.slow_texts`; a text
that takes more than `--seconds` is given up. Told are the slowest text and the one that took the most memory, of each,
and all that are over the bounds of a document of 1 MB: 5 s and 500 MB.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.sweep.slow_texts import TEXTS
from tests.sweep.swept import Swept, names

MOST_SECONDS = 5.0
MOST_MB = 500.0


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One text: `seconds` of CPU, and `megabytes` that the process grew by; None if the text was given up."""

    text: str
    seconds: float
    megabytes: float | None


def sweep(options: argparse.Namespace) -> None:
    """Prints the figures of each component, the slowest first at the end, and all that is over the bounds."""
    texts = [text for text in TEXTS if not options.texts or any(part in text for part in options.texts)]
    over: dict[str, dict[str, Any]] = {}
    slowest: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names():
            if options.components and not any(part in name for part in options.components):
                continue
            found = _measured(name, texts, options, Path(folder))
            slow = max(found, key=lambda one: one.seconds)
            large = max(found, key=lambda one: one.megabytes or 0)
            slowest[name] = {"s": slow.seconds, "slowest": slow.text, "MB": large.megabytes, "largest": large.text}
            print(f"{name}: {slow.seconds:.2f} s, {large.megabytes or 0:.0f} MB", flush=True)
            for one in found:
                if one.megabytes is None or one.seconds > MOST_SECONDS or one.megabytes > MOST_MB:
                    over[f"{name}: {one.text}"] = {"s": one.seconds, "MB": one.megabytes}
    for name, figures in sorted(slowest.items(), key=lambda item: -item[1]["s"]):
        print(name, figures)
    print(f"over {MOST_SECONDS:g} s or {MOST_MB:g} MB:", over or "none")


def _measured(name: str, texts: Sequence[str], options: argparse.Namespace, folder: Path) -> list[Measured]:
    """All texts in order; a process that is given up is replaced by one for the texts that follow."""
    found: list[Measured] = []
    context = multiprocessing.get_context("spawn")
    while len(found) < len(texts):
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(name, texts[len(found) :], options.bytes, folder, theirs))
        process.start()
        theirs.close()
        ours.recv()  # it is warm
        while len(found) < len(texts) and ours.poll(options.seconds):
            try:
                found.append(ours.recv())
            except EOFError:
                break
        if len(found) < len(texts):
            found.append(Measured(text=texts[len(found)], seconds=options.seconds, megabytes=None))
        process.kill()
        process.join()
    return found


def _work(name: str, texts: Sequence[str], size: int, folder: Path, to: Connection) -> None:
    swept = Swept(name, folder)
    swept.run(TEXTS["one sentence"](size))
    to.send("warm")
    for text in texts:
        content = TEXTS[text](size)
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
        before = _status("VmRSS")
        start = time.process_time()
        swept.run(content)
        seconds = time.process_time() - start
        to.send(Measured(text=text, seconds=seconds, megabytes=_status("VmHWM") - before))


def _status(field: str) -> float:
    """A figure of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(f"{field}:"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.sweep", description="Components on their slowest texts.")
    parser.add_argument("--components", nargs="+", default=[], metavar="NAME", help="parts of names; default: all")
    parser.add_argument("--texts", nargs="+", default=[], metavar="NAME", help="parts of names; default: all")
    parser.add_argument("--bytes", type=int, default=1_000_000, help="of each text")
    parser.add_argument("--seconds", type=float, default=30.0, help="by the clock, after which a text is given up")
    sweep(parser.parse_args())
