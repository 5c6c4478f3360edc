"""A token file is read against its checksum before a row of it is used: once, and by one process of several."""

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.account.lineage.trace import _segments
from curation.core.errors import InputError
from curation.core.token_shapes import FileEntry
from curation.tokens import file_checks
from curation.tokens.export.megatron import export_megatron
from curation.tokens.export.parquet import export_parquet
from curation.tokens.file_checks import FileChecks, TokenFile, check
from curation.tokens.manifests import checksum
from curation.tokens.shards import TokenData
from tests.curation.tokens.support import two_source_run


@pytest.fixture(autouse=True)
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it stands that a file passed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"winnow-checked-{os.getuid()}"


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    path = tmp_path / "run" / "pack" / "a.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"tokens")
    return TokenFile("pack/a.bin", str(path), str(path))


ENTRIES = {"pack/a.bin": FileEntry(bytes=6, blake2b=checksum(b"tokens"))}


def flip(path: Path, at: int = -3) -> None:
    """One bit."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_a_file_as_its_manifest_says(file: TokenFile) -> None:
    checks = FileChecks(ENTRIES)
    checks.wait([file])
    assert checks.left([file], 0) == 0


def test_a_damaged_file_is_named_with_what_to_do(file: TokenFile, tmp_path: Path) -> None:
    flip(Path(file.uri))
    message = (
        f"{file.uri} is damaged: its checksum differs from its manifest's, so none of its rows is used; `winnow verify "
        f"{tmp_path}/run --deep` says what to delete so that the run makes it again, or copy it again"
    )
    checks = FileChecks(ENTRIES)
    for _ in range(2):
        with pytest.raises(InputError, match=message):
            checks.wait([file])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(os.mkfifo, "is no plain file", id="a pipe without a writer"),
        pytest.param(os.mkdir, "cannot read .*: Is a directory", id="a folder"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), "is no plain file", id="a device"),
        pytest.param(lambda path: None, "no file at .*; copy the whole pack folder", id="nothing"),
    ],
)
def test_what_is_no_file_is_one_line(file: TokenFile, make: Callable[[Path], object], message: str) -> None:
    Path(file.uri).unlink()
    make(Path(file.uri))
    with pytest.raises(InputError, match=message) as caught:
        FileChecks(ENTRIES).wait([file])
    assert "\n" not in str(caught.value)


def test_a_file_that_passed_is_not_read_again_for_a_day(file: TokenFile, records: Path) -> None:
    check(file.uri, ENTRIES[file.name]["blake2b"])
    (record,) = records.iterdir()
    flip(Path(file.uri))
    with pytest.raises(InputError, match="is damaged"):
        check(file.uri, ENTRIES[file.name]["blake2b"])
    found = Path(file.uri).stat()  # as if the disk had lost the bit, which changes no time
    record.write_text(f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}")
    check(file.uri, ENTRIES[file.name]["blake2b"])
    long_ago = time.time() - file_checks.RECHECK - 1
    os.utime(record, (long_ago, long_ago))
    with pytest.raises(InputError, match="is damaged"):
        check(file.uri, ENTRIES[file.name]["blake2b"])


def test_a_file_that_another_process_reads_is_waited_for(file: TokenFile, records: Path) -> None:
    check(file.uri, ENTRIES[file.name]["blake2b"])
    (record,) = records.iterdir()
    with record.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        checks = FileChecks(ENTRIES)
        assert checks.left([file], 0.2) == 6
    assert checks.left([file], 10) == 0


def test_the_file_that_a_reader_waits_for_comes_first(
    file: TokenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_checks, "THREADS", 1)
    entries = dict(ENTRIES)
    others = []
    for number in range(50):
        path = tmp_path / "run" / "pack" / f"{number}.bin"
        path.write_bytes(bytes(2 << 20))
        entries[f"pack/{number}.bin"] = FileEntry(bytes=2 << 20, blake2b=checksum(bytes(2 << 20)))
        others.append(TokenFile(f"pack/{number}.bin", str(path), str(path)))
    checks = FileChecks(entries)
    checks.ask(others)
    checks.wait([file])
    assert checks.left(others, 0) >= 2 << 20
    assert checks.left(others, 60) == 0
    assert [thread.name for thread in threading.enumerate()].count("winnow-checks") <= 1


def test_where_nothing_can_be_recorded_each_process_reads(
    file: TokenFile, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.symlink_to("/nowhere")
    check(file.uri, ENTRIES[file.name]["blake2b"])
    flip(Path(file.uri))
    with pytest.raises(InputError, match="is damaged"):
        check(file.uri, ENTRIES[file.name]["blake2b"])


def test_old_records_go(file: TokenFile, records: Path) -> None:
    records.mkdir(mode=0o700)
    old, new = records / "old", records / "new"
    for record, age in ((old, file_checks.RECHECK + 10), (new, file_checks.RECHECK - 1000)):
        record.write_text("")
        os.utime(record, (time.time() - age, time.time() - age))
    FileChecks(ENTRIES).wait([file])
    for thread in threading.enumerate():
        if thread.name == "winnow-checks":
            thread.join(10)
    assert (old.exists(), new.exists(), len(list(records.iterdir()))) == (False, True, 2)


def rows_of_code(data: TokenData, tmp_path: Path) -> object:
    return data.read(data.positions("06-code-pack/tokens-00000", 0)[0], 1).segment_ids


def held_out(data: TokenData, tmp_path: Path) -> object:
    return data.read_validation(0, data.validation_rows).segment_ids


READERS = {
    "a step": (rows_of_code, "tokens-00000", (".bin", ".idx")),
    "validation": (held_out, "validation-00000", (".bin", ".idx")),
    "lineage": (lambda data, _: _segments(data, [("06-code-pack/tokens-00000", 0)], 5), "tokens-00000", (".parquet",)),
    "parquet": (
        lambda data, folder: export_parquet(data.folder, str(folder / "out")),
        "tokens-00000",
        (".bin", ".idx"),
    ),
    "megatron": (
        lambda data, folder: export_megatron(data.folder, str(folder / "out")),
        "tokens-00000",
        (".bin", ".parquet"),
    ),
}


@pytest.mark.parametrize(("reader", "end"), [(reader, end) for reader, (_, _, ends) in READERS.items() for end in ends])
def test_no_reader_uses_a_damaged_file(tmp_path: Path, reader: str, end: str) -> None:
    """A bit that leaves a valid token, an index that adds up, a column that can be decoded."""
    read, name, _ = READERS[reader]
    run = two_source_run(tmp_path / "run")
    read(TokenData.open(str(run)), tmp_path / "before")
    flip(run / "06-code-pack" / f"{name}{end}")
    with pytest.raises(InputError, match=rf"06-code-pack/{name}\{end} is damaged: its checksum differs"):
        read(TokenData.open(str(run)), tmp_path)


def test_what_is_not_checked_yet_is_told(tmp_path: Path) -> None:
    """The files of the positions come first, the other training files after them."""
    data = TokenData.open(str(two_source_run(tmp_path / "run")))
    assert data.unchecked(range(90), [0, 3], 60) == 0
    assert data.unchecked(range(0), [], 0) == 0


def test_files_of_a_step_are_checked_before_it_is_read(tmp_path: Path) -> None:
    run = two_source_run(tmp_path / "run")
    flip(run / "06-code-pack" / "tokens-00000.bin")
    data = TokenData.open(str(run))
    assert data.unchecked(range(90), [], 60) == 0
    with pytest.raises(InputError, match="is damaged"):
        data.read(0, 90)
