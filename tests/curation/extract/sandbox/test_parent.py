"""The net: a page that hangs, crashes or eats memory costs only itself, and no process is left behind.

A child process has nothing of the caller's on its search path.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from curation.core.errors import StageError
from curation.extract.sandbox import parent
from curation.extract.sandbox.launch import Parsing
from curation.extract.sandbox.parent import close, parse_pages


def parsing(*, parser: str = "build", timeout_seconds: float = 60.0, word: str = "text") -> Parsing:
    return Parsing(f"tests.curation.extract.hostile:{parser}", json.dumps({"word": word}), timeout_seconds, 512)


def run(*pages: str, parser: Parsing | None = None) -> tuple[list[str | None], list[tuple[int, str]]]:
    """Text or cause of each page, and what the net reported."""
    reported: list[tuple[int, str]] = []
    outcomes = parse_pages(parser or parsing(), [page.encode() for page in pages], lambda *one: reported.append(one))
    return [outcome.cause or outcome.text.decode() for outcome in outcomes], reported


def child_id() -> int:
    """Of the only child, or of the latest."""
    return list(parent._children.values())[-1].process.pid


@pytest.fixture(autouse=True)
def _no_child() -> Iterator[None]:
    close()
    yield
    close()


@pytest.mark.parametrize(
    ("word", "cause"),
    [
        pytest.param("hang", "timeout", id="sleeps"),
        pytest.param("hang_in_c", "timeout", id="never leaves C"),
        pytest.param("crash", "crash", id="segmentation fault"),
        pytest.param("exit", "crash", id="ends its process"),
        pytest.param("eat", "memory", id="out of memory"),
    ],
)
def test_a_caught_page_costs_only_itself(word: str, cause: str) -> None:
    net_of = parsing(timeout_seconds=1.5 if cause == "timeout" else 60.0)
    found, reported = run("one", "two", f"do {word}", "three", "four", parser=net_of)
    assert found == ["text ONE", "text TWO", cause, "text THREE", "text FOUR"]
    assert reported == [(2, cause)]


def test_every_page_may_be_caught() -> None:
    found, reported = run("exit", "exit", "exit")
    assert found == ["crash"] * 3
    assert reported == [(0, "crash"), (1, "crash"), (2, "crash")]


def test_what_was_caught_is_reported_before_the_pages_after_it_are_tried() -> None:
    def stop(index: int, cause: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse_pages(parsing(), [b"exit", b"hang"], stop)
    assert not parent._children


def test_a_page_is_not_blamed_for_what_earlier_pages_left_behind() -> None:
    found, reported = run("used", "used", "used")
    assert found == ["text USED"] * 3
    assert reported == []


@pytest.mark.parametrize("word", ["raise", "panic"])
def test_an_error_of_the_library_is_an_outcome_and_not_a_catch(word: str) -> None:
    assert run("one", word, "two") == (["text ONE", "parser_error", "text TWO"], [])


def test_what_a_library_prints_does_not_reach_the_replies() -> None:
    assert run("noise", "two")[0] == ["text NOISE", "text TWO"]


def test_large_pages_and_large_texts_pass_through() -> None:
    pages = ["a" * 3_000_000, "b", "c" * 8_000_000, *["d" * 150_000] * 30]
    assert [text and len(text) for text in run(*pages)[0]] == [5 + len(page) for page in pages]


def test_no_pages_start_no_child() -> None:
    assert parse_pages(parsing(), [], lambda *_: None) == []
    assert not parent._children


def test_children_are_kept_until_they_are_spent_or_a_third_parser_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run("one")
    first = child_id()
    run("two", "three")
    assert child_id() == first
    run("four", parser=parsing(word="other"))
    second = child_id()
    run("five")
    assert [child.process.pid for child in parent._children.values()] == [first, second]
    run("six", parser=parsing(word="third"))
    assert not _alive(first)
    assert _alive(second)
    monkeypatch.setattr(parent, "PAGES_PER_CHILD", 3)
    assert run("1", "2", "3", "4", parser=parsing(word="w"))[0] == ["w 1", "w 2", "w 3", "w 4"]
    assert not _alive(first)


def test_a_child_killed_between_batches_is_replaced() -> None:
    run("one")
    os.kill(child_id(), signal.SIGKILL)
    time.sleep(0.2)
    assert run("two") == (["text TWO"], [])


def test_a_parser_that_does_not_start_is_an_error() -> None:
    with pytest.raises(StageError, match="does not start: ValueError: no parser for text"):
        run("one", parser=parsing(parser="broken"))
    with pytest.raises(StageError, match="has no attribute 'missing'"):
        run("one", parser=parsing(parser="missing"))


def _in_another_process(word: str) -> list[str | None]:
    return run(word, "hang", word, parser=parsing(word=word, timeout_seconds=0.5))[0]


def test_several_processes_at_once() -> None:
    run("one")
    first = child_id()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_in_another_process, ["a", "b", "c"]) == [
            [f"{w} {w.upper()}", "timeout", f"{w} {w.upper()}"] for w in "abc"
        ]
    assert run("two")[0] == ["text TWO"]
    assert child_id() == first


_CALLER = """
import sys, time
from tests.curation.extract.sandbox.test_parent import child_id, parsing, run
run("one")
print(child_id(), flush=True)
{then}
"""


def _caller(then: str) -> "subprocess.Popen[str]":
    folder = Path(__file__).resolve().parents[4]
    return subprocess.Popen(
        [sys.executable, "-c", _CALLER.format(then=then)], stdout=subprocess.PIPE, text=True, cwd=folder
    )


def _alive(pid: int) -> bool:
    """False also for one that has ended and waits to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _ends(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _alive(pid)


@pytest.mark.parametrize("then", ["pass", "raise ValueError", "run('one', 'two')", "time.sleep(3600)"])
def test_no_child_outlives_its_caller(then: str) -> None:
    """Whether the caller ends by itself, fails, or is killed."""
    with _caller(then) as caller:
        assert caller.stdout is not None
        child = int(caller.stdout.readline())
        if "sleep" in then:
            assert _alive(child)
            caller.kill()
        caller.wait(60)
        assert _ends(child, 30)


def test_a_child_whose_caller_is_killed_while_it_parses_ends_at_the_deadline() -> None:
    with _caller("run('hang', parser=parsing(timeout_seconds=2.0))") as caller:
        assert caller.stdout is not None
        first = int(caller.stdout.readline())
        assert _ends(first, 30)  # replaced by a child with the longer deadline
        time.sleep(1.0)
        children = _children(caller.pid)
        caller.kill()
        caller.wait(60)
        assert all(_ends(child, 30) for child in children)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_forked_process_does_not_use_its_parents_child() -> None:
    run("one")
    first = child_id()
    pid = os.fork()
    if pid == 0:
        os._exit(1 if parent._children else 0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert run("two")[0] == ["text TWO"]
    assert child_id() == first


def test_no_file_of_the_folder_that_somebody_works_in_is_taken_for_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the search path, where Ray puts that folder, nor by PYTHONPATH, where it does so in a job."""
    for name in ("nt", "resource", "lxml", "curation", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("print('not a reply')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "here", str(tmp_path), "/some/libraries"]))
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    monkeypatch.setattr(parent, "START_SECONDS", 10.0)
    assert run("one") == (["text ONE"], [])
    (found,), _ = run("page", parser=parsing(parser="surroundings"))
    folder, *path = str(found).splitlines()
    assert folder == "/"
    assert "/some/libraries" in path
    assert not {"", "here", str(tmp_path)} & set(path)
    clone = str(Path(__file__).parents[4])  # is there by an editable installation, behind what is installed
    assert clone not in path or path.index(clone) > max(i for i, one in enumerate(path) if "site-packages" in one)


def test_a_child_that_ends_at_once_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nprint('not a reply', flush=True)\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(StageError, match="does not start: it ended at once"):
        run("one")
