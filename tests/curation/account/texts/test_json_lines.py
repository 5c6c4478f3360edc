"""JSON lines of Arrow tables, as Python's own reader reads them."""

import json
import math
from datetime import UTC, datetime

import pyarrow as pa

from curation.account.texts.json_lines import JsonLines

TEXTS = ["plain", 'a "quote", a \\ and a /', "tab\tline\nreturn\r", "\x00\x1f\x7f\u2028", "é 字 😀", "", None]


def test_every_kind_of_value() -> None:
    struct = pa.struct([("score", pa.float64()), ("label", pa.string()), ("deep", pa.struct([("n", pa.float32())]))])
    table = pa.table(
        {
            "text": pa.array(TEXTS, pa.string()),
            "a.b": pa.array([1, -2, 2**62, 0, None, 3, 4], pa.int64()),
            "x": pa.array([0.1, math.nan, math.inf, -math.inf, None, 1e300, -0.5], pa.float64()),
            "kept": pa.array([True, False, None, True, True, True, True]),
            "language": pa.array(
                [{"score": math.nan, "label": "en", "deep": {"n": 0.5}}, {"score": 0.25, "label": None, "deep": None}]
                + [None] * 5,
                struct,
            ),
            "names": pa.array([["a", "b"], [], None, ["c"], None, None, None], pa.list_(pa.string())),
            "crawled_at": pa.array(
                [datetime(2026, 11, 28, 4, 5, 6, 789000, UTC), *[None] * 6], pa.timestamp("ms", "UTC")
            ),
        }
    )
    lines = JsonLines().lines(table).to_pybytes().split(b"\n")
    assert lines.pop() == b""
    found = [json.loads(line, parse_constant=lambda name: f"no JSON: {name}") for line in lines]
    assert [one["text"] for one in found] == TEXTS
    assert [one["a.b"] for one in found] == [1, -2, 2**62, 0, None, 3, 4]
    assert [one["x"] for one in found] == [0.1, None, None, None, None, 1e300, -0.5]
    assert [one["kept"] for one in found][:3] == [True, False, None]
    assert [one["language"] for one in found][:3] == [
        {"score": None, "label": "en", "deep": {"n": 0.5}},
        {"score": 0.25, "label": None, "deep": None},
        None,
    ]
    assert [one["names"] for one in found][:3] == [["a", "b"], [], None]
    assert found[0]["crawled_at"] == "2026-11-28T04:05:06.789Z"
    assert list(found[0]) == table.column_names


def test_tables_one_after_the_other() -> None:
    lines = JsonLines()
    texts = [lines.lines(pa.table({"n": [number, number + 1]})).to_pybytes() for number in (1, 3)]
    assert texts == [b'{"n":1}\n{"n":2}\n', b'{"n":3}\n{"n":4}\n']
