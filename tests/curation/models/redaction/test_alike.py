"""Surrogates keep places, cases and alphabets; long ones are known again."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curation.models.redaction.alike import alike, drawn
from curation.models.redaction.keyed import KeyedDraws

KEY = KeyedDraws(b"1" * 64)
OTHER = KeyedDraws(b"2" * 64)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        pytest.param("AKIAIOSFODNN7EXAMPLE", "[A-Z]{12}[0-9][A-Z]{7}", id="capitals and a digit"),
        pytest.param("deadbeef-0123-4567", "[a-f]{8}-[0-9]{4}-[0-9]{4}", id="hexadecimal"),
        pytest.param("0123-4567", "[0-9]{4}-[0-9]{4}", id="digits only"),
        pytest.param("face", "[a-z]{4}", id="letters of a to f without a digit are a word"),
        pytest.param("Zoë Müller", "[A-Z][a-z]{2} [A-Z][a-z]{5}", id="beyond ASCII"),
        pytest.param("", "", id="empty"),
    ],
)
def test_shape(value: str, shape: str) -> None:
    made = alike(value, "key", KEY)
    assert re.fullmatch(shape, made)
    assert made != value or not value


def test_what_is_kept() -> None:
    assert re.fullmatch("ghp_[a-z0-9]{5}", alike("ghp_abc12", "key", KEY, keep=4))


def test_the_value_the_kind_and_the_key_decide() -> None:
    value = "0123456789abcdefghij"
    made = {
        alike(value, "key", KEY),
        alike(value, "other", KEY),
        alike(value, "key", OTHER),
        alike(value[:-1] + "k", "key", KEY),
    }
    assert len(made) == 4
    assert alike(value, "key", KEY) in made


@given(st.from_regex(r"[A-Za-z]{0,3}[0-9]{16}[-_a-z0-9]{0,40}", fullmatch=True))
@example("0007200000000010w")  # drawn anew where its surrogate would have no letter beyond f
def test_a_long_surrogate_is_its_own_surrogate(value: str) -> None:
    made = alike(value, "key", KEY)
    assert alike(made, "key", KEY) == made


def test_with_another_key_it_is_a_value_as_any_other() -> None:
    made = alike("0123456789abcdefghij", "key", KEY)
    assert alike(made, "key", OTHER) != made


def test_a_short_one_changes_again() -> None:
    made = alike("ab12", "key", KEY)
    assert alike(made, "key", KEY) != made


@pytest.mark.parametrize("digit", range(10))
def test_a_short_value_never_stands_for_itself(digit: int) -> None:
    assert alike(f"no. {digit}", "key", KEY, keep=4) != f"no. {digit}"


@pytest.mark.parametrize(
    ("valid", "made"),
    [
        pytest.param({"a7", "a3"}, "a3", id="another one is valid"),
        pytest.param({"a7"}, "a[^7]|[^a].", id="none but itself is"),
    ],
)
def test_a_valid_value_never_stands_for_itself(valid: set[str], made: str) -> None:
    assert re.fullmatch(made, alike("a7", "key", KEY, is_valid=valid.__contains__))


def test_a_seed_tells_values_of_one_shape_apart() -> None:
    assert drawn("ab", "key", KEY, seed="ab@x") != drawn("ab", "key", KEY, seed="ab@y")
    assert re.fullmatch("[a-z]{2}", drawn("ab", "key", KEY, seed="ab@x"))
