"""JSON that any reader takes, also of what JSON has no word for."""

import json
from dataclasses import dataclass
from math import inf

import pytest

from pipelines.console import print_json


@dataclass(frozen=True)
class Limit:
    bounds: dict[str, float | None]
    names: tuple[str, ...] = ("de",)


def test_dataclasses_and_infinite_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([Limit({"low": 0.5, "high": inf, "other": None}), {"seen": True, "path": ValueError("ä")}])
    shown = capsys.readouterr().out
    assert json.loads(shown, parse_constant=pytest.fail) == [
        {"bounds": {"low": 0.5, "high": "inf", "other": None}, "names": ["de"]},
        {"seen": True, "path": "ä"},
    ]
