"""A limit as a manifest states it, as a rule, and by the side that a reason names."""

from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from curation.account.sealed.bounds import BOUNDS, concerns, recorded, sides
from curation.core.manifest import Manifest
from curation.core.rules import Rule
from tests.curation.account.corpus import curate


@pytest.mark.parametrize(
    ("limit", "rule", "expected"),
    [
        ({"at_least": 50, "at_most": 0.5}, Rule("b", 50, 0.5), {"low": 50, "high": 0.5}),
        ({"at_most": 9, "but": ["x"]}, Rule("b", at_most=9, but=("x",)), {"high": 9}),
        (
            {"one_of": ["en"], "only": ["x"], "by": "c.d"},
            Rule("b", one_of=("en",), only=("x",), by="c.d"),
            {"not_in": ("en",)},
        ),
        ({}, Rule("b", -inf, inf), {}),
    ],
    ids=["both", "but", "a list", "none"],
)  # fmt: skip
def test_limits(limit: dict[str, Any], rule: Rule, expected: dict[str, Any]) -> None:
    manifest = cast(Manifest, SimpleNamespace(limits=({"rule": "a.b", **limit},)))
    assert recorded(manifest) == [("a", rule)]
    assert sides(rule) == expected
    assert set(expected) <= set(BOUNDS)


def test_a_rule_s_languages() -> None:
    def concerned(rule: Rule) -> list[bool]:
        documents = [{"language": {"label": "de"}}, {"language": {"label": "en"}}, {"language": None}, {}]
        return [concerns(rule, document) for document in documents]

    assert concerned(Rule("b")) == [True] * 4
    assert concerned(Rule("b", only=("de",))) == [True, False, False, False]
    assert concerned(Rule("b", but=("de",))) == [False, True, True, True]
    assert concerns(Rule("b", only=("x",), by="c.d"), {"c": {"d": "x"}})


def test_every_reason_of_a_run_has_its_bound(corpus: Path) -> None:
    manifest = curate(corpus).stage("gopher").manifest
    known = {f"{key}.{rule.signal}:{side}" for key, rule in recorded(manifest) for side in sides(rule)}
    assert manifest.merged("dropped").keys() <= known
