"""Which label each value gets, at every edge and beside it, and what cannot be a label."""

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError, UserError
from curation.tokens.packing.split_by import MAX_LABELS, SplitBy


def labels(split_by: SplitBy, values: list[object], kind: pa.DataType | None = None) -> list[str]:
    numbers, names = split_by.split(pa.array(values, kind))
    return [names[number] for number in numbers.tolist()]


@pytest.mark.parametrize(
    ("value", "label"),
    [(1, "below_2"), (2, "2_to_5"), (4, "2_to_5"), (5, "from_5"), (2**60, "from_5"), (-1, "below_2"), (None, "none")],
)
def test_buckets_of_whole_numbers(value: int | None, label: str) -> None:
    assert labels(SplitBy(column="n", edges=(2, 5)), [value, 3], pa.int64()) == [label, "2_to_5"]


@pytest.mark.parametrize(
    ("value", "label"), [(0.49, "below_0.5"), (0.5, "from_0.5"), (float("nan"), "none"), (float("inf"), "from_0.5")]
)
def test_buckets_of_fractions(value: float, label: str) -> None:
    assert labels(SplitBy(column="n", edges=(0.5,)), [value]) == [label]


def test_labels_of_edges() -> None:
    assert SplitBy(column="n", edges=(-1, 0.25, 1e6, 1e-7 + 1e6)).labels() == (
        "below_-1", "-1_to_0.25", "0.25_to_1000000", "1000000_to_1000000.0000001", "from_1000000.0000001", "none",
    )  # fmt: skip


def test_named_values() -> None:
    split_by = SplitBy(column="lang", values=("en", "de"))
    assert split_by.labels() == ("en", "de", "other", "none")
    assert labels(split_by, ["de", "fr", None, "en"]) == ["de", "other", "none", "en"]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        pytest.param(pa.array(["b", None, "a"]), ["b", "none", "a"], id="text"),
        pytest.param(pa.array(["b", "b", "a"]).dictionary_encode(), ["b", "b", "a"], id="dictionary"),
        pytest.param(pa.array([3, None, -1]), ["3", "none", "-1"], id="whole numbers"),
        pytest.param(pa.array([True, False, None]), ["true", "false", "none"], id="truth"),
    ],
)
def test_every_value_may_have_a_label(values: pa.Array, found: list[str]) -> None:
    split_by = SplitBy(column="x")
    assert split_by.labels() is None
    numbers, names = split_by.split(values)
    assert [names[number] for number in numbers.tolist()] == found


def test_values_of_a_field() -> None:
    table = pa.table({"a": pa.array([{"b": {"c": 1}}, None, {"b": None}])})
    assert SplitBy(column="a.b.c").of(table).to_pylist() == [1, None, None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"column": ""}, "give a column, or a field", id="no column"),
        pytest.param({"column": "a..b"}, "give a column, or a field", id="an empty field"),
        pytest.param({"column": "a", "edges": (1,), "values": ("x",)}, "not both", id="both"),
        pytest.param({"column": "a", "edges": (2, 1)}, "each above the one before", id="falling"),
        pytest.param({"column": "a", "edges": (1, 1)}, "each above the one before", id="equal"),
        pytest.param({"column": "a", "edges": (float("inf"),)}, "finite", id="infinite"),
        pytest.param({"column": "a", "values": ("none",)}, "may not name none ", id="none"),
        pytest.param({"column": "a", "values": ("x", "x")}, "names a value twice", id="twice"),
        pytest.param(
            {"column": "a", "values": ("a/b",)}, "values is 'a/b', which cannot name a sub-source", id="a slash"
        ),
        pytest.param({"column": "a", "values": ("",)}, "values is '', which cannot name a sub-source", id="nothing"),
        pytest.param({"column": "a", "values": ("x" * 65,)}, "1 to 64 letters", id="65 letters"),
        pytest.param({"column": "a", "values": tuple(map(str, range(255)))}, "257 sub-sources, 256", id="257 labels"),
    ],
)
def test_options_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        SplitBy(**options)  # type: ignore[arg-type]


def test_as_many_labels_as_there_may_be() -> None:
    assert len(SplitBy(column="a", values=tuple(map(str, range(254)))).labels() or ()) == MAX_LABELS
    assert SplitBy(column="a", values=("x" * 64,)).values


@pytest.mark.parametrize(
    ("split_by", "values", "message"),
    [
        pytest.param(
            SplitBy(column="a"),
            pa.array(["x", "é"]),
            "a value of a is 'é', which cannot name a sub-source",
            id="letter",
        ),
        pytest.param(SplitBy(column="a"), pa.array([1.5]), "holds double; give edges", id="a fraction is no label"),
        pytest.param(SplitBy(column="a"), pa.array([{"b": 1}]), "give a field of it", id="a struct"),
        pytest.param(SplitBy(column="a", edges=(1,)), pa.array(["x"]), "edges need numbers", id="text has no edges"),
        pytest.param(SplitBy(column="a"), pa.array(range(257)), "makes 257 sub-sources, 256 are", id="too many"),
    ],
)
def test_values_refused(split_by: SplitBy, values: pa.Array, message: str) -> None:
    with pytest.raises(UserError, match=message):
        split_by.split(values)
