"""Whatever refuses a run: nothing in its folder changes, and Ray is not started."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray

from curation.core.errors import InputError, RecipeError, WinnowError
from curation.core.manifest import MANIFEST, read_manifest
from curation.core.needs import Needs
from curation.core.run_lock import only_run
from curation.engine.driver.dry_run import dry_run
from curation.engine.driver.prepare import prepare
from curation.engine.driver.runner import curate
from curation.engine.executor.inline import Inline
from curation.engine.executor.on_ray import OnRay
from curation.engine.recipe.recipe import Recipe, parse
from curation.fit.evalsets import Evalsets
from curation.rewrite import c4_lines
from curation.sources.parquet import Parquet
from tests.curation.engine.erase.redacting_runs import RedactingLines
from tests.curation.engine.inputs import text
from tests.curation.models.evalsets import HENS, SHIPS, write_rows

RECIPE = """
version: 1
name: private
privacy: {originals: until_sealed}
sources:
  web:
    - read: {jsonl: {paths: ["FOLDER/web.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: 20}}
      name: gopher
    - fit: {evalsets: {sets: {own: {files: "FOLDER/items.jsonl"}}, sizes: [13]}}
    - filter: {contamination: {evalsets: "@evalsets"}}
    - rewrite: {c4_lines: {terminal_punctuation: false, min_words: 1}}
      name: redact
    - dedup: {exact: {}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer", validation: 0.2}
    - pack: {sequence_length: 32}
    - mix: {}
"""
Change = Callable[[Path], str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs, and `run`, finished; a copy of it all lies beside it."""
    folder = tmp_path_factory.mktemp("private") / "work"
    folder.mkdir()
    rows = [{"url": f"http://a.example/{n}", "text": text(n)} for n in range(12)]
    write_rows(folder / "web.jsonl", [*rows, {"url": "http://a.example/short", "text": "too short"}])
    write_rows(folder / "items.jsonl", [{"question": HENS}])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c4_lines, "C4Lines", RedactingLines)
        assert curate(recipe_of(folder), str(folder / "run"), Inline()).complete
    (folder / "rays").mkdir()
    shutil.copytree(folder, folder.with_name("whole"))
    return folder


@pytest.fixture
def folder(finished: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As it was when the run had finished. Ray could be started, and would have its folders in `rays`."""
    monkeypatch.setattr(c4_lines, "C4Lines", RedactingLines)
    monkeypatch.setenv("RAY_TMPDIR", str(finished / "rays"))
    yield finished
    shutil.rmtree(finished)
    shutil.copytree(finished.with_name("whole"), finished)


CUT_OFF = {"when": "2026-11-21", "tombstones": 0, "texts": 0, "finished": False}


def recipe_of(folder: Path, recipe: str = RECIPE) -> Recipe:
    return parse(recipe.replace("FOLDER", str(folder)), "private.yaml")


def content(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder by its path, folders too."""
    paths = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in paths}


def with_text(old: str, new: str) -> Change:
    def change(folder: Path) -> str:
        assert old in RECIPE
        return RECIPE.replace(old, new)

    return change


def with_items(*items: dict[str, str]) -> Change:
    def change(folder: Path) -> str:
        write_rows(folder / "items.jsonl", items)
        return RECIPE

    return change


def with_json(file: str, **values: object) -> Change:
    """Other values in a JSON file of the run."""

    def change(folder: Path) -> str:
        (path,) = (folder / "run").glob(file)
        path.write_text(json.dumps(json.loads(path.read_text()) | values))
        return RECIPE

    return change


def with_a_like_address(folder: Path) -> str:
    (manifest,) = (folder / "run").glob(f"*-gopher-*/{MANIFEST}")
    address = json.loads(manifest.read_text())["address"]
    return with_json(f"*-gopher-*/{MANIFEST}", address=address[:8] + "0" * 56)(folder)


def with_damage(folder: Path) -> str:
    (folder / "run" / "run.json").write_text("{")
    return RECIPE


RECIPES = [
    pytest.param(with_text("vocab_size", "vocab_sise"), "did you mean 'vocab_size'", id="an unknown option"),
    pytest.param(with_text('"@tokenizer"', '"@tokeniser"'), "no fit stage before named", id="an unknown fit"),
    (with_text("    - dedup: {exact: {}}\n", "    - pack: {}\n"), "put it right after tokenize"),
    pytest.param(with_text("web.jsonl", "none.jsonl"), "no input matches", id="a missing input"),
    pytest.param(with_text('"@tokenizer"', "/none.json"), "/none.json", id="a missing file that a component loads"),
    pytest.param(with_text("items.jsonl", "none.jsonl"), "no input matches", id="missing files of a fit"),
    pytest.param(with_items({"prompt": HENS}), "it has no field 'question'", id="a fit's file without a field"),
    pytest.param(with_text("mix: {}", "mix: {weights: {web: 1, code: 1}}"), "code", id="a weight of no source"),
    (with_text("mix: {}", "mix: {runs: {old: /none}}"), "old is no run, /none"),
    (with_text("exact: {}}", "exact: {}}\n      against: [/none]"), "/none"),
    (with_text("exact: {}}", "exact: {}, minhash: {}}\n      against: [FOLDER/run]"), "has no minhash"),
    pytest.param(
        with_text("    - rewrite: {c4_lines: {terminal_punctuation: false, min_words: 1}}\n      name: redact\n", ""),
        "no stage of the recipe redacts",
        id="nothing that redacts",
    ),
    pytest.param(
        with_text("name: private\n", "name: private\nstorage: {s3: {key: {env: NO_SUCH}, secret: {env: NO_SUCH}}}\n"),
        "NO_SUCH is not set",
        id="a secret that is not there",
    ),
]
RUNS = [
    pytest.param(with_text("mix: {}", "mix: {tokens: 100000000}"), "tokens", id="more tokens than there are"),
    (with_text("min_words: 20", "min_words: 21"), "the originals of read are gone since"),
    (with_items({"question": SHIPS}), "the originals of gopher are gone since"),
    (with_text("name: gopher", "name: gopher\n      expect_kept: [0.99, 1]"), "outside expect_kept"),
    pytest.param(
        with_json("run.json", takedowns=[CUT_OFF]),
        "was cut off",
        id="a takedown cut off",
    ),
    pytest.param(with_json("run.json", format=99), "has format 99", id="a run of another format"),
    pytest.param(with_json(f"*-read-*/{MANIFEST}", format=99), "has format 99", id="a stage of another format"),
    pytest.param(with_a_like_address, "belongs to another stage", id="a stage with a like address"),
    pytest.param(with_damage, "run.json", id="a damaged run.json"),
]


@pytest.mark.parametrize(("change", "message"), RECIPES + RUNS)
def test_what_is_refused_leaves_the_run_as_it_was(folder: Path, change: Change, message: str) -> None:
    recipe = change(folder)
    run = folder / "run"
    before = content(run)
    for refused in (curate_anew, plan_anew):
        with pytest.raises(WinnowError) as raised:
            refused(folder, recipe, "run")
        assert message in str(raised.value)
    assert content(run) == before
    assert not ray.is_initialized()
    assert list((folder / "rays").iterdir()) == []


def test_a_recipe_that_is_refused_makes_no_folder(folder: Path) -> None:
    write_rows(folder / "items.jsonl", [{"prompt": HENS}])
    with pytest.raises(WinnowError, match="it has no field 'question'"):
        curate_anew(folder, RECIPE, "new")
    assert not (folder / "new").exists()


def curate_anew(folder: Path, recipe: str, run: str) -> None:
    with OnRay() as executor:
        curate(recipe_of(folder, recipe), str(folder / run), executor)


def plan_anew(folder: Path, recipe: str, run: str) -> None:
    dry_run(recipe_of(folder, recipe), str(folder / run))


def test_more_than_this_machine_has_is_refused_without_starting_ray_on_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Evalsets, "needs", lambda fit: Needs(memory=10**15))
    with pytest.raises(WinnowError, match=r"evalsets asks for 1 cores, 1000000\.0 GB of memory"):
        curate_anew(folder, RECIPE, "new")
    assert not (folder / "new").exists()
    assert list((folder / "rays").iterdir()) == []
    curate_anew(folder, RECIPE, "run")  # where it is sealed, nothing asks for it


MORE = RECIPE.replace("vocab_size: 300", "vocab_size: 301")


def test_a_cluster_that_does_not_answer_or_whose_nodes_lack_something(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise ConnectionError("nobody is there")

    def lacks() -> None:
        raise InputError("the node n has no winnow")

    before = content(folder / "run")
    monkeypatch.setattr(ray, "init", refuse)
    for run in ("run", "new"):
        with pytest.raises(InputError, match="no Ray cluster answers at nowhere:1"):
            curate(recipe_of(folder, MORE), str(folder / run), OnRay("nowhere:1"))
    monkeypatch.setattr(OnRay, "start", lambda self: None)
    with pytest.raises(InputError, match="the node n has no winnow"):
        curate(recipe_of(folder, MORE), str(folder / "run"), OnRay("head:1", check_nodes=lacks))
    assert content(folder / "run") == before
    assert not (folder / "new").exists()


def test_a_folder_that_another_process_holds(folder: Path) -> None:
    with only_run(str(folder / "run")):
        before = content(folder / "run")
        with pytest.raises(InputError, match="another winnow is running in"):
            curate_anew(folder, MORE, "run")
        assert content(folder / "run") == before
    assert list((folder / "rays").iterdir()) == []


def test_where_nothing_is_to_run_nothing_is_claimed_and_ray_is_not_started(folder: Path) -> None:
    before = content(folder / "run")
    assert prepare(recipe_of(folder), str(folder / "run")).finished
    curate(recipe_of(folder), str(folder / "run"), OnRay("nowhere:1"))
    curate_anew(folder, RECIPE, "run")
    assert content(folder / "run") == before
    assert list((folder / "rays").iterdir()) == []


def test_a_fit_that_is_made_again_as_it_was_is_no_reason_to_refuse(folder: Path) -> None:
    """What comes after it is sealed, although it can only be found once the fit has run."""
    (manifest,) = (folder / "run").glob(f"*-evalsets-*/{MANIFEST}")
    manifest.unlink()
    prepared = prepare(recipe_of(folder), str(folder / "run"))
    assert [node.name for node in prepared.unsealed][:2] == ["evalsets", "contamination"]


def test_what_a_run_says_before_it_works(folder: Path) -> None:
    whole, new = (prepare(recipe_of(folder), str(folder / run)) for run in ("run", "new"))
    size = (folder / "web.jsonl").stat().st_size
    assert whole.line() == f"1 input file, {size / 1000:.1f} kB; 10 of 10 stages are sealed"
    assert new.line() == f"1 input file, {size / 1000:.1f} kB; 0 of 10 stages are sealed"
    assert new.has_units
    assert not new.finished


PARQUET = """
version: 1
sources:
  web:
    - read: {parquet: {paths: ["%s"]%s}}%s
"""


def of_parquet(folder: Path, paths: str = "*.parquet", fields: str = "", beside: str = "") -> Recipe:
    return parse(PARQUET % (folder / paths, fields, beside), "m.yaml")


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    """The second of three files has two columns of one name."""
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table([["x"], ["y"]], names=["text", "text"]), tmp_path / "dict.parquet")
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "z.parquet")
    return tmp_path


def test_an_input_that_cannot_be_read_is_refused_by_its_name(dictionary: Path) -> None:
    output = str(dictionary / "run")
    with pytest.raises(InputError, match=r"^\S*/dict.parquet has 2 columns 'text'") as raised:
        prepare(of_parquet(dictionary), output)
    assert not isinstance(raised.value, RecipeError), "the recipe does not have its name"
    with pytest.raises(RecipeError, match=r"^m.yaml:5: .*/dict.parquet has 2 columns"):
        prepare(of_parquet(dictionary, "dict.parquet"), output)
    with pytest.raises(RecipeError, match=r"^m.yaml:5: .*/a.parquet has no column 'address'"):
        prepare(of_parquet(dictionary, "a.parquet", ", url: address"), output)
    assert not Path(output).exists()


def test_an_input_that_may_be_passed_over_is_counted_when_it_is_read(dictionary: Path) -> None:
    allowed = of_parquet(dictionary, beside="\n      max_failed_inputs: 1")
    (stage,) = curate(allowed, str(dictionary / "run"), Inline()).stages
    sealed = read_manifest(str(dictionary / "run" / stage.folder))
    assert sealed is not None
    assert sealed.total("rows") == 2
    assert [fault["file"].rpartition("/")[2] for fault in sealed.shards.faults] == ["dict.parquet"]


def test_inputs_of_a_sealed_stage_are_not_looked_at(dictionary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = of_parquet(dictionary, "a.parquet")
    looked = list[Sequence[str]]()
    curate(recipe, str(dictionary / "run"), Inline())
    monkeypatch.setattr(Parquet, "check", lambda self, paths: looked.append(paths))
    prepare(recipe, str(dictionary / "run"))
    assert looked == []
    prepare(recipe, str(dictionary / "other"))
    assert looked == [[str(dictionary / "a.parquet")]]
