"""Recipes of objects: steps and mappings with components are the same recipes as files, with the same addresses."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import winnow
from curation.core import function_filter
from curation.core.component import Signals
from curation.core.errors import RecipeError, UserError
from pipelines.api import read_recipe, read_train_config
from pipelines.recipe_objects import document_of

READ = {"read": {"jsonl": {"paths": ["texts.jsonl"]}}}
GOPHER = winnow.filters.GopherQuality(min_words=30)
HALVES = function_filter.filter(lambda text: len(text) / 2, name="halves", max_value=4.5)


@dataclass(frozen=True, kw_only=True)
class Shouting(winnow.Filter):
    """A filter of a user's own."""

    max_capitals: float = 0.5

    limits: ClassVar[tuple[winnow.Limit, ...]] = (winnow.Limit("capitals", most="max_capitals"),)

    def signal_types(self) -> Signals:
        return {"capitals": pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        shares = [sum(map(str.isupper, text)) / len(text) for text in batch.column("text").to_pylist()]
        return {"capitals": pa.array(shares, pa.float64())}


def recipe(*stages: Any) -> dict[str, Any]:
    return {"version": 1, "name": "mine", "sources": {"web": [READ, *stages]}}


@pytest.mark.parametrize(
    ("stage", "written"),
    [
        pytest.param(GOPHER, {"filter": {"gopher_quality": {"min_words": 30}}}, id="a component"),
        pytest.param({"filter": GOPHER}, {"filter": {"gopher_quality": {"min_words": 30}}}, id="beside its verb"),
        pytest.param(
            {"filter": [GOPHER, HALVES], "name": "two"},
            {"filter": {"gopher_quality": {"min_words": 30}, "halves": {"max_value": 4.5}}, "name": "two"},
            id="two beside their verb",
        ),
        pytest.param(
            [winnow.filters.C4Quality(), GOPHER],
            {"filter": {"c4_quality": {}, "gopher_quality": {"min_words": 30}}},
            id="a list of one verb",
        ),
        pytest.param(
            {"filter": {"gopher_quality": GOPHER}}, {"filter": {"gopher_quality": {"min_words": 30}}}, id="by its key"
        ),
        pytest.param(winnow.dedup.Exact(), {"dedup": {"exact": {}}}, id="a method"),
        pytest.param(winnow.tokens.Encode(tokenizer="t.json"), {"tokenize": {"tokenizer": "t.json"}}, id="a sole one"),
        pytest.param(
            {"pack": winnow.tokens.Pack(sequence_length=64)}, {"pack": {"sequence_length": 64}}, id="its verb"
        ),
        pytest.param(Shouting(max_capitals=0.2), {"filter": {"shouting": {"max_capitals": 0.2}}}, id="one's own"),
        pytest.param(
            winnow.filters.GopherQuality(by_language={"de": {"max_mean_word_length": 14}}),
            {"filter": {"gopher_quality": {"by_language": {"de": {"max_mean_word_length": 14.0}}}}},
            id="by language",
        ),
    ],
)
def test_an_object_is_written_as_its_options(stage: Any, written: dict[str, Any]) -> None:
    document = document_of(recipe(stage))
    assert document == recipe(written)
    read_recipe(recipe(stage))


def test_steps_are_the_chain_of_one_source() -> None:
    steps = [winnow.sources.Jsonl(paths=("texts.jsonl",)), GOPHER, {"dedup": {"exact": {}}}]
    chain = [READ, {"filter": {"gopher_quality": {"min_words": 30}}}, {"dedup": {"exact": {}}}]
    assert document_of(steps) == {
        "version": 1,
        "name": "texts",
        "sources": {"texts": [{"read": {"jsonl": {"paths": ["texts.jsonl"]}}}, *chain[1:]]},
    }
    assert read_recipe(steps).sources["texts"][1].components == (("gopher_quality", GOPHER),)


def test_a_component_that_holds_others() -> None:
    cascade = winnow.extract.Cascade(
        first={"resiliparse": winnow.extract.Resiliparse()},
        then={"trafilatura": winnow.extract.Trafilatura()},
        judge={"gopher_quality": GOPHER},
    )
    options = document_of(recipe(cascade))["sources"]["web"][1]["extract"]["cascade"]
    assert options == {
        "first": {"resiliparse": {}},
        "then": {"trafilatura": {}},
        "judge": {"gopher_quality": {"min_words": 30}},
    }


def test_options_that_follow_from_others() -> None:
    method = winnow.dedup.Minhash(threshold=0.6)
    assert read_recipe(recipe(method)).sources["web"][1].components == (("minhash", method),)


def test_a_wrong_option_of_an_object_names_its_place() -> None:
    wrong = winnow.filters.GopherQuality(min_words="many")  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match=r"sources.web.1.filter.gopher_quality.min_words: expected a whole number"):
        read_recipe(recipe(wrong))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        pytest.param(winnow.filters.GopherQuality, "the class GopherQuality, without (), is no step", id="a class"),
        pytest.param(len, "the function len, without @winnow.filter, is no step", id="a function"),
        pytest.param(3, "3 is no step; give a component such as", id="a number"),
        pytest.param(None, "None is no step", id="nothing"),
        pytest.param([GOPHER, winnow.dedup.Exact()], "of components of one verb; got 2", id="two verbs"),
        pytest.param([GOPHER, GOPHER], "a stage takes each component once", id="one component twice"),
        pytest.param(winnow.optim.Adamw(), "optimizer", id="a component of training"),
    ],
)
def test_what_is_no_step(step: Any, message: str) -> None:
    with pytest.raises(UserError) as raised:
        read_recipe([winnow.sources.Jsonl(paths=("a.jsonl",)), step])
    assert message in str(raised.value)


def test_two_functions_of_one_name() -> None:
    other = function_filter.filter(lambda text: len(text), name="halves", max_value=4)
    with pytest.raises(RecipeError, match="halves names two different components; rename one"):
        read_recipe(recipe(HALVES, other))


def test_a_training_config_of_objects() -> None:
    given = {"steps": 300, "optimizer": winnow.optim.Lion(learning_rate=1e-3), "objective": winnow.objectives.Causal()}
    written = {"steps": 300, "optimizer": {"lion": {"learning_rate": 1e-3}}, "objective": {"causal": {}}}
    assert read_train_config(given) == read_train_config(written)


def test_one_step_and_steps_that_read_nothing() -> None:
    assert document_of(GOPHER) == document_of([GOPHER])
    for steps in (GOPHER, [GOPHER], []):
        with pytest.raises(
            RecipeError, match=r"the steps read nothing: give texts, as in winnow.curate\(steps, texts\)"
        ):
            read_recipe(steps)
