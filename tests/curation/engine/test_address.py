"""What changes an address, and what does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.manifest import write_json
from curation.engine.address import Address, address_of, list_inputs, locate
from curation.engine.plan import build_plan
from curation.engine.recipe import Recipe, parse

RECIPE = """
version: 1
buckets: 4
sources:
  docs:
    - read: {jsonl: {paths: ["%s"]}}
    - filter: {gopher_quality: {min_words: 10}}
    - dedup: exact
"""


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n')
    return tmp_path


def recipe(folder: Path, *changes: tuple[str, str]) -> Recipe:
    text = RECIPE % (folder / "*.jsonl")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse(text, "m.yaml")


def digests(made: Recipe) -> list[str]:
    found: dict[int, Address] = {}
    for node in build_plan(made):
        found[node.index] = address_of(node, made, found, {})
    return [address.digest for address in found.values()]


def test_a_limit_changes_its_stage_and_those_after_it(given: Path) -> None:
    before, after = digests(recipe(given)), digests(recipe(given, ("min_words: 10", "min_words: 11")))
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, False]


def test_the_input_changes_everything(given: Path) -> None:
    before = digests(recipe(given))
    (given / "b.jsonl").write_text('{"text": "two"}\n')
    assert not set(before) & set(digests(recipe(given)))


def test_names_guards_and_written_defaults_change_nothing(given: Path) -> None:
    before = digests(recipe(given))
    more = "{gopher_quality: {min_words: 10, max_words: 100000}}\n      name: q\n      max_errors: 0.5"
    assert digests(recipe(given, ("{gopher_quality: {min_words: 10}}", more))) == before


def test_a_raised_version_changes_the_stage(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from curation.filters.gopher_quality import GopherQuality

    before = digests(recipe(given))
    monkeypatch.setattr(GopherQuality, "version", GopherQuality.version + 1)
    assert [a == b for a, b in zip(before, digests(recipe(given)), strict=True)] == [True, False, False]


def test_buckets_change_the_first_stage(given: Path) -> None:
    assert digests(recipe(given))[0] != digests(recipe(given, ("buckets: 4", "buckets: 5")))[0]


def test_inputs_are_listed_once_and_in_order(given: Path) -> None:
    (given / "b.jsonl").write_text("")
    patterns = (str(given / "b*"), str(given / "*.jsonl"))
    assert [Path(file.path).name for file in list_inputs(patterns)] == ["a.jsonl", "b.jsonl"]
    with pytest.raises(InputError, match="no input matches"):
        list_inputs((str(given / "*.gz"),))


def test_a_stage_keeps_its_folder_when_it_moves(given: Path, tmp_path: Path) -> None:
    node = build_plan(recipe(given))[1]
    address = Address("ab" * 32, {})
    run = tmp_path / "run"
    folder = locate(str(run), node, address)
    assert folder == str(run / "02-gopher_quality-abababab")
    Path(folder).mkdir(parents=True)
    assert locate(str(run), replace(node, index=4), address) == folder
    write_json(f"{folder}/_manifest.json", {"address": "abababab" + "00" * 28})
    with pytest.raises(InputError, match="same short hash"):
        locate(str(run), node, address)
