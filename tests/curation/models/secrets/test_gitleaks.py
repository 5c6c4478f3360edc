"""gitleaks' files are read with all of their conditions, or refused by the rule's name."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.secrets.gitleaks import read_rules

GITLEAKS = Path(__file__).parents[5] / "shared" / "data" / "lists" / "gitleaks.toml"
FILE = """
title = "mine"
[allowlist]
stopwords = ["Sample"]
[[rules]]
id = "Acme-Key"
regex = '''(acme)_([a-z]{4})$'''
secretGroup = 2
entropy = 1.5
keywords = ["ACME_"]
path = '''\\.py$'''
[[rules.allowlists]]
condition = "AND"
regexTarget = "line"
regexes = ['''^#''']
paths = ['''^docs/''']
[[rules]]
id = "key-file"
path = '''\\.pem$'''
"""


def written(folder: Path, content: str) -> str:
    (folder / "rules.toml").write_text(content)
    return str(folder / "rules.toml")


def test_every_condition(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, FILE))
    assert rules.of_files == ("key-file",)
    assert rules.allowlists[0].stopwords == ("sample",)
    (rule,) = rules.rules
    assert (rule.kind, rule.keywords, rule.entropy, rule.group) == ("acme_key", ("acme_",), 1.5, 2)
    assert rule.path is not None
    assert rule.path.search("a.py")
    (allowlist,) = rule.allowlists
    assert (allowlist.target, allowlist.every, allowlist.stopwords) == ("line", True, ())
    assert not rule.pattern.search("acme_abcd\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("[[rules", "is no TOML file", id="no TOML"),
        pytest.param("title = 'x'", "has no rules", id="no rules"),
        pytest.param("[extend]\nuseDefault = true", "has the section 'extend'", id="an extension"),
        pytest.param(
            "[[rules]]\nid='a'\nregex='''(?=x)'''", "what cannot be kept: a is no pattern: .*[(][?]=", id="RE2"
        ),
        pytest.param("[[rules]]\nid='a'", "a has neither a regex nor a path", id="an empty rule"),
        pytest.param("[[rules]]\nregex='x'", "number 0 has no id", id="no id"),
        pytest.param("[[rules]]\nid='a'\nregex='x'\nsecretGroup=1", "a has no group 1", id="no such group"),
        pytest.param("[[rules]]\nid='a'\nregex='x'\nskipReport=true", "a has 'skipReport'", id="an unknown option"),
        pytest.param(
            "[[rules]]\nid='a'\nregex='x'\n[[rules.allowlists]]\nregexTarget='file'", "regexTarget 'file'", id="target"
        ),
        pytest.param(
            "[[rules]]\nid='a'\nregex='x'\n[[rules.allowlists]]\ncondition='XOR'", "condition 'XOR'", id="condition"
        ),
        pytest.param(
            "".join(f"[[rules]]\nid='r{n}'\nregex='('\n" for n in range(7)), "r0 is no pattern.*; and 2 more", id="many"
        ),
    ],
)
def test_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rules(written(tmp_path, content))


def test_a_missing_file() -> None:
    with pytest.raises(InputError, match="no rules at /no/such"):
        read_rules("/no/such.toml")


@pytest.mark.skipif(not GITLEAKS.exists(), reason="no gitleaks.toml in ../shared/data")
def test_gitleaks_own_file_is_kept_whole() -> None:
    rules = read_rules(str(GITLEAKS))
    assert len(rules.rules) == 221
    assert rules.of_files == ("pkcs12-file",)
    assert len({rule.kind for rule in rules.rules}) == 221
    assert sum(rule.entropy > 0 for rule in rules.rules) == 130
