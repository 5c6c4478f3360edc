"""What a plan says of a source's inputs: names that are left out, and compressed files that one core reads."""

from pathlib import Path

import pytest

from curation.core.protocols import Piece
from curation.engine.driver.input_notes import SMALL, input_notes
from curation.engine.recipe.node import Node
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse

RECIPE = "version: 1\nname: r\nsources:\n  a:\n    - read: {%s: {paths: ['%s']}}\n"


def node(path: object, source: str = "jsonl") -> Node:
    return build_plan(parse(RECIPE % (source, path), "r.yaml"))[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.jsonl", "_part1.jsonl", ".b.jsonl.crc"):
        (tmp_path / name).write_text("{}")
    return tmp_path


def test_hidden_names_of_a_folder_are_told(folder: Path) -> None:
    (note,) = input_notes(node(folder), ())
    assert note.startswith(
        "2 files are not read, because a folder or glob passes over names that begin with _ or a dot: "
    )
    assert f"{folder}/.b.jsonl.crc, {folder}/_part1.jsonl; to read one" in note


@pytest.mark.parametrize(("glob", "told"), [("*.jsonl", 1), ("*.json", 0), ("_part*.jsonl", 0), ("a.jsonl", 0)])
def test_hidden_names_of_a_glob(folder: Path, glob: str, told: int) -> None:
    assert len(input_notes(node(folder / glob), ())) == told


@pytest.mark.parametrize(
    ("name", "size", "cores", "told"),
    [
        pytest.param("x.jsonl.zst", SMALL + 1, 2, True, id="a large one"),
        pytest.param("x.jsonl.zst", SMALL, 2, False, id="a small one"),
        pytest.param("x.jsonl.zst", SMALL + 1, 1, False, id="one core"),
        pytest.param("x.jsonl", SMALL + 1, 2, False, id="not compressed"),
    ],
)
def test_a_compressed_file_that_keeps_one_core_busy(name: str, size: int, cores: int, told: bool) -> None:
    notes = input_notes(node("none"), [(Piece(name, size=size),)], cores)
    if not told:
        assert notes == ()
        return
    assert notes == (
        "x.jsonl.zst (67.1 MB) is compressed and so one unit, which one core reads: 1 unit for 2 cores; to use more, "
        "give it as several files (`zstd -dc FILE | split -C 256M - part-`), as plain lines, which are cut into "
        "ranges, or as Parquet with several row groups",
    )


def test_of_an_archive_it_says_what_helps_there() -> None:
    pieces = [(Piece("a.warc.gz", size=SMALL * 2), Piece("b.warc.gz", size=SMALL * 3))]
    recipe = RECIPE % ("warc", "none") + "    - extract: {resiliparse: {}}\n"
    (note,) = input_notes(build_plan(parse(recipe, "r.yaml"))[0], pieces, 8)
    assert note.startswith(
        "b.warc.gz (201.3 MB) is compressed and so one unit, which one core reads, as are 1 other: 1 unit"
    )
    assert note.endswith("to use more, give it as several files")
