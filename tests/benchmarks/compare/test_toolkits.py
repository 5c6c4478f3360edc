"""What a toolkit is given, what is counted of its configuration and its output, and one that fails or hangs."""

import argparse
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.compare import toolkits
from benchmarks.compare.toolkits import CONFIGURATIONS, TOOLKITS, WORKS, Toolkit, kept, row, write


def test_every_configuration_belongs_to_a_toolkit_and_a_work() -> None:
    assert {path.name for path in CONFIGURATIONS.iterdir()} == set(TOOLKITS)
    scripts = {path.stem for path in CONFIGURATIONS.rglob("*.sh")}
    assert scripts == set(WORKS)
    assert all((CONFIGURATIONS / "winnow" / f"{work}.sh").exists() for work in WORKS)


def test_all_toolkits_are_compared_unless_some_are_named() -> None:
    parser = argparse.ArgumentParser()
    toolkits.add_options(parser)
    assert tuple(parser.parse_args([]).toolkits) == TOOLKITS
    with pytest.raises(SystemExit, match="no toolkit nothing; there are winnow, "):
        next(toolkits.run(parser.parse_args(["winnow", "nothing"])))


def test_the_texts_are_shared_out_over_the_files(tmp_path: Path) -> None:
    folder = write(["a", "b", "c", "d", "é\n"], tmp_path)
    files = sorted(folder.glob("*.jsonl"))
    rows = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    assert [[one["text"] for one in part] for part in rows] == [["a", "é\n"], ["b"], ["c"], ["d"]]


def test_documents_are_counted_in_what_is_kept_alone(tmp_path: Path) -> None:
    parts = tmp_path / "kept"
    parts.mkdir()
    (parts / "0.jsonl").write_text("{}\n{}\n")
    (parts / "1.json.gz").write_bytes(gzip.compress(b"{}\n"))
    (parts / "dataset_info.json").write_text("{}\n")
    table = pa.table({"text": ["a", "b", "c"]})
    with pa.ipc.new_stream(parts / "data.arrow", table.schema) as stream:
        stream.write_table(table)
    (tmp_path / "kept_stats.jsonl").write_text("{}\n")
    (tmp_path / "removed.jsonl").write_text("{}\n")
    assert kept(tmp_path) == 6
    (tmp_path / "kept.jsonl").write_text("{}\n")
    assert kept(tmp_path) == 7


def toolkit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> Toolkit:
    folder = tmp_path / "configurations" / "winnow"
    folder.mkdir(parents=True)
    (folder / "gopher.sh").write_text(script)
    (folder / "gopher.yaml").write_text("# a comment\n\na: 1\n")
    monkeypatch.setattr(toolkits, "CONFIGURATIONS", folder.parent)
    return Toolkit("winnow", tmp_path)


def test_a_toolkit_is_run_and_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = toolkit(monkeypatch, tmp_path, 'sleep 0.5\ncp "$INPUT/0.jsonl" "$OUTPUT/kept.jsonl"\n')
    texts = write(["a", "b"], tmp_path / "texts")
    found = one.run("gopher", texts, tmp_path / "output", 60)
    assert (found["kept"], one.lines("gopher")) == (1, 3)
    assert found["peak MB"] > 0


def test_a_failure_is_told_with_its_last_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = toolkit(monkeypatch, tmp_path, "echo no luck\nfalse\n")
    found = one.run("gopher", tmp_path, tmp_path / "output", 60)
    assert found["error"].startswith("winnow, gopher: ended with 1")
    assert found["error"].endswith("no luck")


def test_one_that_hangs_is_ended_with_what_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = toolkit(monkeypatch, tmp_path, 'sleep 300 & echo $! > "$OUTPUT/number"\nwait\n')
    found = one.run("gopher", tmp_path, tmp_path / "output", 2)
    assert "ended with -9" in found["error"]
    state = Path("/proc", (tmp_path / "output" / "number").read_text().strip(), "stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_rate_beyond_the_start_is_given_only_beyond_noise() -> None:
    start = {"CPU s": 10.0}
    assert "beyond start" not in row({"CPU s": 11.0}, start, 20.0, 5)
    assert row({"CPU s": 20.0}, start, 20.0, 5) == {
        "CPU s": 20.0,
        "start, CPU s": 10.0,
        "MB/CPU s": 1.0,
        "beyond start": 2.0,
        "lines": 5,
    }
