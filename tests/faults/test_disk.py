"""A disk that is full, a file that was spoilt, an input that was swapped: one clear error, and a resume that gives the
undisturbed run's bytes. Without Ray: steps run in this process."""

import errno
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.core import new_file, storage
from curation.core.errors import InputError, WinnowError
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources
from tests.noting import Noting
from tests.runs import data_hashes


def curate(text: str, run: Path, executor: Executor | None = None) -> None:
    runner.curate(parse(text, "m.yaml"), str(run), executor or Inline())


@pytest.fixture
def text(tmp_path: Path) -> str:
    return write_sources(tmp_path)


@pytest.fixture
def expected(tmp_path: Path, text: str) -> dict[str, str]:
    curate(text, tmp_path / "undisturbed")
    return data_hashes(tmp_path / "undisturbed")


def full_for(matches: Callable[[str], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk has no space for files of these names: neither for those that units publish nor for the driver's."""
    write = storage.write_bytes
    fsync = new_file.NewFile.publish

    def write_bytes(uri: str, content: bytes) -> None:
        if matches(uri):
            raise OSError(errno.ENOSPC, "No space left on device", uri)
        write(uri, content)

    def publish(self: new_file.NewFile) -> new_file.FileFacts:
        if matches(self.uri):
            self.abandon()
            raise OSError(errno.ENOSPC, "No space left on device", self.uri)
        return fsync(self)

    monkeypatch.setattr(storage, "write_bytes", write_bytes)
    monkeypatch.setattr(new_file.NewFile, "publish", publish)


@pytest.mark.parametrize(
    "name",
    [
        "gopher_quality-????????/part-00001",
        "read-????????/_keys/",
        "dedup-????????/_keys/",
        "tokenize-????????/part-00002",
        "pack-????????/tokens-00001",
        "gopher_quality-????????/_commits/",
        "dedup-????????/_commits/",
        "dedup-????????/_partial._manifest|dedup-????????/_manifest",
        "run.json",
    ],
)
@pytest.mark.slow
def test_a_full_disk(
    name: str, tmp_path: Path, text: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = re.compile(name.replace("?" * 8, "[0-9a-f]{8}").replace("/_commits/", "/_commits/(_partial.)?group"))
    with monkeypatch.context() as patched:
        full_for(lambda uri: pattern.search(uri) is not None, patched)
        with pytest.raises((WinnowError, OSError), match="No space left on device"):
            curate(text, tmp_path / "run")
    curate(text, tmp_path / "run")
    assert data_hashes(tmp_path / "run") == expected
    assert not list((tmp_path / "run").rglob("_partial*"))


def test_a_part_that_was_zeroed_at_equal_size(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    run = tmp_path / "run"
    curate(text, run)
    (folder,) = run.glob("*-news-read-*")
    part = folder / "part-00001.parquet"
    part.write_bytes(bytes(part.stat().st_size))
    for stage in run.glob("*-gopher_quality-*"):
        (stage / "_manifest.json").unlink()
        for group in (stage / "_commits").iterdir():
            group.unlink()
    with pytest.raises(WinnowError, match=r"part-00001.parquet cannot be read as Parquet.*curate again"):
        curate(text, run)
    part.unlink()
    (folder / "_manifest.json").unlink()
    curate(text, run)
    assert data_hashes(run) == expected


def test_an_input_that_was_swapped_after_the_plan(
    tmp_path: Path, text: str, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "news-1.jsonl"
    content = path.read_bytes()
    run_all = runner._run_and_seal

    def swapped(*arguments: object) -> object:
        path.write_bytes(content.replace(b"a", b"b"))
        return run_all(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(runner, "_run_and_seal", swapped)
        with pytest.raises(InputError, match=r"news-1.jsonl has changed since the run began; put the old file back"):
            curate(text, tmp_path / "run")
    path.write_bytes(content)
    curate(text, tmp_path / "run")
    assert data_hashes(tmp_path / "run") == expected


def test_a_touched_input_redoes_nothing(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    noting = Noting()
    for path in tmp_path.glob("*.jsonl"):
        path.touch()
    curate(text, tmp_path / "undisturbed", noting)
    assert noting.ran == []
