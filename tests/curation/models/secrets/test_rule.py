"""Entropy and allowlists by hand."""

import re

import pytest

from curation.models.secrets.rule import Allowlist, entropy_of


@pytest.mark.parametrize(("secret", "bits"), [("aaaa", 0), ("abab", 1), ("abcd", 2), ("aabbccdd", 2), ("é", 0.5)])
def test_entropy(secret: str, bits: float) -> None:
    assert entropy_of(secret) == bits


WORD = (re.compile("^fake$"),)
PATH = (re.compile(r"\.lock$"),)


@pytest.mark.parametrize(
    ("allowlist", "secret", "path", "allowed"),
    [
        pytest.param(Allowlist(regexes=WORD), "fake", "", True, id="a pattern"),
        pytest.param(Allowlist(regexes=WORD), "fakes", "", False, id="another secret"),
        pytest.param(Allowlist(regexes=WORD, target="match"), "fake", "", False, id="a pattern of the match"),
        pytest.param(Allowlist(regexes=(re.compile("line"),), target="line"), "x", "", True, id="of the line"),
        pytest.param(Allowlist(stopwords=("sample",)), "a-SAMPLE-1", "", True, id="a word in any case"),
        pytest.param(Allowlist(regexes=WORD, paths=PATH, every=True), "fake", "a.lock", True, id="both conditions"),
        pytest.param(Allowlist(regexes=WORD, paths=PATH, every=True), "fake", "a.py", False, id="one of both"),
        pytest.param(Allowlist(paths=PATH), "x", "a.lock", False, id="paths are judged before"),
    ],
)
def test_allowlist(allowlist: Allowlist, secret: str, path: str, allowed: bool) -> None:
    assert allowlist.allows(secret, f"key = {secret}", "the line", path) == allowed


@pytest.mark.parametrize(
    ("allowlist", "path", "allowed"),
    [
        (Allowlist(paths=PATH), "a.lock", True),
        (Allowlist(paths=PATH), "a.py", False),
        (Allowlist(paths=PATH), "", False),
        (Allowlist(paths=PATH, every=True), "a.lock", True),
        (Allowlist(paths=PATH, regexes=WORD, every=True), "a.lock", False),
    ],
)
def test_paths(allowlist: Allowlist, path: str, allowed: bool) -> None:
    assert allowlist.allows_path(path) == allowed
