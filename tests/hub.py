"""As much of Hugging Face's Hub as hf:// paths ask for: one data set, whose files are in memory."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from curation.core import storage

REPOSITORY = "datasets/me/mine"
COMMIT = "0" * 40


class Hub(ThreadingHTTPServer):
    """`files` by their path in the data set; `tokens` that requests were signed with."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.files: dict[str, bytes] = {}
        self.tokens: set[str] = set()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def entry(self, path: str) -> dict[str, Any]:
        content = self.files[path]
        return {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}

    def tree(self, folder: str) -> list[dict[str, Any]]:
        """The files and folders directly in a folder."""
        start = f"{folder}/" if folder else ""
        inside = {path[len(start) :]: path for path in self.files if path.startswith(start)}
        folders = {start + rest.partition("/")[0] for rest in inside if "/" in rest}
        listed = [{"type": "directory", "path": one, "size": 0, "oid": COMMIT} for one in sorted(folders)]
        return listed + [self.entry(path) for rest, path in sorted(inside.items()) if "/" not in rest]


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith(f"/{REPOSITORY}/resolve/main/"):
            return self._content(path.partition("/main/")[2])
        if path.startswith(f"/api/{REPOSITORY}/tree/main"):
            return self._json(self.server.tree(path.partition("/main")[2].strip("/")))
        if path == f"/api/{REPOSITORY}":
            return self._json({"id": "me/mine", "_id": "1", "sha": COMMIT, "siblings": [], "private": False})
        self._json({"error": "not found"}, 404)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "/paths-info/" in self.path:
            asked = [part.partition("=")[2].replace("%2F", "/") for part in body.decode().split("&")]
            return self._json([self.server.entry(path) for path in asked if path in self.server.files])
        if "/preupload/" in self.path:
            plain = {"uploadMode": "regular", "shouldIgnore": False}
            return self._json({"files": [{"path": one["path"], **plain} for one in json.loads(body)["files"]]})
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
        url = f"{self.server.url}/{REPOSITORY}/commit/{COMMIT}"
        self._json({"success": True, "commitOid": COMMIT, "commitUrl": url, "hookOutput": ""})

    def _content(self, path: str) -> None:
        content = self.server.files.get(path)
        if content is None:
            return self._json({"error": "Entry not found"}, 404)
        first, _, last = (self.headers.get("range") or "bytes=0-").partition("=")[2].partition("-")
        self._send(content[int(first) : int(last) + 1 if last else None], 206 if "range" in self.headers else 200)

    def _json(self, value: Any, code: int = 200) -> None:
        self._send(json.dumps(value).encode(), code)

    def _send(self, content: bytes, code: int) -> None:
        self.server.tokens.add(self.headers.get("authorization") or "")
        self.send_response(code)
        if code == 404:
            self.send_header("X-Error-Code", "EntryNotFound" if "/resolve/" in self.path else "RepoNotFound")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that hf:// paths lead to while the test runs."""
    package = pytest.importorskip("huggingface_hub", reason="pip install huggingface_hub")
    constants = pytest.importorskip("huggingface_hub.constants", reason="pip install huggingface_hub")
    server = Hub()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    files = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, server.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    package.HfFileSystem.clear_instance_cache()
    storage.forget_stores()
    yield server
    server.shutdown()
    server.server_close()
    package.HfFileSystem.clear_instance_cache()
    storage.forget_stores()
