"""Rows across files, opened when needed and closed when they are too many; segment numbers."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from curation.core.errors import InputError
from curation.tokens import row_files
from curation.tokens.file_checks import FileChecks
from curation.tokens.row_files import RowFile, RowFiles
from tests.curation.tokens.support import END, PAD, AsTheyAre, token_batch, write_pack


@pytest.fixture
def files(tmp_path: Path) -> RowFiles:
    first = token_batch({"a": [10, 11, END], "b": [END], "c": [20, 21, 22, 23, 24, 25, END]})
    write_pack(
        tmp_path / "pack", [("web", [first]), ("web", [token_batch({})]), ("web", [token_batch({"d": [30, END]})])]
    )
    parts = [
        RowFile("pack/tokens-00000", "web", 3),
        RowFile("pack/tokens-00001", "web", 0),
        RowFile("pack/tokens-00002", "web", 1),
    ]
    return RowFiles(str(tmp_path), parts, 5, np.dtype("<u2"), FileChecks(AsTheyAre(tmp_path)))


def test_find_passes_over_empty_files(files: RowFiles) -> None:
    assert files.find(0, 4).tolist() == [[0, 0, 0, 2], [0, 1, 2, 0]]


def test_rows_in_the_order_asked_for(files: RowFiles) -> None:
    where = np.array([[2, 0, 0], [0, 2, 0]])
    assert files.tokens(where).tolist() == [[30, END, PAD, PAD, PAD], [24, 25, END, PAD, PAD], [10, 11, END, END, 20]]
    assert files.segment_ids(where).tolist() == [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 2, 3]]


def test_rows_are_copies(files: RowFiles) -> None:
    rows = files.tokens(files.find(0, 1))
    rows[:] = 9
    assert files.tokens(files.find(0, 1)).tolist() == [[10, 11, END, END, 20]]


def test_padding_in_the_middle_of_a_row(files: RowFiles, tmp_path: Path) -> None:
    index = tmp_path / "pack" / "tokens-00000.idx"
    content = bytearray(index.read_bytes())
    content[64 + 4 * 8 + 7] |= 0x80  # the first row's second segment, of one token
    content[64 + 4 * 8 + 3] &= 0x7F
    index.write_bytes(content)
    assert files.segment_ids(files.find(0, 1)).tolist() == [[1, 1, 1, 0, 2]]


def test_files_are_opened_when_a_row_is_asked_for(files: RowFiles, tmp_path: Path) -> None:
    (tmp_path / "pack" / "tokens-00002.idx").unlink()
    assert files.tokens(files.find(0, 3)).shape == (3, 5)
    with pytest.raises(InputError, match=r"no file at .*tokens-00002\.idx"):
        files.tokens(files.find(3, 1))


@pytest.fixture
def many(tmp_path: Path) -> RowFiles:
    """Twelve files of two rows; file n holds 100 + n in all of its tokens but two."""
    batches = [token_batch({str(n): [100 + n] * 8 + [END]}) for n in range(12)]
    write_pack(tmp_path / "pack", [("web", [batch]) for batch in batches])
    parts = [RowFile(f"pack/tokens-{n:05d}", "web", 2) for n in range(12)]
    return RowFiles(str(tmp_path), parts, 5, np.dtype("<u2"), FileChecks(AsTheyAre(tmp_path)))


def mapped(folder: Path) -> int:
    """How many files of the folder this process has mapped."""
    return sum(str(folder) in line for line in Path("/proc/self/maps").read_text().splitlines())


def test_a_batch_of_more_files_than_may_be_open(
    many: RowFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "OPEN_FILES", 4)
    where = np.stack([np.arange(11, -1, -1), np.zeros(12, np.int64)])
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        assert many.tokens(where)[:, 0].tolist() == [*range(111, 99, -1)]
        assert (many.segment_ids(where) == 1).all()
        assert 0 < mapped(tmp_path) <= 2 * 4
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_files_that_are_mapped_again_are_not_asked_for_again(
    many: RowFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With thousands of files, asking for the rest of a batch at each of them took seconds a step."""
    monkeypatch.setattr(row_files, "OPEN_FILES", 4)
    asked = Mock(wraps=many._checks.ask)
    monkeypatch.setattr(many._checks, "ask", asked)
    where = np.stack([np.arange(12), np.zeros(12, np.int64)])
    for _ in range(3):
        many.tokens(where)
    (first, *others) = [len(list(call.args[0])) for call in asked.call_args_list]
    assert (first, others) == (24, [2] * 12)  # each file's rows and index: all at once, then one by one as it is read


def test_the_file_that_was_not_used_for_longest_is_closed(
    many: RowFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_files, "OPEN_FILES", 3)
    for number in (0, 1, 2, 0, 5):
        many.tokens(np.array([[number], [0]]))
    lines = Path("/proc/self/maps").read_text().splitlines()
    names = {line.rpartition("/")[2] for line in lines if str(tmp_path) in line}
    assert names == {f"tokens-0000{number}.{kind}" for number in (0, 2, 5) for kind in ("bin", "idx")}


def test_threads_read_while_files_are_closed(many: RowFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "OPEN_FILES", 2)

    def reads_right(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        right = True
        for _ in range(200):
            where = np.stack([rng.integers(0, 12, 6), np.zeros(6, np.int64)])
            right &= bool((many.tokens(where) == 100 + where[0][:, None]).all())
            right &= bool((many.segment_ids(where) == 1).all())
        return right

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(reads_right, range(8)))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        pytest.param(64 + 8, 2**62, id="offset past the end"),
        pytest.param(64 + 8, 2**63, id="offset below zero"),
        pytest.param(64 + 4 * 8, 4 + (2**31 - 2 << 32), id="segment longer than its row"),
        pytest.param(64 + 4 * 8, 1, id="segments shorter than their row"),
    ],
)
def test_a_damaged_index_is_refused_and_never_followed(files: RowFiles, tmp_path: Path, at: int, value: int) -> None:
    index = tmp_path / "pack" / "tokens-00000.idx"
    content = index.read_bytes()
    index.write_bytes(content[:at] + value.to_bytes(8, "little") + content[at + 8 :])
    with pytest.raises(InputError, match=r"tokens-00000\.idx is damaged: a row's segments do not add up to the row"):
        files.segment_ids(files.find(0, 3))
