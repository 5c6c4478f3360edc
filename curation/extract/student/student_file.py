"""The file of a fitted student: what it learned from and how well, and both stages' trees.

    b"winnow extractor", uint32 N, N bytes of JSON, then of each stage its features int32[T, LEVELS], borders
    float32[T, LEVELS] and values float32[T, LEAVES]

All is little-endian. The JSON has `format`, `features` (the SHA-256 of their names, which another version of winnow may
change), `stages` (T and bias of each), `sha256` of what follows it, and `facts`, which are shown to people.
"""

import hashlib
import json
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from curation.core import storage
from curation.core.errors import InputError
from curation.extract.blocks import feature_names
from curation.extract.blocks.feature_names import COUNT
from curation.extract.student import around
from curation.extract.student.around import COUNT as AROUND
from curation.extract.student.student import Student
from curation.extract.student.trees import LEAVES, LEVELS, Trees
from curation.text.kernels.compiler.kernel import read_only

FORMAT = 2
MARK = b"winnow extractor"
Facts: TypeAlias = Mapping[str, Any]
_START = len(MARK) + 4
_MOST_BIAS = 100.0  # of a logarithm of odds; a fit gives 14 at most


def packed(student: Student, facts: Facts) -> bytes:
    """The file's content."""
    body = b"".join(_bytes(trees) for trees in student)
    stages = [[len(trees.features), float(trees.bias)] for trees in student]
    digest = hashlib.sha256(body).hexdigest()
    head = {"format": FORMAT, "features": _names(), "stages": stages, "sha256": digest, "facts": facts}
    text = json.dumps(head, sort_keys=True, ensure_ascii=False).encode()
    return b"".join([MARK, struct.pack("<I", len(text)), text, body])


def unpacked(content: bytes) -> tuple[Student, Facts]:
    """Raises ValueError for another file, a damaged one, and one of another version."""
    if not content.startswith(MARK) or len(content) < _START:
        raise ValueError("it does not begin as one")
    stop = _START + struct.unpack_from("<I", content, len(MARK))[0]
    try:
        head = json.loads(content[_START:stop])
        version, names, stages, digest = (head[key] for key in ("format", "features", "stages", "sha256"))
        facts = dict(head["facts"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("it is damaged") from None
    if (version, names) != (FORMAT, _names()):
        raise ValueError("it was fitted by another version of winnow")
    body = content[stop:]
    if hashlib.sha256(body).hexdigest() != digest:
        raise ValueError("it is damaged")
    return _student(body, stages), facts


def _student(body: bytes, stages: object) -> Student:
    """Both stages' trees. Raises ValueError where they are not those that the bytes hold, or ask for features that
    there are not: kernels check no index."""
    if not _are_stages(stages) or sum(_size(count) for count, _ in stages) != len(body):
        raise ValueError("its trees are not those of its description")
    first, rest = _trees(body, *stages[0], features=COUNT)
    return Student(first, _trees(rest, *stages[1], features=COUNT + AROUND)[0])


def _are_stages(stages: Any) -> TypeGuard[list[tuple[int, float]]]:
    """Whether JSON describes two stages, each by its number of trees and a number that is added to all odds."""
    if not isinstance(stages, list) or len(stages) != len(Student._fields):
        return False
    return all(
        isinstance(stage, list)
        and [type(value) for value in stage] == [int, float]
        and stage[0] >= 0
        and abs(stage[1]) < _MOST_BIAS
        for stage in stages
    )


def is_student(uri: str) -> bool:
    """Whether a file, which exists, begins as one."""
    return storage.read_start(uri, len(MARK)) == MARK


def read(uri: str) -> tuple[Student, Facts]:
    """The student and what is told of it. Raises InputError where there is none that this version can use."""
    if storage.size(uri) < 0:
        raise InputError(f"no learnt extractor at {uri}; give a result of `fit: {{extractor: …}}`, or @extractor")
    try:
        return unpacked(storage.read_bytes(uri))
    except ValueError as error:
        raise InputError(f"{uri} is no learnt extractor: {error}; run `fit: {{extractor: …}}` again") from error


@lru_cache(maxsize=4)
def load(uri: str) -> Student:
    """Read once per process. Raises InputError as `read` does."""
    return read(uri)[0]


def _names() -> str:
    return hashlib.sha256("\n".join((*feature_names.FEATURES, *around.FEATURES)).encode()).hexdigest()


def _bytes(trees: Trees) -> bytes:
    arrays = (trees.features.astype("<i4"), trees.borders.astype("<f4"), trees.values.astype("<f4"))
    return b"".join(array.tobytes() for array in arrays)


def _size(count: int) -> int:
    """Bytes of so many trees."""
    return 4 * count * (2 * LEVELS + LEAVES)


def _trees(body: bytes, count: int, bias: float, *, features: int) -> tuple[Trees, bytes]:
    """The trees with which the bytes begin, and the other bytes. Raises ValueError for trees that ask for more than the
    first so many features, or hold numbers that are not finite."""
    questions = count * LEVELS
    asked = np.frombuffer(body, "<i4", questions).astype(np.int32).reshape(count, LEVELS)
    borders = np.frombuffer(body, "<f4", questions, 4 * questions).astype(np.float32).reshape(count, LEVELS)
    values = np.frombuffer(body, "<f4", count * LEAVES, 8 * questions).astype(np.float32).reshape(count, LEAVES)
    if not (np.all(asked >= 0) and np.all(asked < features)):
        raise ValueError("its trees ask for features that there are not")
    if np.isnan(borders).any() or not np.isfinite(values).all():
        raise ValueError("its trees hold numbers that are not finite")
    return read_only(Trees(asked, borders, values, np.float32(bias))), body[_size(count) :]
