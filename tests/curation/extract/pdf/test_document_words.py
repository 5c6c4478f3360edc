"""Words over line ends: hyphens that go, hyphens that stay, ranges and addresses."""

import pytest

from curation.extract.pdf.document_words import DocumentWords, is_broken


@pytest.mark.parametrize(
    ("elsewhere", "before", "after", "joined"),
    [
        pytest.param("", "under-", "standing", "understanding", id="nothing says otherwise"),
        pytest.param("a well-known one", "well-", "known", "well-known", id="with a hyphen elsewhere"),
        pytest.param("a Well-Known one", "well-", "known", "well-known", id="in capitals elsewhere"),
        pytest.param("cooperate", "co-", "operate", "cooperate", id="without one elsewhere"),
        pytest.param("co-operate cooperate", "co-", "operate", "cooperate", id="both as often"),
        pytest.param("co-operate co-operate cooperate", "co-", "operate", "co-operate", id="more often with one"),
        pytest.param("TraceMonkey", "Trace-", "Monkey", "TraceMonkey", id="a capital within a word"),
        pytest.param("", "Anglo-", "Saxon", "Anglo-Saxon", id="before a capital"),
        pytest.param("", "GOVERN-", "MENT", "GOVERNMENT", id="all in capitals"),
        pytest.param("", "GPU-", "based", "GPU-based", id="behind capitals"),
        pytest.param("", "rab5-", "regulated", "rab5-regulated", id="behind a number"),
        pytest.param("state-of-the-art", "the-", "art", "the-art", id="within a longer one"),
        pytest.param(
            "trace and trace, compilation, compilation", "trace-", "compilation", "trace-compilation", id="words"
        ),
        pytest.param("trace compilation", "trace-", "compilation", "tracecompilation", id="the second is there once"),
        pytest.param("some times, times", "some-", "times", "sometimes", id="a short half"),
        pytest.param("", "737\u2013", "9", "737\u20139", id="a range"),
        pytest.param("", "this \u2013", "and that", "this \u2013 and that", id="a dash"),
        pytest.param("", "at https://", "www.example.org", "at https://www.example.org", id="an address begins"),
        pytest.param("", "at https://a.org/b-", "c.html", "at https://a.org/b-c.html", id="an address goes on"),
    ],
)
def test_words_over_line_ends(elsewhere: str, before: str, after: str, joined: str) -> None:
    begun, between = DocumentWords([elsewhere, before, after] if elsewhere else [before, after]).between(before, after)
    assert begun + between + after == joined


def test_halves_at_line_ends_are_no_words_of_the_document() -> None:
    lines = ["sever-", "ally they under-", "stand it; under-", "stood by sever-", "ance"]
    assert DocumentWords(lines).between("under-", "stand it") == ("under", "")


@pytest.mark.parametrize(
    ("before", "after", "broken"),
    [("inter-", "rupted", True), ("inter-", "Rupted", False), ("10-", "years", False), ("so -", "it is", False)],
)
def test_a_word_is_broken(before: str, after: str, broken: bool) -> None:
    assert is_broken(before, after) is broken
