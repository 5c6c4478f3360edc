"""KenLM's binary files: scored as our own tables score the same model, where the package is installed."""

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given

from curation.core.errors import InputError, StageError
from curation.models.ngram.arpa import write_arpa
from curation.models.ngram.kenlm_binary import BUILDER, MAGIC, KenlmScorer, build_binary, try_out
from curation.models.ngram.model_file import locate
from curation.models.ngram.scoring import NgramScorer
from tests.curation.models.ngram.slow_model import model_of, prose
from tests.curation.text.texts import batches, sliced

MODEL = model_of([prose(300), "the cat\na \u2028 cat"], 3)


@pytest.fixture(scope="module")
def arpa(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "model.arpa"
    path.write_bytes(b"".join(write_arpa(MODEL, {})))
    return str(path)


@given(batches)
def test_scores_are_those_of_our_table(arpa: str, texts: list[str | None]) -> None:
    pytest.importorskip("kenlm")
    array = sliced([*texts, "the cat <s> a </s>\nnew\0cat"])
    # the package reads ARPA files too
    ours = NgramScorer(MODEL).score(array)
    theirs = KenlmScorer(arpa).score(array)
    assert theirs.logarithms.tolist() == pytest.approx(ours.logarithms.tolist(), rel=1e-5)
    for name in ("tokens", "characters", "first"):
        assert getattr(theirs, name).tolist() == getattr(ours, name).tolist()


def test_a_file_in_an_object_store_is_refused() -> None:
    with pytest.raises(InputError, match="copy it to a local disk"):
        KenlmScorer("s3://models/en.bin")


def test_the_package_is_named_where_it_is_missing(arpa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "kenlm", None)
    with pytest.raises(InputError, match=r"pip install .*\[kenlm\]"):
        KenlmScorer(arpa)


def program(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `build_binary` of our own, first on PATH."""
    path = folder / BUILDER
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_no_binary_without_the_program(arpa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not build_binary(arpa, str(tmp_path / "model.bin"))


def test_the_program_is_given_both_files(arpa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, 'test "$1" = probing && cp "$2" "$3"', monkeypatch)
    assert build_binary(arpa, str(tmp_path / "model.bin"))
    assert (tmp_path / "model.bin").read_bytes() == Path(arpa).read_bytes()


def test_a_program_that_fails_leaves_nothing(arpa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, 'echo half > "$3"; echo why >&2; exit 1', monkeypatch)
    with pytest.raises(StageError, match="build_binary could not read") as failure:
        build_binary(arpa, str(tmp_path / "model.bin"))
    assert failure.value.details == "why\n"
    assert not (tmp_path / "model.bin").exists()


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("kenlm")
    (tmp_path / "other").write_text("no model")
    with pytest.raises(ValueError, match="KenLM cannot read it"):
        KenlmScorer(str(tmp_path / "other"))


def test_a_file_is_tried_out_in_a_process_of_its_own(arpa: str) -> None:
    pytest.importorskip("kenlm")
    try_out(arpa)
    with pytest.raises(ValueError, match=r"KenLM dies by it \(signal 6\)"):
        try_out(arpa, program="import os; os.abort()")
    with pytest.raises(ValueError, match="KenLM does not finish a few lines by it in 1 s"):
        try_out(arpa, program="import time; time.sleep(60)", seconds=1)


def test_a_binary_file_that_kills_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(MAGIC + b" format version 5\n\0" + bytes(4096))
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "python", "kill -SEGV $$")))
    with pytest.raises(InputError, match=r"model\.bin is a damaged n-gram model: KenLM dies by it .*; copy it again"):
        locate(str(path), normalization="nfc")


def script(path: Path, line: str) -> Path:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
