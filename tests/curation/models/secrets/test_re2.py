"""Patterns of RE2 match in Python what they match in Go."""

import pytest

from curation.models.secrets.re2 import compile_re2


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        pytest.param("a$", "a\n", None, id="the end of the text alone"),
        pytest.param("(?m)a$", "a\nb", "a", id="the end of a line"),
        pytest.param(r"a\z", "a", "a", id="the end by its own name"),
        pytest.param(r"a\sb", "a\vb", None, id="no vertical tab"),
        pytest.param(r"a[\s]b", "a\vb", None, id="nor in a class"),
        pytest.param(r"a\Sb", "a\vb", "a\vb", id="which is no space"),
        pytest.param(r"a[\S]b", "a\vb", "a\vb", id="nor one in a class"),
        pytest.param("a(?i)b", "aB", "aB", id="flags in the middle"),
        pytest.param("a(?i)b", "AB", None, id="not before it"),
        pytest.param("(a(?i)b|c)d", "C", None, id="they end with the group"),
        pytest.param("(?:a(?i)b|c)d", "Cd", "Cd", id="but hold in later alternatives"),
        pytest.param("(?i)a(?-i:b)", "Ab", "Ab", id="flags of a group"),
        pytest.param("(?i)a(?-i:b)", "AB", None, id="a group without a flag"),
        pytest.param("(?i)a(?-i)b", "AB", None, id="a flag taken back"),
        pytest.param("[[:alnum:]_]+", "-a1_-", "a1_", id="a named class"),
        pytest.param(r"\x60\x{41}", "`A", "`A", id="code points"),
        pytest.param(r"\Qa.b\E.", "a.bc", "a.bc", id="quoted"),
        pytest.param("(?<n>a)(?P<m>b)", "ab", "ab", id="named groups"),
        pytest.param("a{,2}", "a{,2}", "a{,2}", id="braces that repeat nothing"),
        pytest.param("^{a}", "{a}", "{a}", id="a literal brace"),
        pytest.param("[]a]+", "]a", "]a", id="a bracket first in a class"),
        pytest.param("[a&&b[]+", "a&[b", "a&[b", id="no sets of classes"),
        pytest.param(r"\w+", "aé", "a", id="classes are of ASCII"),
        pytest.param("(?s).", "\n", "\n", id="a dot over lines"),
        pytest.param(".", "\n", None, id="a dot within a line"),
    ],
)
def test_match(pattern: str, text: str, matched: str | None) -> None:
    found = compile_re2(pattern).search(text)
    assert (found[0] if found else None) == matched


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        pytest.param("(?U)a+", "has the flag U", id="ungreedy"),
        pytest.param(r"\pL", r"has \\p", id="a Unicode class"),
        pytest.param("[[:^alpha:]]", "has the class", id="a negated named class"),
        pytest.param("(?=a)", r"has the group '\(\?=a'", id="a look-ahead"),
        pytest.param(r"(a)\1", r"has \\1", id="a back-reference"),
        pytest.param("a)", "is no pattern: unbalanced", id="too many parentheses"),
        pytest.param("(a", "is no pattern: missing", id="too few"),
        pytest.param("**", "is no pattern", id="nothing to repeat"),
    ],
)
def test_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_re2(pattern)
