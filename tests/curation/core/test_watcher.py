"""What a watcher sees of another process, and what it writes before it ends one."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from curation.core.watcher import own_bytes, thread_state, write_note


def test_time_and_memory_of_a_process() -> None:
    before, _ = thread_state(os.getpid(), threading.get_native_id())
    began = time.thread_time()
    while time.thread_time() - began < 0.1:
        pass
    after, stopped = thread_state(os.getpid(), threading.get_native_id())
    assert 0.05 < after - before < 1
    assert not stopped
    small = own_bytes(os.getpid())
    held = bytearray(50 << 20)
    assert 40 << 20 < own_bytes(os.getpid()) - small < 80 << 20
    del held


def test_a_stopped_process_does_not_wait() -> None:
    command = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"]
    process = subprocess.Popen(command)
    os.waitpid(process.pid, os.WUNTRACED)
    assert thread_state(process.pid, process.pid)[1]
    process.kill()
    process.wait()


ENDING: dict[str, Any] = {"name": "x", "again": False, "limits": {"timeout": 60.0, "memory": 5}}


@pytest.mark.parametrize(
    ("ending", "place", "name", "note"),
    [
        pytest.param(
            {"note": {"key": "k", "doc_id": "x"}}, (0, 0, -1), "x", {"key": "k", "doc_id": "x"}, id="a document"
        ),
        pytest.param({"note": {"file": "x"}}, (3, 2, 7), "x.7", {"file": "x", "number": 7}, id="a document of a file"),
        pytest.param({"note": {"file": "x"}}, (3, 2, -1), "x.end", {"file": "x", "pulled": 3, "given": 2}, id="a file"),
        pytest.param(
            {"note": {"file": "x"}, "again": True},
            (3, 2, -1),
            "x.end",
            {"file": "x", "pulled": -1, "given": 2},
            id="a file that ends the process again",
        ),
    ],
)
def test_the_note(
    tmp_path: Path, ending: dict[str, Any], place: tuple[int, int, int], name: str, note: dict[str, Any]
) -> None:
    written = write_note({**ENDING, "folder": str(tmp_path / "unit"), **ending}, "timeout", *place)
    assert written == tmp_path / "unit" / f"{name}.json"
    assert json.loads(written.read_text()) == {**note, "cause": "timeout", "limit": 60.0}
    assert write_note({**ENDING, "folder": "", **ending}, "timeout", *place) is None, "a store is out of reach"
