"""`winnow plan-training`: a plan, the published cases and the devices, in text of at most 100 columns and as JSON."""

import json

import pytest

from tests.runs import winnow_here

OPTIONS = (
    *("demo", "model.decoder.layers=2", "model.decoder.vocabulary=64", "sequence_length=16"),
    *("--gpus", "2", "--device", "h100"),
)


def test_a_plan() -> None:
    done = winnow_here("plan-training", *OPTIONS, "--price", "2", "--mfu", "0.4", "--grid", "france", "--embodied")
    assert done.returncode == 0, done.stderr
    for line in ("parameters: ", "GPU-hours", "cost, rented: ", "energy: ", "making the devices: ", "layouts that fit"):
        assert line in done.stdout
    assert "recommended: " in done.stdout
    assert "56 g CO2e/kWh (france)" in done.stdout


def test_a_plan_as_json_without_hours() -> None:
    found = json.loads(winnow_here("plan-training", *OPTIONS, "--json").stdout)
    assert found["hours"] is None
    assert found["layouts"][0]["memory"]["total"] > 0
    assert found["layouts"][0]["settings"].startswith("parallel.")


def test_published_cases_and_their_errors() -> None:
    done = winnow_here("plan-training", "--published")
    assert done.returncode == 0, done.stderr
    assert "+3.7%" in done.stdout
    assert 'Wrong, and in circulation: Llama 3 8B "more than 2 M GPU-hours"' in done.stdout
    table = done.stdout.partition("7 B on 8 x A100")[0]
    assert max(map(len, table.splitlines())) <= 100
    found = json.loads(winnow_here("plan-training", "--published", "--json").stdout)
    assert {"case", "published", "computed", "error", "source"} <= found["figures"][0].keys()


def test_devices() -> None:
    done = winnow_here("plan-training", "--devices")
    assert "h100" in done.stdout
    assert "InfiniBand NDR" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give a training config, --gpus N and --device NAME; or --published"),
        (("demo", "--gpus", "2", "--device", "h1000", *OPTIONS[1:4]), "no figures of a device 'h1000'"),
        (("demo", "--gpus", "2", "--device", "h100"), "give --data RUN, or write model.decoder.vocabulary=32768"),
        ((*OPTIONS, "--grid", "mars"), "no carbon intensity of the grid 'mars'"),
        ((*OPTIONS, "--price", "-3"), "price is -3.0; give a number above 0"),
        ((*OPTIONS, "--mfu", "0.4", "--measured", "runs/x"), "not by both"),
    ],
)
def test_what_is_refused(options: tuple[str, ...], message: str) -> None:
    done = winnow_here("plan-training", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
