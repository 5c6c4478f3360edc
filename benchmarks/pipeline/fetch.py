"""Fetching archives from a server on this machine, beside wget: with and without what ours does besides, which is to
unpack every gzip member and to hash the file."""

import argparse
import gzip
import hashlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.case import AbsentError, Case, DisagreementError
from curation.sources.commoncrawl.client import CrawlClient
from curation.sources.commoncrawl.courtesy import Courtesy
from curation.sources.commoncrawl.fetch import fetch_files


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--megabytes", type=int, default=32, help="of each file, as stored")


def run(options: argparse.Namespace) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as place:
        names = _archives(Path(place), options.files, options.megabytes << 20)
        amount = {"MB": sum((Path(place) / name).stat().st_size for name in names) / 1e6}
        with _served(Path(place)) as base:
            for name, peer in (("wget", _wget), ("wget, gzip -t, sha256sum", _wget_and_checked)):
                yield Case(
                    name=f"fetch, beside {name}",
                    amounts=amount,
                    ours=partial(_ours, base, names),
                    peer=partial(peer, base, names),
                    called=name,
                    agree=_alike,
                    clock=time.perf_counter,
                    packages=("aiohttp",),
                )


def _archives(folder: Path, files: int, size: int) -> list[str]:
    """Gzip members of about 20 kB of words, as a WARC file's records."""
    draw = random.Random(0)
    words = [draw.randbytes(draw.randrange(1, 6)).hex() for _ in range(20_000)]
    members = [gzip.compress(" ".join(draw.choices(words, k=6000)).encode()) for _ in range(200)]
    for number in range(files):
        with (folder / f"{number}.warc.gz").open("wb") as file:
            while file.tell() < size:
                file.write(draw.choice(members))
    return [f"{number}.warc.gz" for number in range(files)]


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 0.1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _ours(base: str, names: list[str]) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as place:
        done = fetch_files(CrawlClient(Courtesy(contact="https://example.org", base=base)), names, place)
        assert not done.failed, done.failed
        return _digests(Path(place), names)


def _wget(base: str, names: list[str], check: str = "true") -> dict[str, str]:
    if shutil.which("wget") is None:
        raise AbsentError("no wget; run `apt-get install wget` first")
    with tempfile.TemporaryDirectory() as place:
        urls = " ".join(f"{base}/{name}" for name in names)
        # As many at once as ours.
        shell = f"echo {urls} | xargs -n 1 -P 10 wget -q && {check}"
        subprocess.run(shell, shell=True, cwd=place, check=True, stdout=subprocess.DEVNULL)
        return _digests(Path(place), names)


def _wget_and_checked(base: str, names: list[str]) -> dict[str, str]:
    return _wget(base, names, "ls *.gz | xargs -n 1 -P 10 gzip -t && sha256sum *.gz")


def _digests(folder: Path, names: list[str]) -> dict[str, str]:
    """Of the first and the last bytes, which costs no time."""
    return {name: hashlib.sha256(_ends(folder / name)).hexdigest() for name in names}


def _ends(path: Path) -> bytes:
    with path.open("rb") as file:
        first = file.read(4096)
        file.seek(-4096, 2)
        return first + file.read() + str(path.stat().st_size).encode()


def _alike(ours: dict[str, str], theirs: dict[str, str]) -> str:
    if ours != theirs:
        raise DisagreementError("the files differ")
    return f"{len(ours)} files alike"
