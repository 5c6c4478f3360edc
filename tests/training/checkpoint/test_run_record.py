"""An output folder belongs to one run."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support import refusal
from training.checkpoint.run_record import claim, read_run_file, refuse_other_run
from training.config.parse import parse
from training.config.run import Parallel, TrainConfig
from training.models.decoder import Decoder
from training.models.rope_scaling import RopeScaling
from training.objectives.masked import Masked
from training.optim.adamw import Adamw


def test_an_output_belongs_to_one_run(tmp_path: Path) -> None:
    config = TrainConfig()
    refuse_other_run(str(tmp_path / "new"), config, "data")
    claim(str(tmp_path), config, "data", "runs/here")
    refuse_other_run(str(tmp_path), replace(config, checkpoint_every=7, keep_checkpoints=1), "data")
    with pytest.raises(ValueError, match="restore what it had, or give another output"):  # nothing to branch off yet
        refuse_other_run(str(tmp_path), replace(config, seed=1), "data")
    (tmp_path / "checkpoints" / "step_1").mkdir(parents=True)
    (tmp_path / "checkpoints" / "step_1" / "_manifest.json").touch()
    with pytest.raises(
        ValueError,
        match=rf"seed \(was 0, now 1\); restore what it had, or .*`winnow train CONFIG --from {tmp_path} --output NEW`",
    ):
        refuse_other_run(str(tmp_path), replace(config, seed=1), "data")
    with pytest.raises(ValueError, match=r"config\.model\.decoder\.layers \(was 4, now 5\)"):
        refuse_other_run(str(tmp_path), replace(config, model=Decoder(layers=5)), "data")
    with pytest.raises(ValueError, match=r"data \(was data, now other\)"):
        refuse_other_run(str(tmp_path), config, "other")


def test_when_a_run_began_first_stays(tmp_path: Path) -> None:
    claim(str(tmp_path), TrainConfig(), "data", "runs/here")
    path = tmp_path / "config.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "begun": "2026-01-02T03:04:05+00:00"}))
    claim(str(tmp_path), TrainConfig(), "data", "runs/there")
    again = json.loads(path.read_text())
    assert again == {**record, "begun": "2026-01-02T03:04:05+00:00", "path": again["path"]}
    assert datetime.fromisoformat(record["begun"]) <= datetime.now(UTC)


def test_a_run_of_an_older_format_is_refused_in_one_line(tmp_path: Path) -> None:
    claim(str(tmp_path), TrainConfig(), "data", "runs/here")
    path = tmp_path / "config.json"
    record = json.loads(path.read_text())
    assert record.pop("format") == 5
    path.write_text(json.dumps(record))
    with pytest.raises(ValueError, match="has format 1, this winnow reads 5; resume with the winnow that wrote it, or"):
        refuse_other_run(str(tmp_path), TrainConfig(), "data")


def test_another_version_of_a_component_is_another_run(tmp_path: Path) -> None:
    claim(str(tmp_path), TrainConfig(), "data", "runs/here")
    path = tmp_path / "config.json"
    path.write_text(path.read_text().replace(f'"adamw": {Adamw.version}', '"adamw": 0'))
    with pytest.raises(ValueError, match=rf"other settings: versions\.adamw \(was 0, now {Adamw.version}\)"):
        refuse_other_run(str(tmp_path), TrainConfig(), "data")


def test_an_option_that_an_earlier_winnow_did_not_know_had_its_default(tmp_path: Path) -> None:
    claim(str(tmp_path), TrainConfig(), "data", "runs/here")
    path = tmp_path / "config.json"
    record = json.loads(path.read_text())
    del record["config"]["documents_apart"], record["config"]["model"]["decoder"]["rope_theta"]
    path.write_text(json.dumps(record))
    refuse_other_run(str(tmp_path), TrainConfig(), "data")
    with pytest.raises(ValueError, match=r"config\.documents_apart \(was False, now True\)"):
        refuse_other_run(str(tmp_path), TrainConfig(documents_apart=True), "data")
    with pytest.raises(ValueError, match=r"decoder\.rope_theta \(was 10000\.0, now 3\.0\)"):
        refuse_other_run(str(tmp_path), TrainConfig(model=Decoder(rope_theta=3.0)), "data")


MIXED = {"objectives": {"prefix_lm": {}, "masked": {}}, "weights": {"masked": 2.0}}


@pytest.mark.parametrize(
    ("mixture", "message"),
    [
        (
            {"objectives": {"prefix_lm": {}}},
            r"objective\.objectives \(was \['prefix_lm', 'masked'\], now \['prefix_lm'\]\)",
        ),
        ({"objectives": MIXED["objectives"]}, r"mixture\.weights\.masked \(was 2\.0, now None\)"),
        (
            MIXED | {"objectives": {"masked": {}, "prefix_lm": {}}},
            r"objective\.objectives \(was \['prefix_lm', 'masked'\], now \['masked', 'prefix_lm'\]\)",
        ),
    ],
    ids=["an objective less", "a weight less", "another order, by which rows draw"],
)
def test_another_mixture_is_another_run(tmp_path: Path, mixture: dict[str, Any], message: str) -> None:
    first = parse({"objective": {"mixture": MIXED}})
    claim(str(tmp_path), first, "data", "runs/here")
    refuse_other_run(str(tmp_path), first, "data")
    with pytest.raises(ValueError, match=message):
        refuse_other_run(str(tmp_path), parse({"objective": {"mixture": mixture}}), "data")


def test_positions_that_are_scaled_no_more_are_another_run(tmp_path: Path) -> None:
    scaled = Decoder(rope_scaling=RopeScaling(type="linear", factor=2.0))
    claim(str(tmp_path), TrainConfig(model=scaled), "data", "runs/here")
    refuse_other_run(str(tmp_path), TrainConfig(model=scaled), "data")
    with pytest.raises(ValueError, match=r"decoder\.rope_scaling\.type \(was linear, now none\)"):
        refuse_other_run(str(tmp_path), TrainConfig(), "data")


def test_components_within_a_component_count_alike(tmp_path: Path) -> None:
    mixture = parse(
        {"objective": {"mixture": {"objectives": {"masked": {}, "prefix_lm": {}}}}, "model": {"encoder": {}}}
    )
    claim(str(tmp_path), mixture, "data", "runs/here")
    path = tmp_path / "config.json"
    record = json.loads(path.read_text())
    del record["config"]["objective"]["mixture"]["objectives"]["masked"]["unit"]
    path.write_text(json.dumps(record))
    refuse_other_run(str(tmp_path), mixture, "data")
    path.write_text(path.read_text().replace(f'"masked": {Masked.version}', '"masked": 0'))
    with pytest.raises(ValueError, match=rf"other settings: versions\.masked \(was 0, now {Masked.version}\)"):
        refuse_other_run(str(tmp_path), mixture, "data")


def test_how_a_model_is_spread_may_change(tmp_path: Path) -> None:
    claim(str(tmp_path), TrainConfig(), "data", "runs/here")
    other = TrainConfig(parallel=Parallel(zero=1), micro_batch_rows=2, recompute="full", compile=True)
    assert refusal(refuse_other_run, str(tmp_path), other, "data") is None
    assert "seed" in str(refusal(refuse_other_run, str(tmp_path), replace(other, seed=7), "data"))


def test_an_output_does_not_lie_in_a_run_of_curate(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    for output in (tmp_path, tmp_path / "model", tmp_path / "09-mix" / "model"):
        with pytest.raises(ValueError, match=r"lies in the run .*, which holds its stages only"):
            refuse_other_run(str(output), TrainConfig(), "data")


def test_it_says_where_its_data_lay_and_may_go_on_with_it_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = TrainConfig()
    claim(str(tmp_path), config, "data", "runs/here")
    assert read_run_file(str(tmp_path))["path"] == str(tmp_path / "runs" / "here")
    refuse_other_run(str(tmp_path), config, "data")
    claim(str(tmp_path), config, "data", "s3://store/there")
    assert read_run_file(str(tmp_path))["path"] == "s3://store/there"
