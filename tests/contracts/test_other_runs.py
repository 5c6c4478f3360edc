"""Wherever a recipe reads another run, what was taken down there stays out: a new place without that fails here."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import UserError
from curation.core.settings import YamlFile
from curation.engine.driver.prepare import prepare
from curation.engine.recipe.recipe import from_document
from pipelines import api

CURATION = Path(__file__).resolve().parents[2] / "curation"
ROOMS = ("sources", "extract", "filters", "rewrite", "dedup", "generate", "models", "fit", "tokens", "engine")
OPENERS = {"read_run", "read_manifest", "run_around", "find_earlier", "folders_of", "other_packs"}
# Modules of the rooms that make data, in which a run or a stage is opened, and which run that is. "other" is another
# run: what leads there must be among the folders that `curation/engine/recipe/removed.py` looks at, and in PLACES.
OPENED = {
    "engine/dedup/dedup_stage.py": "other: against",
    "engine/driver/prepare.py": "its own",
    "engine/driver/runner.py": "its own",
    "engine/driver/state.py": "its own",
    "engine/erase/takedown.py": "the one in which documents are taken down",
    "engine/recipe/address.py": "other: against",
    "engine/recipe/assets.py": "its own",
    "engine/recipe/dedup_checks.py": "other: against",
    "engine/recipe/earlier_runs.py": "other: against",
    "engine/recipe/mix_checks.py": "other: runs of a mix",
    "engine/recipe/removed.py": "other: any, for its takedowns",
    "engine/recipe/taken_keys.py": "other: any, for keys of what was taken down",
    "engine/removed/tombstones.py": "its own",
    "engine/sizing/growth.py": "a sample, of which it reads sizes",
}
PACK: list[dict[str, Any]] = [{"pack": {"sequence_length": 16}}]


def test_every_module_that_opens_a_run_is_known() -> None:
    found = set()
    for path in (path for room in ROOMS for path in (CURATION / room).rglob("*.py")):
        calls = (node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        if any(isinstance(name, ast.Name) and name.id in OPENERS for name in calls):
            found.add(str(path.relative_to(CURATION)))
    assert found == set(OPENED)


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which a document was taken down, and beside it the input of another."""
    home = tmp_path_factory.mktemp("taken")
    for name, numbers in (("m1", range(4)), ("m2", range(9, 12))):
        pages = [{"url": f"https://example.org/{n}", "text": f"Text {n}, of {n * n} words."} for n in numbers]
        (home / f"{name}.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    stages: list[dict[str, Any]] = [
        {"dedup": {"exact": {}, "bloom": {"expected_items": 9}}},
        {"fit": {"tokenizer": {"vocab_size": 260}}},
        {"tokenize": {"tokenizer": "@tokenizer"}},
    ]
    api.curate(recipe(home, "m1", *stages, *PACK), home / "m1", executor=api.Inline())
    (home / "urls.txt").write_text("https://example.org/1\n")
    api.takedown(home / "m1", urls=home / "urls.txt")
    return home


def recipe(home: Path, name: str, *stages: dict[str, Any], paths: str = "") -> dict[str, Any]:
    reader = "parquet" if paths else "jsonl"
    read = {"read": {reader: {"paths": [paths or str(home / f"{name}.jsonl")], "url": "url"}}}
    return {"version": 1, "name": name, "sources": {"web": [read, *stages]}}


def inside(home: Path, pattern: str) -> str:
    return str(next(iter(sorted((home / "m1").glob(pattern)))))


def mixed(home: Path) -> dict[str, Any]:
    tokenizer = {"tokenize": {"tokenizer": inside(home, "*-pack-*/tokenizer.json")}}
    return recipe(home, "m2", tokenizer, *PACK, {"mix": {"runs": {"old": str(home / "m1")}}})


PLACES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "files of a source": lambda home: recipe(home, "m2", paths=inside(home, "01-*/part-*.parquet")),
    "a folder of a source": lambda home: recipe(home, "m2", paths=inside(home, "01-*")),
    "a glob of a source": lambda home: recipe(home, "m2", paths=f"{home}/m?/01-*/part-*.parquet"),
    "against a run": lambda home: recipe(home, "m2", {"dedup": {"exact": {}}, "against": [str(home / "m1")]}),
    "against a stage": lambda home: recipe(
        home, "m2", {"dedup": {"exact": {}}, "against": [inside(home, "*-dedup-*")]}
    ),
    "a Bloom filter": lambda home: recipe(
        home, "m2", {"dedup": {"bloom": {"against": [inside(home, "*-dedup-*/bloom")]}}}
    ),
    "a file that an option names": lambda home: recipe(
        home, "m2", {"tokenize": {"tokenizer": inside(home, "*-tokenizer-*/tokenizer.json")}}
    ),
    "examples of a fit": lambda home: recipe(
        home, "m2", {"fit": {"dsir": {"target": [inside(home, "01-*/part-*.parquet")]}}}
    ),
    "a mix": mixed,
}


@pytest.mark.parametrize("place", PLACES)
def test_takedowns_hold_wherever_a_run_is_read(place: str, taken: Path) -> None:
    parsed = from_document(YamlFile("recipe", PLACES[place](taken), {}))
    state = prepare(parsed, str(taken / "m2")).state
    assert state.reads == (str(taken / "m1"),)
    (found,) = state.removals
    assert (found.of, found.documents, len(found.texts), len(found.urls)) == (str(taken / "m1"), 1, 1, 1)


def test_a_takedown_that_was_cut_off_is_finished_first(taken: Path, tmp_path: Path) -> None:
    record = json.loads((taken / "m1" / "run.json").read_text())
    record["takedowns"][0]["finished"] = False
    (tmp_path / "m1").mkdir()
    (tmp_path / "m1" / "run.json").write_text(json.dumps(record))
    (tmp_path / "m1" / "pages.jsonl").write_bytes((taken / "m2.jsonl").read_bytes())
    read = {"read": {"jsonl": {"paths": [f"{tmp_path}/m1/*.jsonl"]}}}
    with pytest.raises(UserError, match=r"a takedown in .*m1 was cut off; run the same `winnow takedown` again"):
        api.plan({"version": 1, "name": "m2", "sources": {"web": [read]}}, tmp_path / "m2")
