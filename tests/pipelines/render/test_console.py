"""JSON that any reader takes, also of what JSON has no word for."""

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from math import inf

import pytest
from rich.table import Table

from pipelines.render.console import SafeConsole, escape_unencodable, print_json
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


class Pipe(io.StringIO):
    encoding = "utf-8"


class Screen(Pipe):
    def isatty(self) -> bool:
        return True


def test_json_on_a_terminal_has_escapes_and_elsewhere_the_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"title": "a\x9b2J\u202eb"}
    pipe, screen = Pipe(), Screen()
    for stream in (pipe, screen):
        monkeypatch.setattr(sys, "stdout", stream)
        print_json(value)
    assert pipe.getvalue() == '{\n  "title": "a\x9b2J\u202eb"\n}\n'
    shown = screen.getvalue()
    assert shown.isascii()
    assert json.loads(shown) == value


def test_no_text_is_a_command_to_the_terminal() -> None:
    screen = Screen()
    console = SafeConsole(file=screen, force_terminal=True, color_system="standard")
    table = Table("head\x9b2J", title="\x1b[2Jtitle")
    table.add_row("cell\u202e")
    console.print(table, "[red]red[/] \x1b]0;title\x07")
    shown = screen.getvalue()
    assert "\x1b[31mred\x1b[0m" in shown
    assert not {"\x9b", "\u202e", "\x07"} & set(shown)
    assert "\x1b[2J" not in shown
    assert "\x1b]" not in shown
