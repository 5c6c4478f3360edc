"""Inputs and assets behind credentials are read, and no file of a run, message or log of Ray says what these are."""

import base64
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from curation.core.manifest import read_manifest, read_run
from curation.core.run_lock import LOCK
from tests.curation.engine.inputs import text
from tests.runs import COMMAND, ENVIRONMENT

pytest.importorskip("aiohttp", reason="fsspec opens http with it")

SECRETS = ("pass-one-4711", "pass-two-0815", "sign-one-2342", "sign-two-1984", "wrong-pass-99")
RECIPE = """
version: 1
name: secret
sources:
  web:
    - read:
        jsonl:
          url: url
          paths:
            - "http://%(user)s@%(host)s/plain.jsonl"
            - "http://%(host)s/signed.jsonl?part=1&X-Amz-Date=%(sign)s&X-Amz-Signature=%(sign)s"
    - filter: {c4_quality: {bad_words: "http://%(user)s@%(host)s/words.txt", min_sentences: 0}}
    - dedup: {exact: {}}
"""


def lines(numbers: range) -> bytes:
    rows = [json.dumps({"text": text(n), "url": f"http://a.example/{n}"}) for n in numbers]
    return "\n".join([*rows, '{"text": "damaged', ""]).encode()


BROKEN = "/broken.jsonl"  # its beginning can be read before work begins, and nothing afterwards
FILES = {
    "/plain.jsonl": lines(range(4)),
    "/signed.jsonl": lines(range(3, 6)),
    "/words.txt": b"unheard-of\n",
    BROKEN: lines(range(9)),
}


class _Handler(BaseHTTPRequestHandler):
    """Gives FILES, and ranges of them, to who has one of the first four secrets."""

    looks: ClassVar[list[str]] = []  # at BROKEN

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path, _, query = self.path.partition("?")
        user = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if not any(secret in user + query for secret in SECRETS[:4]) or path not in FILES:
            self.send_error(404 if path not in FILES else 401)
            return
        if path == BROKEN and body:
            self.looks.append(self.headers.get("Range", ""))
            if len(self.looks) > 2:
                self.send_error(500)
                return
        content = FILES[path]
        status = 200
        size = len(FILES[path])
        if asked := self.headers.get("Range", "").removeprefix("bytes="):
            start, _, stop = asked.partition("-")
            status = 206
            content = content[int(start) : int(stop or size) + 1]
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{int(start) + len(content) - 1}/{size}")
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def ray_files() -> Iterator[Path]:
    """Where Ray keeps its logs; the names of its sockets may not be as long as those in `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def secrets_in(*folders: Path) -> set[str]:
    """Names of the files, in any of the folders, that hold a secret."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path) for path in files if any(secret.encode() in path.read_bytes() for secret in SECRETS)}


def contents(output: Path) -> dict[Path, bytes]:
    """Of every file but the lock, which says who held the folder last."""
    return {path: path.read_bytes() for path in output.rglob("*") if path.is_file() and path.name != LOCK}


@pytest.mark.slow
def test_secrets_are_used_and_not_told(tmp_path: Path, host: str, ray_files: Path) -> None:
    recipe = tmp_path / "secret.yaml"
    output = tmp_path / "run"

    def winnow(command: str, user: str, sign: str, *options: str) -> "subprocess.CompletedProcess[str]":
        recipe.write_text(RECIPE % {"host": host, "user": f"me:{user}", "sign": sign})
        arguments = [*COMMAND, command, str(recipe), "--output", str(output), *options]
        environment = {**ENVIRONMENT, "RAY_TMPDIR": str(ray_files)}
        done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=300, check=False)
        assert not any(secret in done.stdout + done.stderr for secret in SECRETS)
        return done

    first = winnow("curate", SECRETS[0], SECRETS[2])
    assert first.returncode == 0, first.stderr
    assert not list(ray_files.iterdir())  # Ray's logs are gone with it
    assert secrets_in(output) == set()
    run = read_run(str(output))
    read = run.recipe["sources"]["web"][0]["read"]["jsonl"]
    assert read["paths"] == [
        f"http://***@{host}/plain.jsonl",
        f"http://{host}/signed.jsonl?part=1&X-Amz-Date=***&X-Amz-Signature=***",
    ]
    manifest = read_manifest(str(output / run.stages[0].folder))
    assert manifest is not None
    assert manifest.total("rows") == 7
    assert {fault["file"] for commit in manifest.commits for fault in commit.faults} == set(read["paths"])

    before = contents(output)
    again = winnow("curate", SECRETS[1], SECRETS[3])
    assert again.returncode == 0, again.stderr
    assert contents(output) == before

    refused = winnow("curate", SECRETS[4], SECRETS[3])
    assert refused.returncode != 0
    assert "***@" in refused.stderr
    assert secrets_in(output, ray_files) == set()

    failed = winnow("curate", SECRETS[0], SECRETS[2], "--input", f"http://me:{SECRETS[1]}@{host}{BROKEN}")
    assert failed.returncode != 0
    assert f"http://***@{host}{BROKEN}" in failed.stderr
    assert any(ray_files.rglob("*.log"))
    assert secrets_in(output, ray_files) == set()

    _Handler.looks[1:] = []  # the file is found once more, and fails when its first rows are read
    refused = winnow("curate", SECRETS[0], SECRETS[2], "--input", f"http://me:{SECRETS[1]}@{host}{BROKEN}")
    assert f"error: http://***@{host}{BROKEN} cannot be read (500, " in refused.stderr
    assert "Traceback" not in refused.stderr
