"""Whole runs without Ray: they learn, they repeat, they resume without a difference, and two processes equal one."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.tokens.manifests import checksum
from curation.tokens.shards import TokenData
from tests.training.checkpoint.models import flip
from tests.training.runs import PACK, TINY, counting_run, read_metrics
from training.__main__ import main
from training.checkpoint.manifest import MANIFEST, complete_steps, folder_of
from training.config.parse import parse
from training.metrics.records import describe
from training.parallel.mesh import RefusedError
from training.start import train

Record = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(counting_run(tmp_path_factory.mktemp("run") / "run"))


@pytest.fixture(scope="module")
def whole(run: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of an uninterrupted run."""
    output = tmp_path_factory.mktemp("whole")
    train(parse(TINY), run, str(output))
    return output


def curve(output: Path) -> list[tuple[int, float, float]]:
    """(step, loss, gradient norm) of every step."""
    records = read_metrics(output / "metrics.jsonl")
    return [(r["step"], r["loss"], r["gradient_norm"]) for r in records if r["kind"] == "step"]


def stop_after(step: int) -> Any:
    def stop(record: Record) -> None:
        if (record["kind"], record["step"]) == ("step", step):
            raise InterruptedError

    return stop


def test_what_a_run_leaves_behind(run: str, whole: Path) -> None:
    kinds = [(record["kind"], record["step"]) for record in read_metrics(whole / "metrics.jsonl")]
    written = [at for at, (kind, _) in enumerate(kinds) if kind == "checkpoint"]  # while it goes on, so somewhat later
    assert [kinds[at][1] for at in written] == [3, 6, 8]
    assert all(kinds.index(("step", kinds[at][1])) < at for at in written)
    others = [one for one in kinds if one[0] != "checkpoint"]
    assert others[:4] == [("start", 0), ("step", 1), ("step", 2), ("step", 3)]
    assert others[4:8] == [("step", 4), ("validation", 4), ("step", 5), ("step", 6)]
    assert others[-3:] == [("step", 8), ("validation", 8), ("result", 8)]
    assert complete_steps(str(whole)) == [6, 8]
    config = json.loads((whole / "config.json").read_text())["config"]
    assert (config["model"]["decoder"]["vocabulary"], config["sequence_length"]) == (128, 16)
    result = json.loads((whole / "result.json").read_text())
    assert (result["steps"], result["tokens"], result["world_size"], result["data"]) == (8, 8 * 4 * 16, 1, run)
    last = [one for one in read_metrics(whole / "metrics.jsonl") if one["kind"] == "validation"][-1]
    assert (result["validation_loss"], result["bits_per_byte"]) == (last["loss"], last["bits_per_byte"])
    # 128 x 32 embedding; a block: 2 of 32 x 32, 2 of 32 x 16, 3 of 32 x 128, 2 norms; the last norm.
    assert result["parameters"] == 128 * 32 + 2 * (2 * 1024 + 2 * 512 + 3 * 4096 + 64) + 32


def test_the_same_seed_gives_the_same_run(run: str, whole: Path, tmp_path: Path) -> None:
    train(parse(TINY), run, str(tmp_path / "again"))
    assert curve(tmp_path / "again") == curve(whole)
    train(parse({**TINY, "seed": 1}), run, str(tmp_path / "other"))
    assert curve(tmp_path / "other") != curve(whole)


@pytest.mark.parametrize("step", [pytest.param(2, id="before a checkpoint"), pytest.param(5, id="after one")])
def test_a_resumed_run_is_the_uninterrupted_one(run: str, whole: Path, tmp_path: Path, step: int) -> None:
    with pytest.raises(InterruptedError):
        train(parse(TINY), run, str(tmp_path), on_record=stop_after(step))
    seen: list[Record] = []
    result = train(parse(TINY), run, str(tmp_path), on_record=seen.append)
    assert (seen[0]["kind"], seen[0]["step"]) == (("resume", 3) if step == 5 else ("start", 0))
    assert curve(tmp_path) == curve(whole)
    assert {**result, "energy": ""} == {**json.loads((whole / "result.json").read_text()), "energy": ""}


def test_a_checkpoint_that_was_never_finished_is_not_loaded(run: str, whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InterruptedError):
        train(parse(TINY), run, str(tmp_path), on_record=stop_after(7))
    Path(folder_of(str(tmp_path), 6), MANIFEST).unlink()
    seen: list[Record] = []
    train(parse(TINY), run, str(tmp_path), on_record=seen.append)
    assert (seen[0]["kind"], seen[0]["step"]) == ("resume", 3)
    assert curve(tmp_path) == curve(whole)


