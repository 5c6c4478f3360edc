"""A key is read from where it is kept, and only if it is kept as one."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.storage_options import Secret
from curation.models.redaction.keyed import KeyedDraws, read_key

SECRET = "correct horse battery staple"


def test_a_key_is_the_same_from_a_file_and_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.touch(mode=0o600)
    file.write_text(SECRET + "\n")
    monkeypatch.setenv("REDACTION_KEY", SECRET)
    assert read_key(Secret(file=str(file))) == read_key(Secret(env="REDACTION_KEY"))


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        pytest.param(None, 0, r"^key: no file .*key \(No such file or directory\); put it on every node", id="missing"),
        pytest.param("", 0o600, "key is empty; write at least 16", id="empty"),
        pytest.param(" \n", 0o600, "key is empty", id="blank"),
        pytest.param("fifteen letters", 0o600, "key holds 15 characters; write at least 16", id="short"),
        pytest.param(SECRET, 0o644, "everyone on this machine may read .*key; run chmod 600", id="world-readable"),
    ],
)
def test_refused_in_one_line_without_the_key(tmp_path: Path, content: str | None, mode: int, message: str) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_text(content)
        file.chmod(mode)
    with pytest.raises(InputError, match=message) as caught:
        read_key(Secret(file=str(file)))
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_folder_is_no_key(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a file"):
        read_key(Secret(file=str(tmp_path)))


def test_draws_depend_on_the_key_and_on_every_text() -> None:
    one = KeyedDraws(b"1" * 64)
    other = KeyedDraws(b"2" * 64)
    drawn = {
        one.stream("a", "b", size=100),
        other.stream("a", "b", size=100),
        one.stream("ab", size=100),
        one.stream("a", "c", size=100),
        one.stream("", "ab", size=100),
    }
    assert len(drawn) == 5
    assert one.stream("a", "b", size=10) == one.stream("a", "b", size=100)[:10]


def test_numbers_are_in_their_range() -> None:
    key = KeyedDraws(b"1" * 64)
    assert {key.below(3, str(number)) for number in range(100)} == {0, 1, 2}
    assert key.digits(0, "a") == ""
    assert all(len(key.digits(3, str(number))) == 3 for number in range(100))


def test_a_key_is_never_shown() -> None:
    assert repr(KeyedDraws(SECRET.encode())) == "KeyedDraws(***)"
