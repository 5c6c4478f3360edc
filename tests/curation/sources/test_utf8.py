"""Strings and bytes of every layout as UTF-8."""

import pyarrow as pa
import pytest

from curation.sources.utf8 import as_utf8, is_text

CONTENTS = [b"a", None, b"caf\xc3\xa9", b"\xff\xfeb", b"", b"\xe2\x82"]
TEXTS = ["a", None, "café", "\ufffd\ufffdb", "", "\ufffd"]


def unchecked(kind: pa.DataType, contents: list[bytes | None]) -> pa.Array:
    """The bytes as strings, as a file's reader makes them: nothing looks whether they are UTF-8."""
    layout = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    values = pa.array(contents, layout.get(kind, kind))
    return values if kind == values.type else values.view(kind)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()],
    ids=str,
)
@pytest.mark.parametrize("target", [pa.string(), pa.large_string()], ids=str)
def test_invalid_bytes_are_replaced_and_counted(kind: pa.DataType, target: pa.DataType) -> None:
    values, invalid = as_utf8(unchecked(kind, CONTENTS), target)
    assert (values.type, values.to_pylist(), invalid) == (target, TEXTS, 2)
    values.validate(full=True)
    assert as_utf8(unchecked(kind, CONTENTS).slice(1, 2), target)[1] == 0


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (pa.dictionary(pa.int8(), pa.string()), True),
        (pa.dictionary(pa.int8(), pa.int64()), False),
        (pa.binary(4), False),
        (pa.null(), False),
    ],
    ids=str,
)
def test_what_is_text(kind: pa.DataType, text: bool) -> None:
    assert is_text(kind) == text
