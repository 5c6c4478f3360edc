"""A verb says of itself what the plan, the engine and the account ask."""

import pickle

import pytest

from curation.core.verbs import DEDUP, EXTRACT, FILTER, FIT, MIX, PACK, READ, REWRITE, TOKENIZE, VERBS, Verb


def test_the_set_is_closed_and_in_the_order_of_a_recipe() -> None:
    assert list(VERBS) == ["read", "extract", "filter", "rewrite", "dedup", "fit", "tokenize", "pack", "mix"]
    assert all(verb.name == name == str(verb) for name, verb in VERBS.items())


@pytest.mark.parametrize(
    ("question", "verbs"),
    [
        ("begins", {READ, EXTRACT}),
        ("documents", {READ, EXTRACT, FILTER, REWRITE, DEDUP, TOKENIZE}),
        ("maps_rows", {FILTER, REWRITE, DEDUP, TOKENIZE}),
        ("columns", {FILTER, REWRITE, DEDUP}),
        ("several", {FILTER, REWRITE, DEDUP}),
        ("only", {TOKENIZE, PACK, MIX}),
        ("learns", {FIT}),
    ],
)
def test_which_verbs(question: str, verbs: set[Verb]) -> None:
    assert {verb for verb in VERBS.values() if getattr(verb, question)} == verbs


def test_a_verb_stays_itself_on_a_worker() -> None:
    assert all(pickle.loads(pickle.dumps(verb)) == verb for verb in VERBS.values())
