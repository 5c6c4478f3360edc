"""The form of a file of JSON: lines or not, what is refused, and how that is told."""

import pytest

from curation.core.errors import InputError
from curation.sources.json_form import check_encoding, check_rows, has_lines
from tests.support import refusal


@pytest.mark.parametrize(
    ("start", "lines"),
    [
        pytest.param(b"", True, id="nothing"),
        pytest.param(b'{"a":1}', True, id="one object"),
        pytest.param(b'\n \n{"a":1}\r\n{"a":2}', True, id="a blank line before it"),
        pytest.param(b'\xef\xbb\xbf{"a":1}\n{"a":2}', True, id="a byte order mark"),
        pytest.param(b'{"a":1},\n{"a":2},\n', True, id="commas between lines"),
        pytest.param(b'{"a": "cut\n{"a":1}\n', True, id="a bad first line"),
        pytest.param(b'null\n{"a":1}\n', True, id="a first line that is no object"),
        pytest.param(b'oops\noops\n{"a":1}\n', True, id="bad lines first"),
        pytest.param(b'{\n"a": "x\n}\n{\n"a":1\n}\n', False, id="pretty-printed, and the first is damaged"),
        pytest.param(b'{"a": "xxxxxx', True, id="a long first line"),
        pytest.param(b"oops\noops\n", True, id="no JSON"),
        pytest.param(b'[{"a":1}]', False, id="array"),
        pytest.param(b' [\n{"a":1},\n{"a":2}\n]', False, id="array with an object a line"),
        pytest.param(b'{\n"a":1\n}\n', False, id="pretty-printed"),
        pytest.param(b'{\n"a":1,\n', False, id="pretty-printed and long"),
        pytest.param(b'{"a":1}{"b":2}\n', False, id="one behind another"),
        pytest.param(b'{"a":1}\r{"b":2}\r', False, id="carriage returns only"),
    ],
)
def test_whether_a_file_has_lines(start: bytes, lines: bool) -> None:
    assert has_lines(start) is lines


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_characters_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"^x is {name[:6].upper()}.*convert it \(iconv -f {name[:6].upper()}"):
        check_encoding('{"text": "a"}\n'.encode(name), "x")


@pytest.mark.parametrize(
    "start", [b"", b"{", b'{"text": "a"}', '{"text": "Größe"}'.encode(), b"\xff\x00"], ids=range(5)
)
def test_other_bytes_are_not(start: bytes) -> None:
    assert refusal(check_encoding, start, "x") is None


@pytest.mark.parametrize(
    "start",
    [
        b'{"data": [{"text": "a"}, {"text": "b"}]}',
        b'{"version": {"text": 1}, "rows": [], "data": [{"id": 1, "text": "a"}',
        b'\xef\xbb\xbf {\n "data" : [ { "text": "a [", "x": [{}] }\n',
    ],
    ids=["whole", "cut off", "pretty-printed"],
)
def test_an_object_of_rows_is_refused(start: bytes) -> None:
    with pytest.raises(
        InputError, match=r"x is one object that holds its rows in the field 'data'; .*jq -c '.\[\"data\""
    ):
        check_rows(start, "x", "text")


@pytest.mark.parametrize(
    ("start", "text"),
    [
        pytest.param(b'{"text": "a", "data": [{"text": "b"}]}', "text", id="it has the text itself"),
        pytest.param(b'{"data": [{"body": "b"}]}', "text", id="the objects within have none"),
        pytest.param(b'{"data": [{"text": "b"}]}\n{"data": []}', "text", id="another object follows"),
        pytest.param(b'[{"data": [{"text": "b"}]}]', "text", id="it is in an array"),
        pytest.param(b'{"data": [{"text": "b"}]}', "data.text", id="the recipe names the field"),
        pytest.param(b"", "text", id="nothing"),
    ],
)
def test_other_objects_are_not(start: bytes, text: str) -> None:
    assert refusal(check_rows, start, "x", text) is None


def test_a_text_that_is_cut_off_is_one_text() -> None:
    assert refusal(check_rows, b'{"a": "' + b'\\"' * 500_000, "x", "text") is None
    assert refusal(check_rows, b'{"a": "\\"rows\\": [{\\"text\\": 1', "x", "text") is None
