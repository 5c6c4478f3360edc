"""Which part of a match is the secret, and what is none."""

import re

import numpy as np
import pyarrow as pa
import pytest

from curation.models.secrets.findings import RuleSearch, decoded, findings_in, lowered
from curation.models.secrets.rule import Allowlist, SecretRule


def found(rule: SecretRule, text: str, url: str = "https://a.test/x/a.py", at: int = 0) -> list[str]:
    """The secrets in text[at:], of which the whole text is the document; before it is another."""
    data = np.frombuffer(b"other" + text.encode(), np.uint8)
    urls = pa.array(["", url])
    start = 5 + len(text[:at].encode())
    sought = RuleSearch(0, rule, rule.allowlists)
    whole = (data, 5, len(data))
    return [
        text.encode()[one.start : one.end].decode()
        for one in findings_in(sought, 1, decoded(data, start, len(data)), start, whole, urls)
    ]


def rule(pattern: str, **options: object) -> SecretRule:
    return SecretRule(kind="k", pattern=re.compile(pattern, re.ASCII), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sought", "text", "secrets"),
    [
        pytest.param(rule("k[0-9]"), "é k1 k2", ["k1", "k2"], id="the match"),
        pytest.param(rule("k=(a)?([0-9])"), "k=1", ["1"], id="the first group that is not empty"),
        pytest.param(rule("(k)=([0-9])", group=2), "k=1", ["1"], id="the group that is asked for"),
        pytest.param(rule("(k)=([0-9])?", group=2), "k=", [], id="which is empty"),
        pytest.param(rule("k()"), "k", ["k"], id="no group is filled"),
        pytest.param(rule(r"\n*k=(é[0-9])(?:\n|\Z)"), "é\n\nk=é1\n", ["é1"], id="line breaks around"),
        pytest.param(rule(r"\n*k=(é[0-9])\n"), "k=é1\n", ["k=é1"], id="without which there is no group"),
        pytest.param(rule("[a-d]{4}", entropy=1.0), "aabb abcd", ["abcd"], id="entropy must be above the bound"),
        pytest.param(rule("k[0-9]", path=re.compile(r"^x/.*\.py$")), "k1", ["k1"], id="the path of the URL"),
        pytest.param(rule("k[0-9]", path=re.compile(r"\.js$")), "k1", [], id="another path"),
        pytest.param(rule("k[0-9]", allowlists=(Allowlist(paths=(re.compile("a.py"),)),)), "k1", [], id="allowed path"),
        pytest.param(
            rule("k[0-9]", allowlists=(Allowlist(regexes=(re.compile("^#.*z$"),), target="line"),)),
            "k1\n# k2 z\nk3",
            ["k1", "k3"],
            id="an allowed line",
        ),
    ],
)
def test_secrets(sought: SecretRule, text: str, secrets: list[str]) -> None:
    assert found(sought, text) == secrets


def test_a_piece_keeps_its_place_and_sees_whole_lines() -> None:
    by_line = rule("k[0-9]", allowlists=(Allowlist(regexes=(re.compile("^é"),), target="line"),))
    assert found(rule("k[0-9]"), "é k1 k2", at=4) == ["k2"]
    assert found(by_line, "é k1 k2", at=4) == []


@pytest.mark.parametrize("url", ["", "https://[bad/a.py"])
def test_a_url_without_a_path(url: str) -> None:
    assert found(rule("k[0-9]"), "k1", url) == ["k1"]
    assert found(rule("k[0-9]", path=re.compile("py")), "k1", url) == []


def test_only_ascii_letters_are_lowered() -> None:
    assert lowered("AÉz\u212a") == "aÉz\u212a"
