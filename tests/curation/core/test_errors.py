"""Whose doing an error is decides the exit code, and user errors are ValueErrors for those who call us as a library."""

import pickle

import pytest

from curation.core.errors import InputError, RecipeError, StageError, UserError, WinnowError


@pytest.mark.parametrize(("kind", "code"), [(UserError, 2), (RecipeError, 2), (InputError, 2), (StageError, 1)])
def test_exit_codes(kind: type[WinnowError], code: int) -> None:
    assert kind("x").exit_code == code
    assert issubclass(kind, ValueError) == (code == 2)


def test_credentials_are_not_told() -> None:
    error = InputError("no file at s3://KEY:SECRET@bucket/a", "Traceback: s3://KEY:SECRET@bucket/a")
    assert (str(error), error.details) == ("no file at s3://***@bucket/a", "Traceback: s3://***@bucket/a")


def test_errors_travel_between_processes() -> None:
    sent: WinnowError = pickle.loads(pickle.dumps(StageError("stage failed", "a traceback")))
    assert (type(sent), str(sent), sent.details) == (StageError, "stage failed", "a traceback")


def test_a_message_is_never_longer_than_a_page() -> None:
    assert str(InputError("x" * 10_000)) == "x" * 10_000
    error = InputError("a" * 5_000 + "b" * 2_000_000 + "; give another")
    assert len(str(error)) == 9_999
    assert str(error).startswith("a" * 4_998 + " … bbb")
    assert str(error).endswith("bbb; give another")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_credentials_are_masked_before_a_message_is_cut() -> None:
    assert "SECRET" not in str(InputError("x" * 4_980 + " s3://KEY:SECRET@bucket/" + "y" * 10_000))
