"""Shares by tokens: realised within one row, budgets at their limit and one past it, phases, epochs and other runs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import RecipeError, UserError
from curation.tokens.mix import MOST_EPOCHS, Mix, index_bytes
from curation.tokens.mixing.phases import Phase
from tests.support import refusal

SHAPE = {
    "row_tokens": 11, "dtype": "uint16", "vocabulary": 1000, "begin_of_text": None, "end_of_text": 0, "padding": 1,
    "tokenizer": {"file": "tokenizer.json", "blake2b": "ab"},
}  # fmt: skip


def section(**rows: int) -> dict[str, Any]:
    """Of a concat pack; a name like web__en is the sub-source web/en."""
    counts = {source.replace("__", "/"): count for source, count in rows.items()}
    sources = {source: {"train": {"rows": count}} for source, count in counts.items()}
    parts = [{"source": source, "split": "train", "rows": count} for source, count in counts.items()]
    parts = [{**part, "name": f"tokens-{i:05d}", "padding": 0} for i, part in enumerate(parts)]
    return {**SHAPE, "method": "concat", "sources": sources, "parts": parts}


PACKS = [("05-web", section(web=600)), ("06-rest", section(code=300, books=100))]
THIRDS = {"web": 0.5, "code": 0.25, "books": 0.25}


def taken(mix: Mix, packs: Any = PACKS) -> dict[str, int]:
    return {entry["source"]: entry["rows"] for entry in mix.build(packs)["entries"]}


def by_phase(mix: Mix, packs: Any = PACKS) -> list[dict[str, int]]:
    index = mix.build(packs)
    return [
        {entry["source"]: entry["rows"] for entry in index["entries"] if entry["phase"] == number}
        for number in range(len(index["phases"]))
    ]


def test_without_weights_a_budget_is_shared_by_size() -> None:
    assert taken(Mix(tokens=1000)) == {"books": 10, "code": 30, "web": 60}


def test_without_a_budget_the_scarcest_source_decides() -> None:
    assert taken(Mix(weights=THIRDS)) == {"books": 100, "code": 100, "web": 200}


def test_weight_0_leaves_a_source_out() -> None:
    index = Mix(weights={"web": 1, "code": 0, "books": 0}).build(PACKS)
    assert [entry["source"] for entry in index["entries"]] == ["web"]
    assert index["leaves"] == [{"source": "web", "available": 600}]


def test_the_largest_budget_and_one_row_more() -> None:
    assert taken(Mix(weights=THIRDS, tokens=4_009)) == {"books": 100, "code": 100, "web": 200}
    with pytest.raises(UserError, match=r"4,010 tokens .* repeat books .* largest possible budget is 4,000 tokens"):
        Mix(weights=THIRDS, tokens=4_010).build(PACKS)


def test_more_epochs_allow_a_larger_budget() -> None:
    twice = Mix(weights=THIRDS, max_epochs={"books": 2.5})
    assert taken(twice) == {"books": 250, "code": 250, "web": 500}
    assert taken(Mix(weights=THIRDS, max_epochs=0.5)) == {"books": 50, "code": 50, "web": 100}


def test_the_smallest_budget_and_one_token_less() -> None:
    assert sum(taken(Mix(tokens=10)).values()) == 1
    with pytest.raises(UserError, match="not one row of 10 tokens"):
        Mix(tokens=9).build(PACKS)


def test_what_a_source_lacks_the_others_give() -> None:
    capped = Mix(weights=THIRDS, tokens=6_000, exhausted="cap")
    assert taken(capped) == {"books": 100, "code": 167, "web": 333}
    report = {line["source"]: line for line in capped.build(PACKS)["report"]}
    assert [report[source]["capped"] for source in ("books", "code", "web")] == [True, False, False]
    assert (report["books"]["weight"], report["books"]["target_tokens"], report["books"]["epochs"]) == (0.25, 1000, 1)


def test_a_budget_beyond_everything_is_capped_too_and_says_so() -> None:
    (phase,) = Mix(weights=THIRDS, tokens=10_010, exhausted="cap").build(PACKS)["phases"]
    assert phase == {"name": "mix", "rows": 1000, "tokens": 10_000, "target_tokens": 10_010, "short": True}
    (phase,) = Mix(tokens=10_009, exhausted="cap").build(PACKS)["phases"]
    assert not phase["short"]


def test_balance_of_languages_within_a_source() -> None:
    packs = [("05-pack", section(web__en=900, web__de=90, web__fr=10, code=500))]
    weights = {"web": 0.5, "code": 0.5}
    assert taken(Mix(weights=weights, tokens=2_000), packs) == {"code": 100, "web/de": 9, "web/en": 90, "web/fr": 1}
    even = Mix(weights=weights, tokens=2_000, temperature=math.inf, max_epochs={"web/fr": 4})
    assert taken(even, packs) == {"code": 100, "web/de": 34, "web/en": 33, "web/fr": 33}


LANGUAGES = [("05-pack", section(web__en=300, web__de=100, forum__en=100, forum__de=300, books=50))]


def test_weights_of_a_label_of_all_sources() -> None:
    mix = Mix(weights={"*/en": 80, "*/de": 20, "others": 0}, tokens=1_000)
    assert taken(mix, LANGUAGES) == {"forum/de": 15, "forum/en": 20, "web/de": 5, "web/en": 60}
    assert [leaf["source"] for leaf in mix.build(LANGUAGES)["leaves"]] == ["forum/de", "forum/en", "web/de", "web/en"]


def test_a_weight_of_its_own_goes_before_that_of_the_label() -> None:
    mix = Mix(weights={"*/en": 1, "web/en": 2, "forum/de": 0, "others": 1}, tokens=800)
    assert taken(mix, LANGUAGES) == {"books": 7, "forum/en": 20, "web/de": 13, "web/en": 40}


def test_others_that_are_none_take_nothing() -> None:
    weights = {"web": 1, "forum": 1, "books": 2, "others": 4}
    assert taken(Mix(weights=weights, tokens=400), LANGUAGES) == taken(
        Mix(weights={**weights, "others": 0}, tokens=400), LANGUAGES
    )


def test_epochs_of_a_label_of_all_sources() -> None:
    mix = Mix(weights={"*/en": 1, "*/de": 3, "books": 0}, max_epochs={"*/de": 3})
    assert taken(mix, LANGUAGES) == {"forum/de": 900, "forum/en": 100, "web/de": 300, "web/en": 300}


def test_a_leaf_without_a_weight_is_refused() -> None:
    with pytest.raises(
        RecipeError, match=r"no weight for source 'books'; give it one \(0 leaves it out\), or 'others' one"
    ):
        Mix(weights={"*/en": 1, "*/de": 1}).build(LANGUAGES)


def test_phases_go_on_where_the_one_before_stopped() -> None:
    phases = (
        Phase(name="main", share=0.75),
        Phase(name="anneal", share=0.25, weights={"books": 1, "web": 1, "code": 0}, temperature=1),
    )
    index = Mix(weights=THIRDS, tokens=2_000, phases=phases).build(PACKS)
    assert by_phase(Mix(weights=THIRDS, tokens=2_000, phases=phases)) == [
        {"books": 38, "code": 37, "web": 75}, {"books": 25, "web": 25},
    ]  # fmt: skip
    assert [(one["name"], one["rows"], one["tokens"]) for one in index["phases"]] == [
        ("main", 150, 1500), ("anneal", 50, 500),
    ]  # fmt: skip
    firsts = [entry["first"] for entry in index["entries"]]
    assert firsts == [0, 0, 0, 38, 75]
    assert [line["phase"] for line in index["report"]] == ["main"] * 3 + ["anneal"] * 3


def test_phases_in_tokens() -> None:
    phases = (Phase(name="a", tokens=600), Phase(name="b", tokens=300, weights={"web": 0, "code": 1, "books": 0}))
    assert by_phase(Mix(phases=phases)) == [{"books": 6, "code": 18, "web": 36}, {"code": 30}]
    too_much = (phases[0], Phase(name="b", tokens=3000, weights={"web": 0, "code": 1, "books": 0}))
    with pytest.raises(UserError, match=r"3,600 tokens .* repeat code .* largest possible budget is 3,390 tokens"):
        Mix(phases=too_much).build(PACKS)


def test_report_compares_target_and_realised() -> None:
    report = Mix(weights={"web": 2, "code": 1, "books": 0}, tokens=1000).build(PACKS)["report"]
    assert [(one["source"], one["rows"], one["tokens"]) for one in report] == [
        ("books", 0, 0), ("code", 33, 330), ("web", 67, 670),
    ]  # fmt: skip
    assert [round(one["target_tokens"], 2) for one in report] == [0, 333.33, 666.67]
    assert [one["available_rows"] for one in report] == [100, 300, 600]
    assert [one["available_tokens"] for one in report] == [1000, 3000, 6000]
    assert [one["epochs"] for one in report] == [0, 0.11, 67 / 600]


def test_index_holds_what_the_reader_needs_and_is_stable() -> None:
    index = Mix(seed=5).build(PACKS)
    assert {key: index[key] for key in SHAPE} == SHAPE
    assert (index["format"], index["format_version"], index["seed"]) == ("winnow-mix", 3, 5)
    assert (index["packs"], index["runs"]) == (["05-web", "06-rest"], {})
    assert index["leaves"][0] == {"source": "books", "available": 100}
    assert index["entries"][0] == {"source": "books", "phase": 0, "first": 0, "rows": 100}
    assert json.loads(index_bytes(index)) == index


def test_a_source_in_two_packs_is_one_source() -> None:
    assert taken(Mix(), [("05-a", section(web=3)), ("06-b", section(web=4))]) == {"web": 7}


def test_sources_of_another_run_have_its_name_before_theirs() -> None:
    runs = {"old": [("/runs/2024/05-pack", section(web=100, code=100))]}
    mix = Mix(weights={"web": 0.5, "code": 0, "books": 0, "old/web": 0.25, "old/code": 0.25}, tokens=400)
    index = mix.build(PACKS, runs=runs)
    assert {entry["source"]: entry["rows"] for entry in index["entries"]} == {"old/code": 10, "old/web": 10, "web": 20}
    assert index["packs"] == ["05-web", "06-rest", "/runs/2024/05-pack"]
    assert index["runs"] == {"old": ["/runs/2024/05-pack"]}
    whole = Mix(weights={"web": 1, "code": 0, "books": 0, "old": 1}, tokens=400).build(PACKS, runs=runs)
    assert {entry["source"]: entry["rows"] for entry in whole["entries"]} == {"old/code": 10, "old/web": 10, "web": 20}


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        pytest.param({"weights": {**THIRDS, "wiki": 1}}, "weights names 'wiki', which no pack holds", id="unknown"),
        pytest.param({"weights": {**THIRDS, "web/en": 1, "web": 0}}, "already covers 'web/en'", id="twice"),
        pytest.param({"weights": {"web": 1, "code": 1}}, "no weight for source 'books'", id="left out"),
        pytest.param({"max_epochs": {"wikis": 1}}, "max_epochs names 'wikis', which no pack holds", id="epochs"),
        pytest.param({"phases": (Phase(name="a", share=1, weights={"x": 1}),)}, "names 'x'", id="in a phase"),
        pytest.param({"phases": (Phase(name="a", share=1, weights={"web": 1}),)}, "no weight for", id="left out there"),
    ],
)
def test_names_must_match(mix: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Mix(**mix).build(PACKS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"weights": {"web": float("nan")}}, "the weight of 'web' is nan", id="no number"),
        pytest.param({"weights": {}}, "every weight is 0", id="no weights"),
        pytest.param({"temperature": 0.0099}, "the temperature is 0.0099; it must be at least 0.01", id="too cold"),
        pytest.param({"temperature": float("nan")}, "the temperature is nan", id="temperature no number"),
        pytest.param({"tokens": 0}, "tokens is 0; give at least 1", id="a budget of 0"),
        pytest.param({"max_epochs": 0}, "max_epochs is 0; it must be above 0", id="no epochs"),
        pytest.param({"max_epochs": {"web": 0}}, "max_epochs of 'web' is 0", id="no epochs of a source"),
        pytest.param({"max_epochs": MOST_EPOCHS + 1}, "at most 10,000", id="too many epochs"),
        pytest.param({"max_epochs": {"web": 2, "web/en": 1}}, "'web' already covers", id="epochs given twice"),
        pytest.param({"exhausted": "cap"}, "exhausted: cap has no effect without tokens", id="cap without a budget"),
        pytest.param(
            {"weights": {"a": 1}, "phases": (Phase(name="x", share=1, weights={"a": 1}),)},
            "weights has no effect: every phase has its own",
            id="weights that no phase uses",
        ),
        pytest.param(
            {"temperature": 2, "phases": (Phase(name="x", share=1, temperature=1),)},
            "temperature has no effect: every phase has its own",
            id="temperature that no phase uses",
        ),
        pytest.param({"runs": {"a/b": "x"}}, "runs: 'a/b' cannot name a run", id="name of a run"),
        pytest.param({"runs": {"..": "x"}}, r"runs: '\.\.' cannot name a run", id="run named by dots"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Mix(**options)


@pytest.mark.parametrize(
    ("options", "split", "names"),
    [
        pytest.param({"temperature": 3.0, "weights": THIRDS}, {}, "^temperature", id="a weight for each"),
        pytest.param(
            {"temperature": 3.0, "weights": {"web/en": 1, "code": 1}}, {"web": None}, "^temperature", id="for each part"
        ),
        pytest.param(
            {"weights": THIRDS, "phases": (Phase(name="a", share=1, temperature=3.0),)},
            {},
            "^phase 'a'",
            id="in a phase",
        ),
        pytest.param(
            {
                "temperature": 3.0,
                "weights": {"web": 1, "code": 1},
                "phases": (Phase(name="a", share=1, weights=THIRDS | {"web": 0}),),
            },
            {"web": None},
            "has no effect",
            id="no phase takes what it shares out",
        ),
    ],
)
def test_a_temperature_that_shares_nothing_out(options: dict[str, Any], split: Any, names: str) -> None:
    with pytest.raises(RecipeError, match=names):
        Mix(**options).check_temperature(["web", "code", "books"], split)


def test_a_temperature_that_shares_something_out() -> None:
    leaves = ["web", "code", "books"]
    weights = {"web": 1.0, "code": 1.0, "books": 1.0}
    assert refusal(Mix(temperature=3.0).check_temperature, leaves, {}) is None
    assert refusal(Mix(temperature=3.0, weights=weights).check_temperature, leaves, {"web": None}) is None
    assert refusal(Mix(temperature=3.0, weights=weights).check_temperature, leaves, {}) is not None
    old = Mix(temperature=3.0, weights={"old": 1, "web": 1})
    assert refusal(old.check_temperature, ["old/a", "old/b", "web"], {}) is None


def test_a_source_that_ran_dry_is_an_error_when_it_has_a_weight() -> None:
    packs = [("05-web", section(web=600, code=0))]
    for options in ({"tokens": None}, {"tokens": 100}, {"tokens": 100, "exhausted": "cap"}):
        with pytest.raises(UserError, match=r"^code has no training row"):
            Mix(weights={"web": 1, "code": 1}, **options).build(packs)  # type: ignore[arg-type]
    assert taken(Mix(), packs) == {"web": 600}


def test_the_validation_rows_of_a_leaf_without_training_rows_are_kept() -> None:
    """A leaf is in the mix where any phase weighs it, alone or by a prefix, whether or not it has training rows."""
    packs = [("05-pack", section(web__de=0, web__en=600, code=50, books=20))]
    phases = (
        Phase(name="a", share=0.5, weights={"web": 1, "code": 0, "books": 0}),
        Phase(name="b", share=0.5, weights={"web/en": 1, "web/de": 0, "code": 1, "books": 0}),
    )
    index = Mix(tokens=100, phases=phases).build(packs)
    assert [leaf["source"] for leaf in index["leaves"]] == ["code", "web/de", "web/en"]
    assert [entry["source"] for entry in index["entries"]] == ["web/en", "code", "web/en"]
    assert [leaf["source"] for leaf in Mix().build(packs)["leaves"]] == ["books", "code", "web/de", "web/en"]


def test_labels_that_no_document_has_may_be_named() -> None:
    """Not those that none can have, and not with a weight above 0."""
    edges = {"column": "score", "edges": (2,), "values": ()}
    packs = [("05-pack", section(web__below_2=100) | {"split_by": edges})]
    named = {"web/below_2": 1, "web/from_2": 0, "web/none": 0}
    assert taken(Mix(weights=named, max_epochs={"web/from_2": 2}), packs) == {"web/below_2": 100}
    with pytest.raises(UserError, match=r"^web/from_2 has no training row"):
        Mix(weights=named | {"web/from_2": 1}).build(packs)
    with pytest.raises(RecipeError, match="weights names 'web/from_3', which no pack holds; did you mean 'web/from_2'"):
        Mix(weights=named | {"web/from_3": 0}).build(packs)
    by_value = [("/old/05-pack", section(web__en=100) | {"split_by": edges | {"edges": ()}})]
    weights = {"web": 1, "code": 1, "books": 1, "old/web/en": 1, "old/web/none": 0}
    Mix(weights=weights).build(PACKS, runs={"old": by_value})
    with pytest.raises(RecipeError, match="names 'old/web/de', which no pack holds"):
        Mix(weights=weights | {"old/web/de": 0}).build(PACKS, runs={"old": by_value})


def test_the_order_of_names_changes_nothing() -> None:
    runs = {name: [(f"/runs/{name}", section(web=100))] for name in ("a", "b")}
    weights = {"web": 3, "code": 2, "books": 0, "a": 1, "b": 1}
    turned = Mix(weights=dict(reversed(weights.items())), tokens=700)
    contents = {
        index_bytes(mix.build(PACKS, runs=held))
        for mix in (Mix(weights=weights, tokens=700), turned)
        for held in (runs, dict(reversed(runs.items())))
    }
    assert len(contents) == 1


def test_nothing_packed() -> None:
    with pytest.raises(UserError, match="at least one pack"):
        Mix().build([])
    with pytest.raises(UserError, match="no source has a single training row"):
        Mix().build([("05-web", section(web=0))])


def test_packs_of_different_tokenizers() -> None:
    other = section(code=3) | {"tokenizer": {"file": "tokenizer.json", "blake2b": "cd"}}
    with pytest.raises(UserError, match="06-code has tokenizer"):
        Mix().build([("05-web", section(web=3)), ("06-code", other)])
    longer = section(code=3) | {"row_tokens": 21}
    with pytest.raises(UserError, match="/runs/old has row_tokens 21, 05-web has 11"):
        Mix().build([("05-web", section(web=3))], runs={"old": [("/runs/old", longer)]})


def test_a_pack_whose_index_is_missing(tmp_path: Path) -> None:
    padded = section(web=3) | {
        "method": "best_fit",
        "parts": [
            {
                "name": "tokens-00000",
                "source": "web",
                "split": "train",
                "rows": 3,
                "padding": 1,
                "files": {"tokens-00000.idx": {"bytes": 1, "blake2b": ""}},
            }
        ],
    }
    with pytest.raises(UserError, match=r"no file at .*05-web/tokens-00000\.idx"):
        Mix().build([("05-web", padded)], folder=str(tmp_path))
