"""Settings of every test run, and one finished run that many tests look into.

Hypothesis tries the same examples each time and is never judged by the clock. Byte code is always written, whatever the
environment says: pytest's workers, Ray's workers and commands read what the first process compiled.
"""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Two workers share two cores: more threads of torch would take them from each other, and spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("PYTHONFAULTHANDLER", "1")  # a command that a signal ends says where it was
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # before `tests.runs` takes the environment for its commands

from pipelines.api import Inline, curate  # noqa: E402
from tests.runs import write_recipe  # noqa: E402

settings.register_profile("winnow", deadline=None, derandomize=True)
settings.load_profile("winnow")


@pytest.fixture(autouse=True)
def _valid_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command prints with --json in this process is checked against the schema that `winnow schema` prints."""
    from pipelines.render import console

    real = console.json_values

    def checked(value: object) -> object:
        from tests.answers import check_answer

        found = real(value)
        check_answer(found)
        return found

    monkeypatch.setattr(console, "json_values", checked)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow tests first in each half: `--dist worksteal` gives each of two workers one half to begin with. Those of
    one file stay together, because what they share takes longest."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    numbers = {path: number for number, path in enumerate(dict.fromkeys(item.path for item in slow))}
    halves = [[item for item in slow if numbers[item.path] % 2 == half] for half in (0, 1)]
    items[:] = [*halves[0], *quick[: len(quick) // 2], *halves[1], *quick[len(quick) // 2 :]]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of faults, where tests of tests/faults ran: each states its line as the property `fault`."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    lines = [value for report in reports for name, value in report.user_properties if name == "fault"]
    if lines:
        terminalreporter.section("fault | what happens | what is lost | seconds; of a whole run, undisturbed, 10 to 20")
        for line in sorted({str(line) for line in lines}):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder with `small.yaml`, its `crawl/` and its `run/`, shared by all of pytest's workers.

    A test that changes it works on a copy; after the last test the folder is checked for changes.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished"
    folder.mkdir(exist_ok=True)
    state = folder.with_name("finished.json")
    with folder.with_name("finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not state.exists():
            curate(write_recipe(folder), folder / "run", executor=Inline())
            state.write_text(json.dumps(_files(folder)))
    yield folder
    assert _files(folder) == json.loads(state.read_text()), "a test has changed the run that all others look into"


def _files(folder: Path) -> dict[str, list[int]]:
    """Of each file, when it was changed (ns) and its size (bytes)."""
    return {str(p): [p.stat().st_mtime_ns, p.stat().st_size] for p in folder.rglob("*") if p.is_file()}
