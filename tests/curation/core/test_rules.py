"""Rules: limits are inclusive, what was not measured drops, and the first failure in the table's order counts."""

import pyarrow as pa
import pytest

from curation.core.rules import Rule, broken, fired, first_failure

LENGTH = pa.array([1.0, 2.0, 3.0, None, float("nan")])


@pytest.mark.parametrize(
    ("rule", "failures"),
    [
        pytest.param(Rule("x", at_least=2), ["x:low", None, None, "x:unmeasured", "x:unmeasured"], id="at least"),
        pytest.param(Rule("x", at_most=2), [None, None, "x:high", "x:unmeasured", "x:unmeasured"], id="at most"),
        pytest.param(Rule("x", 2, 2), ["x:low", None, "x:high", "x:unmeasured", "x:unmeasured"], id="both"),
        pytest.param(Rule("x"), [None, None, None, "x:unmeasured", "x:unmeasured"], id="no limit"),
    ],
)
def test_limits(rule: Rule, failures: list[str | None]) -> None:
    assert first_failure({"x": LENGTH}, [rule], 5).to_pylist() == failures


def test_whole_numbers_are_compared_exactly() -> None:
    values = {"x": pa.array([2**53, 2**53 + 1], pa.int64())}
    assert first_failure(values, [Rule("x", at_most=2**53)], 2).to_pylist() == [None, "x:high"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_one_of(kind: pa.DataType) -> None:
    values = {"x": pa.array(["en", "pt", None, ""], kind)}
    failures = first_failure(values, [Rule("x", one_of=("en", "de"))], 4).to_pylist()
    assert failures == [None, "x:not_in", "x:unmeasured", "x:not_in"]


def test_a_string_without_a_list_can_only_be_unmeasured() -> None:
    assert first_failure({"x": pa.array(["a", None])}, [Rule("x")], 2).to_pylist() == [None, "x:unmeasured"]


def test_no_rows_and_no_rules() -> None:
    assert first_failure({"x": pa.array([], pa.float64())}, [Rule("x", 1, 2)], 0).to_pylist() == []
    assert first_failure({}, [], 2).to_pylist() == [None, None]
    assert fired({"x": pa.array([], pa.float64())}, [Rule("x", at_least=1)]) == {"x:unmeasured": 0, "x:low": 0}


def test_a_rule_on_a_signal_that_was_not_measured() -> None:
    with pytest.raises(KeyError, match="y"):
        first_failure({"x": LENGTH}, [Rule("y")], 5)


def test_broken_has_the_sides_that_the_rule_has() -> None:
    assert list(broken(LENGTH, Rule("x", at_least=0))) == ["unmeasured", "low"]
    assert list(broken(LENGTH, Rule("x", 0, 9))) == ["unmeasured", "low", "high"]
    assert list(broken(pa.array(["a"]), Rule("x", one_of=("a",)))) == ["unmeasured", "not_in"]


def test_each_of_joined_values_must_be_one_of_the_allowed() -> None:
    values = pa.array(["a", "b", "a AND c", "a AND b", None, "c AND a AND c"])
    reasons = first_failure({"name": values}, [Rule("name", one_of=("a", "c"))], 6)
    assert reasons.to_pylist() == [None, "name:not_in", None, "name:not_in", "name:unmeasured", None]


def test_of_values_that_leave_a_choice_one_must_be_among_the_allowed() -> None:
    values = pa.array(["a OR b", "b OR c AND a", "b OR a AND b", "b OR d", None])
    reasons = first_failure({"name": values}, [Rule("name", one_of=("a", "c"))], 5)
    assert reasons.to_pylist() == [None, None, "name:not_in", "name:not_in", "name:unmeasured"]
