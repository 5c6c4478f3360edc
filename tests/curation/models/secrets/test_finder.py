"""The same secrets with and without the search for keywords, and one span for findings that overlap."""

import gzip
import json
import re
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.models.secrets.finder import Finder, merged
from curation.models.secrets.findings import Finding
from curation.models.secrets.gitleaks import read_rules
from curation.models.secrets.own_rules import own_rules
from curation.models.secrets.rule import RuleSet, SecretRule

DATA = Path(__file__).parents[5] / "shared" / "data"
GITLEAKS = DATA / "lists" / "gitleaks.toml"
needs_data = pytest.mark.skipif(not GITLEAKS.exists(), reason="no gitleaks.toml in ../shared/data")


def rule(kind: str, pattern: str, *keywords: str) -> SecretRule:
    return SecretRule(kind=kind, pattern=re.compile(pattern, re.ASCII), keywords=keywords)


HAND = Finder(
    [
        RuleSet(
            (
                rule("prefix", r"\b(tok_[a-z]{4})\b", "tok_"),
                rule("lazy", r"(?i:[\w.-]{0,5}?(?:key|pass)[ ]{0,3}=[ ]{0,3}([a-z0-9]{3,}))(?:\s|\Z)", "key", "pass"),
                rule("elsewhere", "[0-9]{4}", "digits"),
                rule("endless", "begin[^-]+-", "begin"),
                rule("two", "(?:ab+c|xy?z)[0-9]"),
            )
        )
    ]
)
PIECES = st.sampled_from(
    "tok_abcd tok_ key=abc KEY = a1b2c3 pass=x \n . - é 1234 digits begin abbbc1 xz2 a k= word keykey=abcd".split(" ")
)


@cache
def everything() -> Finder:
    return Finder([own_rules(), read_rules(str(GITLEAKS))])


def check(finder: Finder, texts: list[str]) -> int:
    text = pa.array(texts, pa.large_string())
    urls = pa.array(["https://a.test/b.yaml"] * len(texts))
    found = finder.found(text, urls)
    assert found == finder.found_plainly(text, urls)
    return len(found)


@settings(max_examples=300)
@given(st.lists(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=30), min_size=1, max_size=4))
def test_the_same_with_and_without_keywords(texts: list[str]) -> None:
    check(HAND, texts)


def test_by_hand() -> None:
    text = "my.key = abc1 tok_abcd 1234"
    spans = HAND.find(pa.array([text, text + " digits", None], pa.large_string()), pa.nulls(3, pa.string()))
    found = [[(s["kind"], text[s["start"] : s["end"]]) for s in row] for row in spans.to_pylist()]
    assert found == [
        [("lazy", "abc1"), ("prefix", "tok_abcd")],
        [("lazy", "abc1"), ("prefix", "tok_abcd"), ("elsewhere", "1234")],
        [],
    ]


def test_a_match_far_longer_than_its_window() -> None:
    assert check(HAND, ["key=" + "a1" * 5000 + " ", "begin" + "x y" * 5000 + "-", "a" + "b" * 9000 + "c1"]) == 3


@needs_data
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.sampled_from(
            [
                *("key", " = ", '"', "token", ":", "\n", "AKIA", "ghp_", "a1B2c3D4e5F6g7H8", "Zq0" * 12, "ey", "."),
                *(
                    "curl ",
                    "-H ",
                    "secret",
                    "kind: Secret\n",
                    "data:\n",
                    "https://",
                    "@",
                    "password",
                    "é",
                    "-----",
                    "'",
                ),
                *("-----BEGIN PRIVATE KEY-----", "facebook ", "1234567890123456", "|", "xoxb-", "sk_live_"),
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_the_same_of_gitleaks_rules(text: str) -> None:
    check(everything(), [text])


@needs_data
@pytest.mark.slow
def test_the_same_on_code() -> None:
    with gzip.open(DATA / "code" / "code.jsonl.gz", "rt") as file:
        texts = [json.loads(line)["text"] for line in file]
    check(everything(), texts)


def test_findings_that_overlap_are_one_span() -> None:
    rules = [rule("generic", "x"), rule("long", "x"), rule("short", "x")]
    found = [Finding(0, 0, 9, 0, 1.0), Finding(0, 4, 12, 1, 2.0), Finding(0, 6, 7, 2, 3.0), Finding(0, 12, 13, 2, 3.0)]
    assert [(start, end, one.rule) for start, end, one in merged([*found, Finding(1, 0, 2, 0, 1.0)], rules)] == [
        (0, 12, 1),
        (12, 13, 2),
        (0, 2, 0),
    ]
