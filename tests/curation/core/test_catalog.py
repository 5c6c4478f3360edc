"""A key names its module and class; a new file is known without being registered."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from curation.core import catalog
from curation.core.errors import UserError
from curation.core.verbs import DEDUP, EXTRACT, FILTER, FIT, READ, TOKENIZE, VERBS
from curation.filters.gopher_quality import GopherQuality
from training.config.components import OPTIMIZER
from training.optim.adamw import Adamw


def test_a_key_finds_its_class() -> None:
    assert catalog.find(FILTER, "gopher_quality") is GopherQuality
    assert catalog.find(TOKENIZE, "encode").__name__ == "Encode"


def test_what_is_known() -> None:
    assert {"gopher_quality", "gopher_repetition", "language"} <= set(catalog.known(FILTER))
    assert {"warc", "jsonl", "parquet"} <= set(catalog.known(READ))
    assert {"resiliparse", "trafilatura", "etrafilatura", "cascade"} <= set(catalog.known(EXTRACT))
    assert catalog.find(EXTRACT, "cascade").__module__ == "curation.extract.cascade"
    assert {"bloom", "exact", "minhash", "substring"} <= set(catalog.known(DEDUP))
    assert not {"components", "elect", "groups", "spans"} & set(catalog.known(DEDUP))  # steps, not methods


@pytest.mark.parametrize("key", ["gopher_qualty", "__init__", "gopher-quality", "../x", ""])
def test_an_unknown_key(key: str) -> None:
    with pytest.raises(UserError, match="no filter named"):
        catalog.find(FILTER, key)


def test_a_module_without_a_component() -> None:
    with pytest.raises(
        UserError, match=r"no optimizer named 'spread'.*; training.optim.spread has no class Spread with a"
    ):
        catalog.find(OPTIMIZER, "spread")


def test_every_verb_has_parts() -> None:
    assert [verb.name for verb in VERBS.values() if not catalog.known(verb)] == []


def test_what_is_listed_without_imports_can_be_imported() -> None:
    for verb in VERBS.values():
        for key in catalog.known(verb):
            assert catalog.find(verb, key).verb is verb
            assert catalog.key_of(catalog.find(verb, key)) == key
            assert catalog.source_of(verb, key).stem == key


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, catalog.GROUP)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Says which entry points the installed packages have."""

    def install(*entries: EntryPoint) -> None:
        monkeypatch.setattr(catalog, "entry_points", lambda group: entries)
        catalog._installed.cache_clear()
        catalog._load.cache_clear()

    yield install
    monkeypatch.undo()
    catalog._installed.cache_clear()
    catalog._load.cache_clear()


def test_a_component_of_a_package_may_not_take_a_key_of_winnow(installed: Callable[..., None]) -> None:
    installed(entry("exact", "curation.filters.gopher_quality:GopherQuality"))
    with pytest.raises(
        UserError, match=r"the component 'exact' of .* has the key of winnow's own dedup exact; rename it"
    ):
        catalog.known(FILTER)


def test_nor_that_of_a_component_of_training(installed: Callable[..., None]) -> None:
    installed(entry("adamw", "training.optim.adamw:Adamw"))
    for use in (lambda: catalog.find(OPTIMIZER, "adamw"), lambda: catalog.known(OPTIMIZER)):
        with pytest.raises(UserError, match=r"'adamw' of .* has the key of winnow's own optimizer adamw; rename it"):
            use()


def test_a_package_may_give_a_class_another_key_than_its_module(installed: Callable[..., None]) -> None:
    installed(entry("mine", "training.optim.adamw:Adamw"), entry("other", "no_such_module:Other"))
    assert catalog.find(OPTIMIZER, "mine") is Adamw
    assert catalog.key_of(Adamw) == "mine"
    assert catalog.key_of(GopherQuality) == "gopher_quality"


def test_two_packages_may_not_have_one_key(installed: Callable[..., None]) -> None:
    installed(entry("mine", "a:Mine"), entry("mine", "b:Mine"))
    with pytest.raises(UserError, match="'mine' of b:Mine is in another installed package too"):
        catalog.known(FILTER)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module:Mine", "'mine' of an installed package cannot be imported: No module named"),
        ("curation.filters.gopher_quality:Mine", "cannot be imported: module .* has no attribute 'Mine'"),
        (
            "curation.core.rules:Rule",
            "is no component; it must be a frozen dataclass that derives from",
        ),
    ],
)
def test_what_is_no_component(installed: Callable[..., None], value: str, message: str) -> None:
    installed(entry("mine", value))
    with pytest.raises(UserError, match=message):
        catalog.find(FILTER, "mine")


def test_a_component_is_of_the_verb_whose_method_it_has(installed: Callable[..., None]) -> None:
    installed(entry("mine", "curation.dedup.substring:Substring"))  # has a `fit` as well
    assert "mine" in catalog.known(DEDUP)
    assert "mine" not in catalog.known(FIT)
    assert catalog.find(DEDUP, "mine").__name__ == "Substring"


def test_a_room_within_may_be_left_out() -> None:
    without = replace(READ, annex="curation.sources.left_out")
    assert set(catalog.known(READ)) - set(catalog.known(without)) >= {"email", "jats", "pdf"}
    assert {"jsonl", "warc"} <= set(catalog.known(without))
    with pytest.raises(UserError, match="no read named 'jats'"):
        catalog.find(without, "jats")
