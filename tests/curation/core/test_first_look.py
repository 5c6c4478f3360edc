"""A look at a file before work has an end."""

import pytest

from curation.core import first_look
from curation.core.errors import InputError
from curation.core.first_look import look_at, looked_at
from curation.core.watchdog import WorkLimits


def for_ever() -> int:
    while True:
        pass


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_look, "LIMITS", WorkLimits(seconds=0.1))


def test_a_look_that_takes_too_long_names_the_file() -> None:
    assert looked_at("a.jsonl", lambda: 3) == 3
    message = (
        r"^s3://\*\*\*@b/a: a look at its beginning took more than 0.1 s of processor time; leave it out of `paths`"
    )
    with pytest.raises(InputError, match=message):
        looked_at("s3://key:secret@b/a", for_ever)


def test_of_several_files_that_one_is_named() -> None:
    assert look_at(len, ["a", "bb", "ccc"]) == [1, 2, 3]
    with pytest.raises(InputError, match=r"^bb: a look"):
        look_at(lambda path: for_ever() if path == "bb" else 1, ["a", "bb", "ccc"])
