"""JSON that any reader takes, also of what JSON has no word for."""

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from math import inf

import pytest

from pipelines.render.console import escape_unencodable, print_json
from tests.runs import ENVIRONMENT


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


def test_json_in_an_encoding_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1", write_through=True))
    print_json({"path": "ä → \udcff"})
    assert json.loads(written.getvalue()) == {"path": "ä → \udcff"}


def test_half_characters_are_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8", write_through=True))
    escape_unencodable()
    print_json({"path": "ä → \udcff"})
    assert json.loads(written.getvalue()) == {"path": "ä → \udcff"}


def test_a_narrow_terminal_loses_no_column() -> None:
    code = "from pipelines.render.console import out; from rich.table import Table; t = Table(*'abcdefgh'); "
    code += "t.add_row(*['12,345'] * 8); out.print(t)"
    environment = {**ENVIRONMENT, "COLUMNS": "40", "FORCE_COLOR": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.count("12,345") == 8
