"""The student's file: whole again, or refused in a line."""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.extract.blocks.feature_names import COUNT
from curation.extract.student import student_file
from curation.extract.student.around import COUNT as AROUND
from curation.extract.student.student import Student
from curation.extract.student.student_file import packed, read, unpacked
from tests.curation.extract.student.conftest import FAST
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


def resealed(content: bytes, *, values: Any = None, at: int = 0, **head: object) -> bytes:
    """The file with other fields or other bytes of the trees, from byte `at` on, and a checksum that is right."""
    start = len(student_file.MARK) + 4
    stop = start + struct.unpack_from("<I", content, start - 4)[0]
    body = bytearray(content[stop:])
    if values is not None:
        written = np.array(values).tobytes()
        body[at : at + len(written)] = written
    fields = {**json.loads(content[start:stop]), **head, "sha256": hashlib.sha256(body).hexdigest()}
    text = json.dumps(fields).encode()
    return b"".join([student_file.MARK, struct.pack("<I", len(text)), text, body])


FEATURES = "trees ask for features that there are not"
DESCRIBED = "trees are not those of its description"
FIRST_TREES = FAST.trees * 4 * (2 * 6 + 64)  # bytes: two numbers for each of 6 levels, and 64 leaves


@table(
    "change, message",
    {
        "a feature after the first stage's last": ({"values": np.int32(COUNT)}, FEATURES),
        "a feature after the last": ({"values": np.int32(COUNT + AROUND), "at": FIRST_TREES}, FEATURES),
        "a feature far behind": ({"values": np.int32(2**31 - 1)}, FEATURES),
        "a negative feature": ({"values": np.int32(-1)}, FEATURES),
        "a border that is no number": ({"values": np.float32(np.nan), "at": FAST.trees * 24}, "are not finite"),
        "an infinite value": ({"values": np.float32(np.inf), "at": FAST.trees * 48}, "are not finite"),
        "one stage": ({"stages": [[FAST.trees, 0.0]]}, DESCRIBED),
        "three stages": ({"stages": [[FAST.trees, 0.0], [FAST.trees, 0.0], [0, 0.0]]}, DESCRIBED),
        "a number in the place of the stages": ({"stages": 7}, DESCRIBED),
        "more trees than bytes": ({"stages": [[FAST.trees, 0.0], [FAST.trees + 1, 0.0]]}, DESCRIBED),
        "trees that make up for fewer than none": ({"stages": [[3 * FAST.trees, 0.0], [-FAST.trees, 0.0]]}, DESCRIBED),
        "half a tree": ({"stages": [[0.5, 0.0], [2.0, 0.0]]}, DESCRIBED),
        "a bias that is no number": ({"stages": [[FAST.trees, float("nan")], [FAST.trees, 0.0]]}, DESCRIBED),
        "facts that are no fields": ({"facts": 7}, "is damaged"),
    },
)
def test_trees_that_their_checksum_vouches_for(
    tmp_path: Path, content: bytes, change: dict[str, Any], message: str
) -> None:
    file = tmp_path / "extractor.bin"
    file.write_bytes(resealed(content, **change))
    with pytest.raises(InputError, match=message):
        read(str(file))


def test_the_last_feature_of_each_stage(content: bytes) -> None:
    again, _ = unpacked(resealed(content, values=np.int32(COUNT - 1)))
    assert again.first.features[0, 0] == COUNT - 1
    again, _ = unpacked(resealed(content, values=np.int32(COUNT + AROUND - 1), at=FIRST_TREES))
    assert again.second.features[0, 0] == COUNT + AROUND - 1


def test_a_description_that_is_nested_too_deeply(tmp_path: Path) -> None:
    file = tmp_path / "extractor.bin"
    text = b"[" * 100_000
    file.write_bytes(student_file.MARK + struct.pack("<I", len(text)) + text)
    with pytest.raises(InputError, match="is damaged"):
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
