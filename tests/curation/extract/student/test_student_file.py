"""The student's file: whole again, or refused in a line."""

from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.extract.student import student_file
from curation.extract.student.student import Student
from curation.extract.student.student_file import packed, read, unpacked
from tests.support import table

FACTS = {"teacher": ["trafilatura"], "pages": 44}


@pytest.fixture(scope="package")
def content(student: Student) -> bytes:
    return packed(student, FACTS)


def test_it_comes_back_as_it_was(content: bytes, student: Student) -> None:
    again, facts = unpacked(content)
    assert facts == FACTS
    for before, after in zip(student, again, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert packed(again, facts) == content


@table(
    "cut, message",
    {
        "another file": (lambda content: b"PK" + content, "does not begin as one"),
        "cut short": (lambda content: content[:-1], "is damaged"),
        "without its description": (lambda content: content[:40], "is damaged"),
        "a bit": (lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:], "is damaged"),
        "empty": (lambda content: b"", "does not begin as one"),
    },
)
def test_other_files(tmp_path: Path, content: bytes, cut: object, message: str) -> None:
    assert callable(cut)
    file = tmp_path / "extractor.bin"
    file.write_bytes(cut(content))
    with pytest.raises(InputError, match=message):
        read(str(file))


def test_another_version(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "extractor.bin"
    file.write_bytes(content)
    monkeypatch.setattr(student_file, "_names", lambda: "others")
    with pytest.raises(InputError, match=r"another version of winnow; run `fit: \{extractor: …\}` again"):
        read(str(file))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no learnt extractor at"):
        read(str(tmp_path / "none.bin"))
