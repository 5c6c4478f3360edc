"""Every file that may stand where JSON is expected gives its value, nothing, or one line."""

import os
from pathlib import Path
from typing import TypedDict

import pytest

from curation.core import json_files
from curation.core.errors import InputError
from curation.core.json_files import find_shape, find_whole, parse_json, parse_lines, read_shape


class Row(TypedDict):
    rows: int


BROKEN = [
    pytest.param(b"", "not JSON", id="empty"),
    pytest.param(b" " * 1000, "not JSON", id="blanks"),
    pytest.param(b'{"rows": 1', "not JSON", id="cut short"),
    pytest.param(b'{"rows": "\xff"}', "not UTF-8: byte 10 is 0xff", id="not UTF-8"),
]
WRONG = [
    pytest.param(b"null", "expected a mapping, got null", id="null"),
    pytest.param(b'{"rows": 1.5}', "rows: expected a whole number, got 1.5", id="a float"),
    pytest.param(b'{"rows": 1, "rows": 2}', "the key 'rows' is given twice", id="twice"),
    pytest.param(b"[" * 100_000, "its values are nested too deep", id="deep"),
    pytest.param(b'{"rows": ' * 100_000 + b"1" + b"}" * 100_000, "its values are nested too deep", id="deep mappings"),
    pytest.param(b'{"rows": ' + b"9" * 4400 + b"}", "a whole number has 4,400 digits", id="digits"),
    pytest.param(b'{"rows": 99999999999999999999}', "a whole number of more than 63 bits", id="20 digits"),
    pytest.param(b'{"rows": 1e999}', "rows: expected a whole number, got inf", id="infinity"),
    pytest.param(b'{"rows": NaN}', "rows: expected a whole number, got nan", id="NaN"),
    pytest.param(rb'{"rows": 1, "a": "\ud800"}', r"its text holds half a character, '\ud800'", id="half"),
]


@pytest.mark.parametrize(("content", "problem"), [*BROKEN, *WRONG])
def test_a_damaged_file_is_one_line(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content)
    for read in (read_shape, find_shape):
        with pytest.raises(InputError) as caught:
            read(str(path), Row, "restore it")
        line = str(caught.value)
        assert line.startswith(f"{path} is damaged: ")
        assert line.endswith("; restore it")
        assert problem in line
        assert "\n" not in line
        assert len(line) < 400


@pytest.mark.parametrize(("content", "problem"), BROKEN)
def test_what_was_cut_short_may_count_as_absent(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a").write_bytes(content)
    assert find_whole(str(tmp_path / "a"), Row) is None


@pytest.mark.parametrize(("content", "problem"), WRONG)
def test_what_no_command_writes_is_never_absent(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(InputError):
        find_whole(str(tmp_path / "a"), Row)


def test_what_is_no_file(tmp_path: Path) -> None:
    assert find_shape(str(tmp_path / "none"), Row) is None
    with pytest.raises(InputError, match="no file at"):
        read_shape(str(tmp_path / "none"), Row)
    os.mkfifo(tmp_path / "pipe")
    for name in ("", "pipe"):
        with pytest.raises(InputError, match=r"is damaged: it is not a file; delete it and run the same command again"):
            find_whole(str(tmp_path / name), Row)


def test_size_is_bounded_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(json_files.MAX_BYTES + 1)
    with pytest.raises(InputError, match=r"it has 268,435,457 bytes, and no such file has more than 268,435,456"):
        find_shape(str(tmp_path / "large"), Row)
    monkeypatch.setattr(json_files, "MAX_VALUES", 10)
    assert parse_json(b"[1,2,3,4,5,6,7,8,9,10]") == list(range(1, 11))
    with pytest.raises(ValueError, match="it has about 11 values, and no such file has more than 10"):
        parse_json(b"[1,2,3,4,5,6,7,8,9,10,11]")


def test_text_in_two_halves_is_whole() -> None:
    assert parse_json(rb'"\ud83d\ude00"') == "\U0001f600"


def test_a_wrong_line_is_named_by_its_number() -> None:
    assert parse_lines([b'{"rows": 1}'], Row, "m", "delete it") == [{"rows": 1}]
    with pytest.raises(InputError, match=r"^m, line 2, is damaged: rows: expected a value, got nothing; delete it"):
        parse_lines([b'{"rows": 1}', b"{}"], Row, "m", "delete it")
