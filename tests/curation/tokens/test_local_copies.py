"""Rows of a store are the same with copies on this disk, with some and with none; a budget of disk is kept."""

import tempfile
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.core.token_shapes import FileEntry
from curation.tokens import store_rows
from curation.tokens.local_copies import LocalCopies
from curation.tokens.local_copies import _alone as local_copies_alone
from curation.tokens.manifests import checksum
from curation.tokens.mix import Mix
from curation.tokens.shards import TokenData
from curation.tokens.token_files import map_file
from tests.curation.tokens.support import two_source_run
from tests.object_store import Store
from tests.object_store import server as server
from tests.object_store import store as store


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the copies of this test go."""
    folder = tmp_path / "disk"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_source_run(tmp_path_factory.mktemp("tokens") / "run", Mix(seed=3))


def in_store(run: Path, uri: str) -> str:
    for file in run.rglob("*"):
        if file.is_file():
            storage.write_bytes(f"{uri}/{file.relative_to(run)}", file.read_bytes())
    return uri


def put(folder: str, name: str, content: bytes) -> FileEntry:
    storage.write_bytes(f"{folder}/{name}", content)
    return FileEntry(bytes=len(content), blake2b=checksum(content))


def bytes_on(disk: Path) -> int:
    return sum(file.stat().st_size for file in disk.glob("winnow-tokens-*/**/*") if file.is_file())


def whole(data: TokenData) -> list[list[list[int]]]:
    """Tokens and documents of each batch, and of the validation split."""
    batches = [data.batch(step, batch_rows=9) for step in range(10)] + [data.read_validation(0, 4)]
    return [np.concatenate([batch.tokens, batch.segment_ids]).tolist() for batch in batches]


@pytest.mark.parametrize("budget", [0, 300, 700, None])
def test_rows_do_not_depend_on_the_copies(run: Path, disk: Path, budget: int | None) -> None:
    """300 bytes have room for the smallest file and its index, 700 for one of two large ones."""
    expected = whole(TokenData.open(str(run)))
    data = TokenData.open(in_store(run, f"memory://{uuid4().hex}"), disk=budget)
    assert whole(data) == expected
    data.copies.wait()
    assert whole(data) == expected
    read = [file.with_suffix(end).stat().st_size for file in run.rglob("*.bin") for end in (".bin", ".idx")]
    empty = sum(file.with_suffix(".idx").stat().st_size for file in run.rglob("*.bin") if not file.stat().st_size)
    everything = sum(read) - empty
    assert bytes_on(disk) <= (everything if budget is None else budget)
    assert bytes_on(disk) == everything or budget is not None
    assert bytes_on(disk) > 0 or budget == 0


def test_a_file_is_copied_once(store: Store) -> None:
    entries = {"tokens-00000.bin": put("s3://bucket/run", "tokens-00000.bin", b"abc" * 1000)}
    readers = [LocalCopies("s3://bucket/run", entries) for _ in range(3)]
    before = store.requests["GET"]
    assert [reader.path("tokens-00000.bin") for reader in readers] == [None] * 3
    for reader in readers:
        reader.wait()
    paths = {str(reader.path("tokens-00000.bin")) for reader in readers}
    assert [Path(path).read_bytes() for path in paths] == [b"abc" * 1000]
    assert store.requests["GET"] == before + 1


def test_copies_that_nobody_reads_make_room(disk: Path) -> None:
    first, second, third = (f"memory://{uuid4().hex}" for _ in range(3))
    entries = {folder: {"a.bin": put(folder, "a.bin", bytes(1000))} for folder in (first, second, third)}
    left = LocalCopies(first, entries[first], 2500)
    in_use = LocalCopies(second, entries[second], 2500)
    for copies in (left, in_use):
        copies.path("a.bin")
        copies.wait()
    kept = in_use.path("a.bin")
    gone = left.path("a.bin")
    assert kept
    assert gone
    del left, copies
    last = LocalCopies(third, entries[third], 2500)
    last.path("a.bin")
    last.wait()
    assert last.path("a.bin")
    assert (Path(kept).exists(), Path(gone).exists()) == (True, False)
    assert bytes_on(disk) == 2000


def test_a_replaced_file_is_copied_anew() -> None:
    folder = f"memory://{uuid4().hex}"
    for content in (b"old", b"newer"):
        copies = LocalCopies(folder, {"a.bin": put(folder, "a.bin", content)})
        copies.path("a.bin")
        copies.wait()
        assert Path(str(copies.path("a.bin"))).read_bytes() == content


@pytest.mark.parametrize("end", [".bin", ".idx"])
def test_a_damaged_file_is_refused_and_its_copy_deleted(run: Path, disk: Path, end: str) -> None:
    """Also if it lost its bits here, after it was copied: the next reader copies it again."""
    uri = in_store(run, f"memory://{uuid4().hex}")
    name = f"06-code-pack/tokens-00000{end}"
    whole_file = storage.read_bytes(f"{uri}/{name}")
    storage.write_bytes(f"{uri}/{name}", whole_file[:-2] + bytes([whole_file[-2] ^ 1, whole_file[-1]]))
    data = TokenData.open(uri)
    place = data.row_files("train").index(next(file for file in data.row_files("train") if file.source == "code"))
    position = data.positions(data.row_files("train")[place].name, 0)[0]
    message = f"{uri}/{name} or its copy on this machine, which is deleted now, is damaged: its checksum differs from"
    with pytest.raises(InputError, match=message):
        assert data.read(position, 1).segment_ids.any()
    assert not [file for file in disk.rglob(f"*tokens-00000{end}") if file.stat().st_size == len(whole_file)]
    storage.write_bytes(f"{uri}/{name}", whole_file)
    assert data.read(position, 1).segment_ids.tolist() == [[1] * 5]
    assert TokenData.open(uri).read(position, 1).segment_ids.tolist() == [[1] * 5]


def test_a_large_run_is_read_by_requests_until_it_is_copied(
    run: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_rows, "SMALL", 100)
    data = TokenData.open(in_store(run, f"memory://{uuid4().hex}"))
    with local_copies_alone():
        assert data.read(0, 90).tokens.shape == (90, 5)
        assert bytes_on(disk) == 0
    data.copies.wait()
    assert bytes_on(disk) > 0


def test_a_copy_that_fails_leaves_the_rows_where_they_are(disk: Path) -> None:
    copies = LocalCopies(f"memory://{uuid4().hex}", {"a.bin": FileEntry(bytes=3, blake2b="0" * 64)})
    copies.path("a.bin")
    copies.wait()
    assert copies.path("a.bin") is None
    assert bytes_on(disk) == 0


def test_what_goes_wrong_beside_the_disk_reaches_the_reader() -> None:
    """Instead of ending the thread, for which all would wait."""
    copies = LocalCopies("unknown://store", {"web/0.bin": FileEntry(bytes=1, blake2b=checksum(b"x"))})
    assert copies.path("web/0.bin") is None
    copies.wait()
    with pytest.raises(Exception, match="unknown"):
        copies.path("web/0.bin")


def test_a_mapping_of_a_whole_file_leaves_nothing(disk: Path) -> None:
    folder = f"memory://{uuid4().hex}"
    put(folder, "a.bin", b"abc")
    assert bytes(map_file(f"{folder}/a.bin")) == b"abc"
    assert not list(disk.iterdir())
    with pytest.raises(InputError, match="no file at memory://"):
        map_file(f"{folder}/b.bin")


def test_a_folder_of_somebody_else_is_not_used(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = f"memory://{uuid4().hex}"
    copies = LocalCopies(folder, {"a.bin": put(folder, "a.bin", b"old")})
    (disk / "winnow-tokens-12345").mkdir()
    monkeypatch.setattr("os.getuid", lambda: 12345)
    copies.path("a.bin")
    copies.wait()
    with pytest.raises(InputError, match="belongs to somebody else; set TMPDIR"):
        copies.path("a.bin")
