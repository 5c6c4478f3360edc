"""The bounds of a repository's files."""

import pytest

from curation.sources.documents.repositories import repository_bounds
from curation.sources.documents.repositories.repository_bounds import FileBounds, path_cause


def test_repeats_are_read_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_bounds, "MAX_REPEATS", 2)
    bounds = FileBounds()
    assert [bounds.cause(1, 9) for _ in range(4)] == [None, None, None, "repeated"]
    assert [bounds.cause(content, 9) for content in (2, 3, 2)] == [None, None, "repeated"]


def test_repeats_are_read_up_to_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_bounds, "MAX_REPEATED_BYTES", 20)
    bounds = FileBounds()
    assert [bounds.cause(1, 10) for _ in range(4)] == [None, None, None, "repeated"]
    assert bounds.cause(2, 1000) is None


def test_empty_files_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_bounds, "MAX_REPEATS", 0)
    bounds = FileBounds()
    assert [bounds.cause(1, 0) for _ in range(3)] == [None, None, None]


def test_all_bytes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_bounds, "MAX_BYTES", 20)
    bounds = FileBounds()
    causes = [bounds.cause(content, size) for content, size in ((1, 15), (2, 6), (3, 5), (4, 1))]
    assert causes == [None, "large_repository", None, "large_repository"]


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        (b"a/..b/c..", None),
        (b"a/../b", "outside"),
        (b"..", "outside"),
        (b"/a", "outside"),
        (b"a" * 4096, None),
        (b"a" * 4097, "long_name"),
    ],
)
def test_paths(path: bytes, cause: str | None) -> None:
    assert path_cause(path) == cause