def test_a_damaged_checkpoint_costs_its_steps_and_nothing_else(run: str, whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InterruptedError):
        train(parse(TINY), run, str(tmp_path), on_record=stop_after(7))
    flip(Path(folder_of(str(tmp_path), 6), "rank-00000.safetensors"), -1)
    seen: list[Record] = []
    train(parse(TINY), run, str(tmp_path), on_record=seen.append)
    assert describe(seen[0]) == (
        f"resuming after step 3 from {tmp_path}/checkpoints/step_3 (not from newer ones, which are damaged: step_6: "
        "rank-00000.safetensors has another checksum than its manifest says) on 1 worker; the next figures come after "
        "step 4"
    )
    assert curve(tmp_path) == curve(whole)
    assert complete_steps(str(tmp_path)) == [6, 8]


def spoil(run: str, copy: Path, split: str, row: int) -> tuple[str, str]:
    """A copy of the run with one token of a row outside the vocabulary, as if it was packed so, and the path of its
    file."""
    shutil.copytree(run, copy)
    (path,) = (copy / PACK).glob(f"{split}-*.bin")
    tokens = np.fromfile(path, "<u2").reshape(-1, 17)
    tokens[row, 3] |= 1 << 15
    tokens.tofile(path)
    manifest = json.loads((copy / PACK / "_manifest.json").read_text())
    for part in manifest["tokens"]["parts"]:
        part["files"].get(path.name, {})["blake2b"] = checksum(path.read_bytes())
    (copy / PACK / "_manifest.json").write_text(json.dumps(manifest))
    return str(copy), str(path)


@pytest.mark.parametrize("split", ["tokens", "validation"])
def test_a_token_outside_the_vocabulary_is_named_with_its_file_and_row(run: str, tmp_path: Path, split: str) -> None:
    row = TokenData.open(run).locate(2, batch_rows=4)[1][1] if split == "tokens" else 1
    spoilt, path = spoil(run, tmp_path / "run", split, row)
    message = rf"{path} is damaged: row {row} has the token id 32,\d+, but .* 64; `winnow verify {spoilt} --deep` says"
    seen: list[Record] = []
    with pytest.raises(RefusedError, match=message):
        train(parse(TINY), spoilt, str(tmp_path / "out"), on_record=seen.append)
    assert [record["step"] for record in seen] == ([0, 1, 2] if split == "tokens" else [])


def test_a_finished_run_trains_nothing(run: str, whole: Path) -> None:
    before = (whole / "metrics.jsonl").read_bytes()
    result = train(parse(TINY), run, str(whole), on_record=lambda record: pytest.fail("it trained"))
    assert result == json.loads((whole / "result.json").read_text())
    assert (whole / "metrics.jsonl").read_bytes() == before


def test_another_config_in_the_same_output_is_refused(run: str, whole: Path) -> None:
    with pytest.raises(ValueError, match=r"config\.batch_rows \(was 4, now 2\)"):
        train(parse({**TINY, "batch_rows": 2}), run, str(whole))


def test_it_learns_to_count(run: str, tmp_path: Path) -> None:
    settings = {"steps": 24, "checkpoint_every": 100, "log_every": 100, "validate_every": 100}
    result = train(parse({**TINY, **settings, "optimizer": {"adamw": {"learning_rate": 0.03}}}), run, str(tmp_path))
    assert result["ratio"] < 0.95


def test_a_rate_that_is_far_too_high_stops_the_run(run: str, tmp_path: Path) -> None:
    wild = {"learning_rate": 1e30, "max_gradient_norm": 1e30}
    with pytest.raises(FloatingPointError, match=r"not finite at step \d; lower the optimizer's learning_rate"):
        train(parse({**TINY, "optimizer": {"adamw": wild}}), run, str(tmp_path))
    assert "not finite" in json.loads((tmp_path / "failure.json").read_text())["problem"]
    assert complete_steps(str(tmp_path)) == []


def test_how_rows_are_cut_and_kept_changes_no_loss(run: str, whole: Path, tmp_path: Path) -> None:
    for micro in (1, 2):
        train(parse({**TINY, "micro_batch_rows": micro, "recompute": "full"}), run, str(tmp_path / str(micro)))
        assert_close(curve(tmp_path / str(micro)), curve(whole))


