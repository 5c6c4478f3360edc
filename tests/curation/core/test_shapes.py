"""Values of every kind of shape, and where and how a value differs from one."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from curation.core.shape_error import ShapeError
from curation.core.shapes import As, Count, Moment, Number, Positive, Within, checked
from curation.core.verbs import FILTER, Verb


class Entry(TypedDict):
    rows: Count
    name: NotRequired[str]


class Window(NamedTuple):
    step: int
    reason: str = ""


@dataclass(frozen=True)
class Table:
    shards: tuple[Entry, ...]
    verb: Verb
    loss: float | str = 0.0
    windows: list[Window] = field(default_factory=list)
    facts: Annotated[dict[str, Any], As(Entry)] = field(default_factory=dict)


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels > 1 else []


WRITTEN: dict[str, Any] = {
    "shards": [{"rows": 3}, {"rows": 0, "name": "a", "more": [None]}],
    "verb": "filter",
    "windows": [{"step": 4}],
    "facts": {"rows": 1},
}


def test_a_value_becomes_what_its_shape_says() -> None:
    found = checked(WRITTEN, Table)
    entries = (Entry(rows=3), {"rows": 0, "name": "a", "more": [None]})
    assert found == Table(shards=entries, verb=FILTER, windows=[Window(4)], facts={"rows": 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shards": [{"rows": 3}, {"rows": "x"}]}, "shards[1].rows: expected a whole number of 0 or more, got 'x'"),
        ({"shards": [{"rows": -1}]}, "shards[0].rows: expected a whole number of 0 or more, got -1"),
        ({"shards": [{"rows": True}]}, "shards[0].rows: expected a whole number of 0 or more, got true"),
        ({"shards": [{}]}, "shards[0].rows: expected a value, got nothing"),
        ({"shards": {"rows": 3}}, "shards: expected a list, got a mapping of 1"),
        ({"shards": [[]]}, "shards[0]: expected a mapping, got a list of 0"),
        ({"verb": "eat"}, "verb: expected a verb of recipes, got 'eat'"),
        ({"verb": None}, "verb: expected a verb of recipes, got null"),
        ({"loss": None}, "loss: expected a number or text, got null"),
        ({"loss": float("nan")}, "loss: expected a finite number or text, got nan"),
        ({"windows": [{"step": 1.5}]}, "windows[0].step: expected a whole number, got 1.5"),
        ({"loss": 2**63}, "loss: expected a number or text, got a whole number of more than 63 bits"),
        ({"facts": {"rows": None}}, "facts.rows: expected a whole number of 0 or more, got null"),
        ({"other": 1}, "expected no key 'other', got a mapping of 5"),
        ({"verb": "x" * 1000}, "verb: expected a verb of recipes, got 'xxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxx'"),
        ({"verb": "\ud800"}, r"verb: expected a verb of recipes, got '\ud800'"),
    ],
)  # fmt: skip
def test_the_first_part_that_does_not_fit_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        checked(WRITTEN | change, Table)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Positive, 1, 0),
        (Number, float("inf"), "inf"),
        (float, 3, float("inf")),
        (Literal["a", 1], "a", "b"),
        (tuple[int, str], [1, "x"], [1]),
        (dict[str, int], {"a": 1}, {"a": "b"}),
        (Within, "a/b..c", "a/../b"),
        (Within, ".lock", "/etc/passwd"),
        (Within, "a", "s3://bucket/a"),
        (Moment, "2026-11-21T10:00:00+00:00", "2026-11-21T10:00:00"),
        (Moment, "2026-11-21T10:00:00Z", "99999999999999999999-01-01"),
        (int | None, None, "x"),
        (Any, [[1]], nested(150)),
    ],
)
def test_a_value_of_each_kind_and_one_that_is_none(kind: Any, good: object, bad: object) -> None:
    assert checked(good, kind) == (tuple(good) if isinstance(good, list) and kind is not Any else good)
    with pytest.raises(ShapeError):
        checked(bad, kind)
