"""Keys of recipes, stages and training configs are described like components, from what their types declare."""

import dataclasses

import pytest

from curation.core.errors import UserError
from curation.engine.recipe.recipe import TopLevel
from pipelines.component_docs import Description, components
from pipelines.setting_docs import DEDUP, RECIPE, STAGE, TRAINING, Setting, all_settings, describe
from tests.runs import winnow_here
from training.config.run import TrainConfig


@pytest.mark.parametrize(
    ("key", "place", "kind", "default"),
    [
        ("steps", TRAINING, "int", "300"),
        ("sequence_length", TRAINING, "int | None", "None"),
        ("parallel.zero", TRAINING, "int", "3"),
        ("sources", RECIPE, "dict[str, Any]", None),
        ("shards.split_mb", RECIPE, "int", "256"),
        ("max_errors", STAGE, "float", "0.01"),
        ("max_removed", DEDUP, "dict[str, float]", "{}"),
    ],
)
def test_a_key(key: str, place: str, kind: str, default: str | None) -> None:
    (one,) = describe(key)
    assert isinstance(one, Setting)
    assert (one.place, one.option.kind, one.option.default) == (place, kind, default)
    assert one.option.note


def test_what_holds_keys_lists_them() -> None:
    (parallel,) = describe("parallel")
    assert isinstance(parallel, Setting)
    assert {"parallel.zero", "parallel.tensor"} <= {one.name for one in parallel.within}


def test_what_holds_components_lists_them() -> None:
    (optimizer,) = describe("optimizer")
    assert isinstance(optimizer, Setting)
    assert {"adamw", "muon"} <= set(optimizer.components)


def test_a_name_in_several_files_is_described_for_each() -> None:
    assert [one.place for one in describe("name") if isinstance(one, Setting)] == [RECIPE, STAGE]


def test_every_key_and_component_can_be_described() -> None:
    places = {place: {one.option.name for one in all_settings() if one.place == place} for place in (RECIPE, TRAINING)}
    assert {field.name for field in dataclasses.fields(TopLevel)} <= places[RECIPE]
    assert {field.name for field in dataclasses.fields(TrainConfig)} <= places[TRAINING]
    for listing in components()[::10]:
        assert any(isinstance(one, Description) for one in describe(listing.key))


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no component or key is named 'setps'; did you mean 'steps'\?"):
        describe("setps")
    with pytest.raises(UserError, match=r"no component or key is named 'qqq'; `winnow list` shows the components$"):
        describe("qqq")


def test_an_option_is_answered_with_the_components_that_have_it() -> None:
    with pytest.raises(
        UserError, match=r"'preset' is an option of .*decoder.*; winnow describe \w+ says what it means"
    ):
        describe("preset")


def test_on_the_terminal() -> None:
    said = winnow_here("describe", "steps").stdout
    assert said.startswith("steps, key of a training config: int, default 300\n")
    assert "KEY may be one of a recipe or training config too: sources, steps" in winnow_here("list").stdout
