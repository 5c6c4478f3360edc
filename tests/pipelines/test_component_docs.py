"""Every component is listed with its sentence, and described by what stands in its own file."""

import pytest

from curation.core.errors import UserError
from pipelines.component_docs import components, describe


def test_every_verb_has_components_with_a_sentence() -> None:
    listed = components()
    assert list(dict.fromkeys(component.verb.name for component in listed)) == [
        *("read", "extract", "filter", "rewrite", "dedup", "fit", "tokenize", "pack", "mix"),
        *("objective", "model", "optimizer", "schedule"),
    ]
    assert {"warc", "cascade", "gopher_quality", "unicode", "exact", "unigrams", "mix", "decoder", "adamw"} <= {
        component.key for component in listed
    }
    assert all(component.sentence.endswith(".") and "\n" not in component.sentence for component in listed)


def test_a_filter_is_described() -> None:
    (one,) = describe("gopher_quality")
    assert one.component.sentence == (
        "Gopher quality rules: drop documents whose surface statistics do not look like prose."
    )
    assert "arXiv:2112.11446" in one.text
    options = {option.name: option for option in one.options}
    assert (options["min_words"].kind, options["min_words"].default) == ("int", "50")
    assert options["max_bullet_lines"].note == "fraction of lines"
    assert options["by_language"].note == "language -> limit -> value; or kits"
    assert "words: from 50 to 100,000" in one.limits


def test_an_option_that_must_be_given_has_no_default() -> None:
    (one,) = describe("unigram_divergence")
    assert next(option for option in one.options if option.name == "reference").default is None
    assert one.limits == ("divergence: to 5.0",)


@pytest.mark.parametrize(
    "key", ["warc", "cascade", "tokenizer", "tokenize", "pack", "mix", "url_blocklist", "decoder", "cosine"]
)
def test_every_kind_of_component_can_be_described(key: str) -> None:
    assert describe(key)[0].options


@pytest.mark.parametrize("key", ["exact", "minhash", "line", "bloom"])
def test_a_dedup_method_comes_with_the_options_beside_it_and_its_columns(key: str) -> None:
    (one,) = describe(key)
    beside = {option.name: option.note for option in one.beside}
    assert {"keep", "against", "clusters", "max_removed", "local_links"} <= beside.keys()
    assert all(beside.values())
    assert beside["keep"].startswith("the one document of a cluster that is kept: longest (in UTF-8 bytes), earliest")
    assert all(option.note for option in one.options)
    assert len(one.columns) == {"exact": 3, "minhash": 3, "line": 4, "bloom": 1}[key]


def test_other_components_have_nothing_beside_them() -> None:
    (one,) = describe("gopher_quality")
    assert (one.beside, one.columns) == ((), ())


@pytest.mark.parametrize("key", sorted({component.key for component in components()}))
def test_every_option_has_a_meaning_in_words(key: str) -> None:
    for one in describe(key):
        assert [option.name for option in one.options if not option.note] == []


@pytest.mark.parametrize(
    ("key", "name", "kind", "default", "words"),
    [
        ("evalsets", "sets", "Mapping[str, EvalSet]", None, "name -> where its items are"),
        ("evalsets", "sets.NAME.question", "str", "'question'", "field of the text of an item"),
        ("mix", "phases.N.share", "float | None", "None", "of the mix's tokens"),
        ("pack", "split_by.column", "str", None, "a field of a struct as struct.field"),
        ("pii", "names.model", "str", None, "on a disk of every node"),
        ("pii", "key.env", "str", "''", "name of the environment variable"),
        ("classifier", "labelled.label", "str", "''", "that holds each document's label"),
    ],
)
def test_options_within_options(key: str, name: str, kind: str, default: str | None, words: str) -> None:
    (one,) = describe(key)
    (option,) = (option for option in one.options if option.name == name)
    assert (option.kind, option.default) == (kind, default)
    assert words in option.note


def test_an_unknown_key_is_named_with_the_nearest() -> None:
    with pytest.raises(UserError, match="no component named 'gopher_qality'; did you mean 'gopher_quality'"):
        describe("gopher_qality")
