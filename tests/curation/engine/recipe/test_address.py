"""What changes an address, and what does not."""

from dataclasses import replace
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.manifest import write_json
from curation.engine.recipe.address import Address, address_of, list_inputs, locate, named
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe, parse

RECIPE = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: ["%s"]}}
    - filter: {gopher_quality: {min_words: 10}}
    - dedup: exact
"""


SECRET = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: ["%s"]}}
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
    before = digests(recipe(given))
    after = digests(recipe(given, ("min_words: 10", "min_words: 11")))
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, False]


def test_a_stage_after_the_last_one_changes_that_too(given: Path) -> None:
    """It no longer has all columns."""
    more = ("    - dedup: exact\n", "    - dedup: exact\n    - filter: {gopher_repetition: {}}\n")
    before = digests(recipe(given))
    after = digests(recipe(given, more))
    assert [a == b for a, b in zip(before, after[:3], strict=True)] == [True, True, False]


def test_the_input_changes_everything(given: Path) -> None:
    before = digests(recipe(given))
    (given / "a.jsonl").write_text('{"text": "two"}\n')
    after = digests(recipe(given))
    (given / "b.jsonl").write_text('{"text": "two"}\n')
    assert len({*before, *after, *digests(recipe(given))}) == 9


def test_names_guards_and_written_defaults_change_nothing(given: Path) -> None:
    before = digests(recipe(given))
    more = "{gopher_quality: {min_words: 10, max_words: 100000}}\n      name: q\n      max_errors: 0.5"
    assert digests(recipe(given, ("{gopher_quality: {min_words: 10}}", more))) == before


def test_the_order_of_rule_sets_is_part_of_the_address(given: Path) -> None:
    one, other = (
        digests(recipe(given, ("{gopher_quality: {min_words: 10}}", f"{{{first}: {{}}, {second}: {{}}}}")))
        for first, second in (("gopher_quality", "gopher_repetition"), ("gopher_repetition", "gopher_quality"))
    )
    assert [a == b for a, b in zip(one, other, strict=True)] == [True, False, False]


def test_a_raised_version_changes_the_stage(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from curation.filters.gopher_quality import GopherQuality

    before = digests(recipe(given))
    monkeypatch.setattr(GopherQuality, "version", GopherQuality.version + 1)
    assert [a == b for a, b in zip(before, digests(recipe(given)), strict=True)] == [True, False, False]


def test_inputs_are_listed_once_and_in_order(given: Path) -> None:
    (given / "b.jsonl").write_text("")
    patterns = (str(given / "b*"), str(given / "*.jsonl"))
    assert [(Path(file.path).name, file.name) for file in list_inputs(patterns)] == [("a.jsonl",) * 2, ("b.jsonl",) * 2]
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


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        pytest.param(["/a/x.warc"], ["x.warc"], id="alone"),
        pytest.param(["/a/x", "/a/y", "/b/x"], ["a/x", "y", "b/x"], id="one name in two folders"),
        pytest.param(["/1/a/x", "/2/a/x", "/2/x"], ["1/a/x", "2/a/x", "2/x"], id="folders of one name"),
        pytest.param(["/x", "/a/x", "/a/a/x"], ["/x", "/a/x", "a/a/x"], id="one path is the end of another"),
        pytest.param(["x", "a/x"], ["x", "a/x"], id="without a root"),
        pytest.param(["s3://one/x", "s3://two/x", "/x"], ["one/x", "two/x", "/x"], id="other stores"),
        pytest.param(["/a/x", "/b/y", "/a/x"], ["/a/x", "y", "/a/x"], id="one file twice"),
        pytest.param([], [], id="none"),
    ],
)
def test_names_are_the_shortest_ends_that_differ(paths: list[str], names: list[str]) -> None:
    assert [file.name for file in named(InputFile(path, 1) for path in paths)] == names


@hypothesis.given(
    st.sets(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4).map("/".join), max_size=12)
)
def test_no_two_files_have_one_name_and_a_moved_folder_changes_none(paths: set[str]) -> None:
    def names(root: str) -> list[str]:
        return [file.name for file in named(InputFile(f"{root}/{path}", 1) for path in sorted(paths))]

    assert len(set(names("/here"))) == len(paths)
    moved = zip(names("/here"), names("/there"), strict=True)
    assert all(one == other or one.removeprefix("here") == other.removeprefix("there") for one, other in moved)


def test_credentials_are_not_in_an_address() -> None:
    storage.write_bytes("memory://vault/a.jsonl", b'{"text": "a"}\n')

    def address(path: str) -> Address:
        recipe = parse(SECRET % path, "m.yaml")
        return address_of(build_plan(recipe)[0], recipe, {}, {})

    first, second = (address(f"memory://me:{secret}@vault/a.jsonl") for secret in ("one", "two"))
    assert first == replace(second, units=first.units)
    assert [unit[0].path for unit in first.units] != [unit[0].path for unit in second.units]
    with pytest.raises(InputError, match=r"memory://\*\*\*@vault/a.jsonl is given twice, with different credentials"):
        list_inputs(("memory://me:one@vault/a.jsonl", "memory://me:two@vault/a.jsonl"))
