"""On a Ray cluster of two nodes: whatever is lost, the run ends with the undisturbed run's bytes, or says what failed.

Each fault takes a cluster of its own, 20 to 40 seconds: `make soak` runs them, and prints a table of what happened and
how long it took.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.faults.harness import write_inputs
from tests.runs import ENVIRONMENT, data_hashes

Record = Callable[[str, object], None]
LOST = {
    "read": "*-read-*/part-*",
    "filter": "*-faulty-*/part-*",
    "keys": "*-dedup-*/_keys/*",
    "collide": "*-dedup-*/_collided*",
    "attach": "*-dedup-*/part-*",
    "pack": "*-pack-*",
}
MENDED = {
    "bad disk": "a disk that fails on one node",
    "memory": "memory that is not there at first",
    "kernel": "a worker that the kernel kills for its memory",
    "stop": "a worker that stands still and comes back",
    "slow disk": "a disk that takes 30 s for each batch on one node",
}


def disturbed(folder: Path, inputs: Path, fault: str = "", moment: str = "", options: str = "") -> dict[str, Any]:
    """What the run in `folder` ended with."""
    marks = folder.parent / f"{folder.name}-marks"
    marks.mkdir(exist_ok=True)
    environment = ENVIRONMENT | {"FAULT": fault, "FAULT_FOLDER": str(marks), "RAY_AUTH_MODE": "disabled"}
    command = [sys.executable, "-m", "tests.faults.harness", str(folder), str(inputs), fault, moment, options]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root, timeout=240, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr
    result: dict[str, Any] = json.loads(lines[-1])
    return result


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The inputs, and a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("faults")
    write_inputs(folder / "inputs")
    assert disturbed(folder / "run", folder / "inputs")["end"] == "done"
    return folder / "inputs", folder / "run"


def note(record: Record, fault: str, happens: str, lost: str, result: dict[str, Any]) -> None:
    """A line of the table of faults."""
    record("fault", f"{fault} | {happens}, {result['retries']} attempts failed | {lost} | {result['seconds']}")


def decisions(run: Path, stage: str) -> dict[str, str | None]:
    (folder,) = run.glob(f"*-{stage}-????????")
    tables = [pq.read_table(path, columns=["url", "drop_reason"]) for path in sorted(folder.glob("part-*.parquet"))]
    return {row["url"]: row["drop_reason"] for table in tables for row in table.to_pylist()}


@pytest.mark.soak
@pytest.mark.parametrize("step", LOST)
@pytest.mark.timeout(300)
def test_a_node_is_lost(undisturbed: tuple[Path, Path], tmp_path: Path, step: str, record_property: Record) -> None:
    inputs, run = undisturbed
    result = disturbed(tmp_path / "run", inputs, moment=LOST[step])
    assert result["end"] == "done"
    note(record_property, f"a node lost in {step}", "its units are run elsewhere", "nothing", result)
    assert data_hashes(tmp_path / "run") == data_hashes(run)


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_node_is_lost_while_it_works(undisturbed: tuple[Path, Path], tmp_path: Path, record_property: Record) -> None:
    inputs, run = undisturbed
    result = disturbed(tmp_path / "run", inputs, "lose")
    assert result["end"] == "done"
    assert result["retries"] >= 1
    note(record_property, "a node lost in the middle of a unit", "the unit is run elsewhere", "nothing", result)
    assert data_hashes(tmp_path / "run") == data_hashes(run)


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_document_that_kills_is_dropped_alone(
    undisturbed: tuple[Path, Path], tmp_path: Path, record_property: Record
) -> None:
    inputs, run = undisturbed
    result = disturbed(tmp_path / "run", inputs, "segfault")
    assert result["end"] == "done"
    assert "row 21 of unit 2 kills faulty; it is dropped as an error" in result["notes"]
    expected = decisions(run, "faulty")
    found = decisions(tmp_path / "run", "faulty")
    assert {url for url in expected if expected[url] != found[url]} == {"http://2-21.example/"}
    assert found["http://2-21.example/"] == "error.faulty.Crash"
    note(record_property, "a document kills the process", "found by halves", "that document, as error.*", result)


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_document_that_keeps_a_library_busy_is_dropped_alone(
    undisturbed: tuple[Path, Path], tmp_path: Path, record_property: Record
) -> None:
    inputs, run = undisturbed
    result = disturbed(tmp_path / "run", inputs, "stuck", options="document_seconds: 0.2")
    assert result["end"] == "done"
    assert result["retries"] >= 2, "the process ends once on the batch, and once on the document"
    expected = decisions(run, "faulty")
    found = decisions(tmp_path / "run", "faulty")
    assert {url for url in expected if expected[url] != found[url]} == {"http://2-21.example/"}
    assert found["http://2-21.example/"] == "error.faulty.timeout"
    note(
        record_property, "a document keeps a library busy", "its process is ended", "that document, as error.*", result
    )


@pytest.mark.parametrize(
    ("fault", "retries"),
    [
        ("bad disk", True),
        ("memory", True),
        ("kernel", True),
        ("stop", False),
        ("slow disk", False),
    ],
)
@pytest.mark.soak
@pytest.mark.timeout(300)
def test_what_another_attempt_mends(
    undisturbed: tuple[Path, Path], tmp_path: Path, fault: str, retries: bool, record_property: Record
) -> None:
    inputs, run = undisturbed
    result = disturbed(tmp_path / "run", inputs, fault)
    assert result["end"] == "done"
    assert bool(result["retries"]) == retries
    note(record_property, MENDED[fault], "tried again", "nothing", result)
    if fault in ("stop", "slow disk"):
        assert "started a second time: unit" in " ".join(result["notes"])
    if fault == "stop":
        assert (tmp_path / "run-marks" / "continued").exists()
    assert data_hashes(tmp_path / "run") == data_hashes(run)


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_unit_that_always_fails_is_named_and_may_be_left_out(
    undisturbed: tuple[Path, Path], tmp_path: Path, record_property: Record
) -> None:
    inputs, run = undisturbed
    end = disturbed(tmp_path / "run", inputs, "always")["end"]
    assert end.startswith("StageError: faulty: unit 3 of step 'filter' failed 4 times: OSError: [Errno 5] Input/output")
    assert "part-00003.parquet; mend the cause and run the same command again" in end
    result = disturbed(tmp_path / "run", inputs, "always", options="max_failed_units: 1")
    assert result["end"] == "done"
    note(record_property, "a unit that always fails", "named, or left out by max_failed_units", "the unit", result)
    lost = {url for url in decisions(run, "faulty") if url.startswith("http://3-")}
    assert decisions(run, "faulty").keys() - decisions(tmp_path / "run", "faulty").keys() == lost
