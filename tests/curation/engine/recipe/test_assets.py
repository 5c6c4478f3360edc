"""Assets: fitted ones take the place of @names, given paths become absolute, content and not place is hashed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from curation.core.component import Component
from curation.core.verbs import FILTER, Verb
from curation.engine.recipe import assets


@dataclass(frozen=True, kw_only=True)
class Loads(Component):
    """A component with one asset; "built-in" stands for an embedded one."""

    model: str = "built-in"
    limit: int = 3
    paths: tuple[str, ...] = ("elsewhere",)
    version: ClassVar[int] = 1

    def assets(self) -> dict[str, str]:
        return {"model": "/embedded/model" if self.model == "built-in" else self.model}


@dataclass(frozen=True, kw_only=True)
class Grown(Component):
    """A component that got an option after it was used."""

    limit: int = 3
    margin: int = 0
    added: ClassVar[tuple[str, ...]] = ("margin",)


@dataclass(frozen=True, kw_only=True)
class Holds(Component):
    """A component that holds others."""

    judge: Mapping[str, Any]
    limit: int = 7
    holds: ClassVar[Mapping[str, Verb]] = {"judge": FILTER}


def test_fitted_assets_replace_names() -> None:
    part = Loads(model="@fitted")
    assert assets.fits_named(part) == {("model",): "fitted"}
    assert assets.substitute(part, {"other": "/x"}) == part
    found = assets.substitute(part, {"fitted": "/run/05-fit/model"})
    assert found == Loads(model="/run/05-fit/model")
    assert assets.fits_named(found) == {}
    several = Holds(judge={"en": "@english", "de": "@german", "fr": "fr.arpa"})
    assert assets.fits_named(several) == {("judge", "en"): "english", ("judge", "de"): "german"}
    found_several = assets.substitute(several, {"english": "/run/en", "german": "/run/de"})
    assert found_several.judge == {"en": "/run/en", "de": "/run/de", "fr": "fr.arpa"}


def test_an_option_that_came_later_counts_once_it_is_given() -> None:
    assert assets.address_config((("grown", Grown(limit=4)),)) == {"grown": {"limit": 4}}
    assert assets.address_config((("grown", Grown(margin=1)),)) == {"grown": {"limit": 3, "margin": 1}}


def test_given_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert assets.located(Loads(model="a/model")).model == str(tmp_path / "a/model")
    assert assets.located(Loads(model="s3://b/model")).model == "s3://b/model"
    assert assets.located(Loads()).model == "built-in"


def test_content_is_hashed_and_places_are_not(tmp_path: Path) -> None:
    one = tmp_path / "one"
    two = tmp_path / "two"
    one.write_bytes(b"same")
    two.write_bytes(b"same")
    parts = [(("loads", Loads(model=str(path))),) for path in (one, two)]
    expected = {"loads.model": hashlib.sha256(b"same").hexdigest()}
    assert [assets.hashes(part) for part in parts] == [expected, expected]
    assert [assets.address_config(part) for part in parts] == [{"loads": {"limit": 3}}] * 2


def test_components_that_a_component_holds_are_located_and_hashed_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").write_bytes(b"same")
    part = Holds(judge={"loads": Loads(model="model"), "other": Loads(model="model", limit=4)})
    assert [one.model for one in assets.located(part).judge.values()] == [str(tmp_path / "model")] * 2
    parts = assets.unfolded((("holds", part),))
    assert [key for key, _ in parts] == ["holds", "holds.judge.loads", "holds.judge.other"]
    assert set(assets.hashes(parts)) == {"holds.judge.loads.model", "holds.judge.other.model"}
    assert assets.address_config(parts) == {
        "holds": {"limit": 7},
        "holds.judge.loads": {"limit": 3},
        "holds.judge.other": {"limit": 4},
    }
