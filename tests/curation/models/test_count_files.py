"""Files of two arrays: what is written is read, and what is no such file is refused."""

import numpy as np
import pytest

from curation.models.count_files import HEADER, CountFile, arrays, check_size

FILE = CountFile(b"magic678", "counts", "kind: {}")
LEFT = np.array([1, 2, 3], np.uint64)
RIGHT = np.array([2**64 - 1, 0, 5], np.uint64)


def test_what_is_written_is_read() -> None:
    content = FILE.packed((3, 7), LEFT, RIGHT)
    assert FILE.numbers(content[:HEADER]) == (3, 7)
    check_size(len(content), 3, "words")
    assert [array.tolist() for array in arrays(content, 3)] == [LEFT.tolist(), RIGHT.tolist()]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"another file that is long enough for a header", "does not begin as one"),
        (b"magic678" + b"\0" * 8, "does not begin as one"),
        (b"magic678" + np.array([2, 0, 0], "<u8").tobytes(), "format 2, this winnow reads 1"),
    ],
)
def test_another_file(start: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FILE.numbers(start[:HEADER])


def test_a_file_that_is_cut_short() -> None:
    with pytest.raises(ValueError, match="it has 79 bytes, its 3 words take 80"):
        check_size(79, 3, "words")
