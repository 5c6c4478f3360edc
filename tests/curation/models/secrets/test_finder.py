"""What a secret is in a match, the same with and without the first look, and one span for findings that overlap."""

import gzip
import json
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest
import re2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.models.secrets.finder import MAX_LINE, Finder, Finding, merged
from curation.models.secrets.gitleaks import read_rules
from curation.models.secrets.own_rules import own_rules
from curation.models.secrets.rule import Allowlist, RuleSet, SecretRule

DATA = Path(__file__).parents[5] / "shared" / "data"
GITLEAKS = DATA / "lists" / "gitleaks.toml"
needs_data = pytest.mark.skipif(not GITLEAKS.exists(), reason="no gitleaks.toml in ../shared/data")


def rule(kind: str, pattern: str, *keywords: str, **options: object) -> SecretRule:
    return SecretRule(kind=kind, pattern=re2.compile(pattern), keywords=keywords, **options)  # type: ignore[arg-type]


def found(sought: SecretRule, text: str | bytes, url: str | None = "https://a.test/x/a.py") -> list[str]:
    """The secrets in a text that is not the first."""
    content = text.encode() if isinstance(text, str) else text
    texts = pa.array([b"other", content], pa.large_binary()).view(pa.large_string())
    places = Finder([RuleSet((sought,))]).found(texts, pa.array([None, url]))
    return [content[one.start : one.end].decode("utf-8", "replace") for one in places]


HAND = Finder(
    [
        RuleSet(
            (
                rule("prefix", r"\b(tok_[a-z]{4})\b", "tok_"),
                rule("lazy", r"(?i:[\w.-]{0,5}?(?:key|pass)[ ]{0,3}=[ ]{0,3}([a-z0-9]{3,}))(?:\s|$)", "key", "pass"),
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


class PlainFinder(Finder):
    """Searches a text by the pattern of each rule of which it holds a keyword."""

    def promising(self, content: bytes) -> list[int]:
        words = [[word.encode().lower() for word in rule.keywords] for rule in self.rules]
        lower = content.lower()
        return [rule for rule, own in enumerate(words) if not own or any(word in lower for word in own)]


def check(finder: Finder, texts: list[str]) -> int:
    text = pa.array(texts, pa.large_string())
    urls = pa.array(["https://a.test/b.yaml"] * len(texts))
    places = finder.found(text, urls)
    assert places == PlainFinder(finder.sets).found(text, urls)
    return len(places)


@settings(max_examples=100)
@given(st.lists(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=30), min_size=1, max_size=4))
def test_the_same_with_and_without_keywords(texts: list[str]) -> None:
    check(HAND, texts)


def test_by_hand() -> None:
    text = "my.key = abc1 tok_abcd 1234"
    spans = HAND.find(pa.array([text, text + " digits", None], pa.large_string()), pa.nulls(3, pa.string()))
    assert [[(s["kind"], text[s["start"] : s["end"]]) for s in row] for row in spans.to_pylist()] == [
        [("lazy", "abc1"), ("prefix", "tok_abcd")],
        [("lazy", "abc1"), ("prefix", "tok_abcd"), ("elsewhere", "1234")],
        [],
    ]


@pytest.mark.parametrize(
    ("sought", "text", "secrets"),
    [
        pytest.param(rule("k", "k[0-9]"), "é k1 k2", ["k1", "k2"], id="the match"),
        pytest.param(rule("k", "k=(a)?([0-9])"), "k=1", ["1"], id="the first group that is not empty"),
        pytest.param(rule("k", "(k)=([0-9])", group=2), "k=1", ["1"], id="the group that is asked for"),
        pytest.param(rule("k", "(k)=([0-9])?", group=2), "k=", [], id="which is empty"),
        pytest.param(rule("k", "k()"), "k", ["k"], id="no group is filled"),
        pytest.param(rule("k", r"\n*k=(é[0-9])(?:\n|$)"), "é\n\nk=é1\n", ["é1"], id="line breaks around"),
        pytest.param(rule("k", r"\n*k=(é[0-9])\n"), "k=é1\n", ["k=é1"], id="without which there is no group"),
        pytest.param(rule("k", "[a-d]{4}", entropy=1.0), "aabb abcd", ["abcd"], id="entropy must be above the bound"),
        pytest.param(rule("k", "k[^a]b"), b"\xc3 k\xffb", ["k\ufffdb"], id="bytes that are not UTF-8"),
        pytest.param(rule("k", "k[0-9]", "wörd"), "k1 WöRD", ["k1"], id="a keyword in any case"),
        pytest.param(rule("k", "k[0-9]", path=re2.compile(r"^x/.*\.py$")), "k1", ["k1"], id="the path of the URL"),
        pytest.param(rule("k", "k[0-9]", path=re2.compile(r"\.js$")), "k1", [], id="another path"),
        pytest.param(
            rule("k", "k[0-9]", allowlists=(Allowlist(paths=(re2.compile("a.py"),)),)), "k1", [], id="allowed path"
        ),
        pytest.param(
            rule("k", "k[0-9]", allowlists=(Allowlist(regexes=(re2.compile("^#.*z$"),), target="line"),)),
            "k1\n# k2 z\nk3",
            ["k1", "k3"],
            id="an allowed line",
        ),
    ],
)
def test_secrets(sought: SecretRule, text: str | bytes, secrets: list[str]) -> None:
    assert found(sought, text) == secrets


@pytest.mark.parametrize("url", ["", "https://[bad/a.py", None])
def test_a_url_without_a_path(url: str | None) -> None:
    assert found(rule("k", "k[0-9]"), "k1", url) == ["k1"]
    assert found(rule("k", "k[0-9]", path=re2.compile("py")), "k1", url) == []


@needs_data
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.sampled_from(
            [
                *("key", " = ", '"', "token", ":", "\n", "AKIA", "ghp_", "a1B2c3D4e5F6g7H8", "Zq0" * 12, "ey", "."),
                *("curl ", "-H ", "secret", "kind: Secret\n", "data:\n", "https://", "@", "password", "é", "-----"),
                *("-----BEGIN PRIVATE KEY-----", "facebook ", "1234567890123456", "|", "xoxb-", "sk_live_", "'", "\v"),
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
    places = [Finding(0, 0, 9, 0, 1.0), Finding(0, 4, 12, 1, 2.0), Finding(0, 6, 7, 2, 3.0), Finding(0, 12, 13, 2, 3.0)]
    assert [(start, end, one.rule) for start, end, one in merged([*places, Finding(1, 0, 2, 0, 1.0)], rules)] == [
        (0, 12, 1),
        (12, 13, 2),
        (0, 2, 0),
    ]


def test_places_are_in_bytes_and_lines_are_cut_where_they_are_long() -> None:
    sought = rule("tok", "tok_[a-z]{4}", allowlists=(Allowlist((re2.compile("nothing here"),), target="line"),))
    assert found(sought, "é tok_abcd é tok_efgh\nnothing here é tok_ijkl") == ["tok_abcd", "tok_efgh"]
    near = "tok_abcd" + " " * (MAX_LINE - 12) + "nothing here"
    assert found(sought, near) == []
    assert found(sought, near.replace("nothing", " nothing")) == ["tok_abcd"]
