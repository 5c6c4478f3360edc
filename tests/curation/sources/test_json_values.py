"""Values in a stream of JSON: where objects begin and end, and what becomes of damage, however the stream is cut."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.sources import json_values
from curation.sources.json_values import value_blocks

CUTS = (1, 3, 1000)


@pytest.fixture(params=CUTS, ids=lambda cut: f"cut into {cut}")
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    size: int = request.param
    monkeypatch.setattr(json_values, "BLOCK_BYTES", size)
    return size


def chunks(data: bytes, cut: int) -> Iterator[bytes]:
    yield from (data[at : at + cut] for at in range(0, len(data), cut))


def values(data: bytes, cut: int, most: int = 1000) -> list[tuple[int, bytes]]:
    """Places and values; a value that is too long is empty."""
    found: list[tuple[int, bytes]] = []

    def too_long(offset: int, error: str) -> None:
        assert error == f"longer than {most} bytes"
        found.append((offset, b""))

    for block in value_blocks(chunks(data, cut), most, too_long):
        places = zip(block.offsets.tolist(), block.starts.tolist(), block.stops.tolist(), strict=True)
        found += [(offset, block.data[start:stop]) for offset, start, stop in places]
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b" [ ]\n", [], id="an empty array"),
        pytest.param(b'[{"a":1},{"b":[{"c":2},{"d":"}"}]}]', [b'{"a":1}', b'{"b":[{"c":2},{"d":"}"}]}'], id="array"),
        pytest.param(b'[\n {\n"a":\n1}\n]', [b'{ "a": 1}'], id="line breaks within become spaces"),
        pytest.param(b'{"a":1}{"b":2} {"c":3}', [b'{"a":1}', b'{"b":2}', b'{"c":3}'], id="one behind another"),
        pytest.param(b'{"a":1}\r{"b":2}\r', [b'{"a":1}', b'{"b":2}'], id="carriage returns"),
        pytest.param(b'\x1e{"a":1}\n\x1e{"b":2}\n', [b'{"a":1}', b'{"b":2}'], id="record separators"),
        pytest.param(b'\xef\xbb\xbf{"a":1}\n\xef\xbb\xbf[{"b":2}]', [b'{"a":1}', b'{"b":2}'], id="byte order marks"),
        pytest.param(b'{"a":"\\"}{"}{"b":1}', [b'{"a":"\\"}{"}', b'{"b":1}'], id="brackets in strings"),
        pytest.param(b'{"a":"x\n{"b":1}\n', [b'{"a":"x\n', b'{"b":1}'], id="a string cut off by a line break"),
        pytest.param(b'{"a":1,\n{"b":2}', [b'{"a":1,\n', b'{"b":2}'], id="an object cut off behind a comma"),
        pytest.param(b'{"a":1\n{"b":2}', [b'{"a":1\n', b'{"b":2}'], id="and behind a value"),
        pytest.param(b'[{"a":[1}},{"b":2}]', [b'{"a":[1}', b'{"b":2}'], id="a bracket that closes another"),
        pytest.param(b'{"a":1}{"b":', [b'{"a":1}', b'{"b":'], id="the end is missing"),
        pytest.param(b'[null,{"a":1},5,"x,{y"]', [b"null", b'{"a":1}', b"5", b'"x,{y"'], id="what is no object"),
    ],
)
def test_values_of_a_stream(data: bytes, expected: list[bytes], cut: int) -> None:
    found = values(data, cut)
    assert [value for _, value in found] == expected
    for offset, value in found:
        assert data[offset : offset + len(value)].replace(b"\n", b" ") == value.replace(b"\n", b" ")


def test_a_value_at_the_limit_and_one_past_it(cut: int) -> None:
    data = b'[{"a":"xx"},{"a":"xxx"},{"b":1}]'
    assert sorted(values(data, cut, most=10)) == [(1, b'{"a":"xx"}'), (12, b""), (24, b'{"b":1}')]


def test_deep_nesting_is_damage_and_costs_one_value(cut: int) -> None:
    data = b'{"a":' + b"[" * 5000 + b'\n{"b":1}'
    assert values(data, cut, most=10_000)[-1] == (5006, b'{"b":1}')


LEAVES = st.none() | st.integers() | st.text(max_size=5)
OBJECTS = st.dictionaries(
    st.text(max_size=3), st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=4), max_size=3
)


@settings(max_examples=50, deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.sampled_from([None, 1]), st.sampled_from(["", "\n", ",", " "]), st.booleans())
def test_objects_come_back_whole_whatever_stands_between_them(
    objects: list[dict[str, Any]], indent: int | None, between: str, array: bool
) -> None:
    text = between.join(json.dumps(one, indent=indent, ensure_ascii=False) for one in objects)
    data = (f"[{text}]" if array else text).encode()
    assert [json.loads(value) for _, value in values(data, 7, most=1 << 20)] == objects