def test_a_checkpoint_may_follow_a_validation(run: str, tmp_path: Path) -> None:
    """Which leaves the weights of a sharded model gathered."""
    together = {**TINY, "precision": "bf16", "checkpoint_every": 4, "validate_every": 4}
    train(parse(together), run, str(tmp_path / "together"))
    assert complete_steps(str(tmp_path / "together")) == [4, 8]
    train(parse({**together, "validate_every": 8}), run, str(tmp_path / "apart"))
    losses = [[loss for _, loss, _ in curve(tmp_path / name)] for name in ("together", "apart")]
    assert losses[0] == losses[1]


def launch(settings: Record, folder: Path, *, processes: int) -> subprocess.CompletedProcess[str]:
    config = folder / "train.json"
    config.write_text(json.dumps(settings))
    alone = [sys.executable, "-W", "error", "-m", "training"]
    group = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = alone if processes == 1 else [*group, "-m", "training"]
    return subprocess.run([*command, str(config)], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_two_processes_equal_one_and_one_continues_what_two_began(run: str, whole: Path, tmp_path: Path) -> None:
    output = tmp_path / "two"
    done = launch({"data": run, "output": str(output), "train": TINY}, tmp_path, processes=2)
    assert done.returncode == 0, done.stderr
    assert json.loads((output / "result.json").read_text())["world_size"] == 2
    assert_close(curve(output), curve(whole))

    # Forget the end: one process goes on from step 6, which two wrote.
    (output / "result.json").unlink()
    Path(folder_of(str(output), 8), MANIFEST).unlink()
    result = train(parse(TINY), run, str(output))
    assert result["world_size"] == 1
    assert_close(curve(output), curve(whole))
    assert result["validation_loss"] == pytest.approx(
        json.loads((whole / "result.json").read_text())["validation_loss"], abs=1e-5
    )


@pytest.mark.slow
def test_what_one_of_two_processes_finds_damaged_ends_or_goes_back_both(run: str, whole: Path, tmp_path: Path) -> None:
    output = tmp_path / "two"
    settings = {"data": run, "output": str(output), "train": {**TINY, "keep_checkpoints": 9}}
    done = launch(settings, tmp_path, processes=2)
    assert done.returncode == 0, done.stderr
    (output / "result.json").unlink()
    flip(Path(folder_of(str(output), 8), "rank-00001.safetensors"), -1)
    again = launch(settings, tmp_path, processes=2)
    assert again.returncode == 0, again.stderr
    (line,) = [line for line in again.stdout.splitlines() if "resuming" in line]
    assert "after step 6 from" in line
    assert "step_8: rank-00001.safetensors has another checksum" in line
    assert_close(curve(output), curve(whole))

    row = TokenData.open(run).locate(0, batch_rows=4)[3][1]  # read by the second process
    spoilt, path = spoil(run, tmp_path / "run", "tokens", row)
    refused = launch({**settings, "data": spoilt, "output": str(tmp_path / "none")}, tmp_path, processes=2)
    assert refused.returncode == 1
    assert refused.stderr.count(f"error: {path} is damaged: row {row} has the token id 32,") == 2
    assert "RuntimeError" not in refused.stderr


def assert_close(one: list[tuple[int, float, float]], other: list[tuple[int, float, float]]) -> None:
    assert [step for step, _, _ in one] == [step for step, _, _ in other]
    assert [loss for _, loss, _ in one] == pytest.approx([loss for _, loss, _ in other], abs=1e-5)
    assert [norm for _, _, norm in one] == pytest.approx([norm for _, _, norm in other], rel=1e-4)


def test_the_command_refuses_in_one_line(run: str, tmp_path: Path) -> None:
    settings = {"data": run, "output": str(tmp_path / "out"), "train": {**TINY, "steps": 10_000}}
    done = launch(settings, tmp_path, processes=1)
    assert done.returncode == 1
    *log, error = done.stderr.splitlines()
    assert error.startswith("error: steps 10,000 of 4 rows need 40,000 rows")
    assert len(log) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("data: a\noutput: b", "error: {file}:1: train must be given", id="no settings"),
        pytest.param(
            "data: a\noutput: b\ntrain:\n  steps: 1.5", "error: {file}:4: train.steps: expected a whole", id="half"
        ),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "train.yaml"
    file.write_text(text)
    with pytest.raises(SystemExit, match=re.escape(message.format(file=file))):
        main([str(file)])


def test_a_worker_imports_neither_ray_nor_stores_nor_datasets() -> None:
    heavy = ("ray", "fsspec", "pandas", "pyarrow.dataset", "pyarrow.parquet")
    script = f"import sys, training.loop; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
