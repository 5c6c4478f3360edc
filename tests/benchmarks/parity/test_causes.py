"""A cause holds where the document has it and nowhere else."""

import pytest

from benchmarks.parity.causes import UNEXPLAINED, Case, cause

LISTED = {"entry": "a.example.org", "registered_domain": "example.org"}

PARENT = {"entry": "example.org", "registered_domain": "example.org"}
ADDRESS = {"entry": "192.0.2.1", "registered_domain": None}


@pytest.mark.parametrize(
    ("url", "datatrove", "ours", "signals", "begins"),
    [
        pytest.param("https://b.a.example.org/x", None, "domain:high", LISTED, "it does not look up a", id="between"),
        pytest.param("https://a.example.org/x", None, "domain:high", LISTED, UNEXPLAINED, id="the host itself"),
        pytest.param("https://a.example.org/x", None, "domain:high", PARENT, UNEXPLAINED, id="the registered domain"),
        pytest.param("https://ba.example.org/x", None, "domain:high", LISTED, UNEXPLAINED, id="no label of it"),
        pytest.param("https://b.a.example.org/x", "domain", None, LISTED, UNEXPLAINED, id="the other way round"),
        pytest.param("http://192.0.2.1/", None, "domain:high", ADDRESS, "it does not look up an IP", id="address"),
        pytest.param("http://192.0.2.1/", "domain", None, ADDRESS, UNEXPLAINED, id="address, the other way round"),
        pytest.param("https://A.Example.ORG/", None, "domain:high", LISTED, "it compares the host", id="capital host"),
        pytest.param("https://a.org/b", None, "url:high", {"entry": "a.org/b"}, "its list of URLs", id="scheme"),
        pytest.param("a.org/b", None, "url:high", {"entry": "a.org/b"}, UNEXPLAINED, id="as listed"),
        pytest.param("https://a.org/BAD", None, "words:high", {"entry": "bad"}, "it compares the word", id="capitals"),
        pytest.param(
            "https://a.org/x%20bad", None, "words:high", {"entry": "bad"}, "it compares the word", id="escape"
        ),
        pytest.param("https://a.org/bad", None, "words:high", {"entry": "bad"}, UNEXPLAINED, id="as it is listed"),
        pytest.param("https://a.org/BADLY", None, "words:high", {"entry": "bad"}, UNEXPLAINED, id="another word"),
    ],
)
def test_of_urls(url: str, datatrove: str | None, ours: str | None, signals: dict[str, str], begins: str) -> None:
    assert cause(Case("url_blocklist", "", url, datatrove, ours, signals)).startswith(begins)


@pytest.mark.parametrize(
    ("text", "datatrove", "explained"),
    [
        pytest.param("One two.\n[1] [2] [3]\n[4] [5] [6]", "6", True, id="two lines, two more"),
        pytest.param("One two.\n[1] [2] [3]\n[4] [5]", "6", False, id="one line, two more"),
        pytest.param("One two.\n[1] [2] [3]\n[4] [5]", "5", True, id="a line of two markers is cut"),
        pytest.param("One two three.", "4", False, id="none"),
    ],
)
def test_of_sentences(text: str, datatrove: str, explained: bool) -> None:
    assert (cause(Case("c4_fineweb.sentences:low", text, "", datatrove, "4")) != UNEXPLAINED) == explained


ENGLISH = "The house on the hill has been empty for many years, and nobody knows who lived there before."


@pytest.mark.parametrize(
    ("name", "text", "datatrove", "explained"),
    [
        pytest.param("language", ENGLISH, None, True, id="the whole text is kept"),
        pytest.param("language", ENGLISH, "", False, id="the whole text is not dropped"),
        pytest.param("language_english", "Das Haus auf dem Hügel steht seit Jahren leer.", "", True, id="not English"),
        pytest.param("language_english", "Das Haus auf dem Hügel steht seit Jahren leer.", None, False, id="kept"),
        pytest.param("language", "1 2 3", "", True, id="no word that the model knows"),
    ],
)
def test_of_languages(name: str, text: str, datatrove: str | None, explained: bool) -> None:
    assert (cause(Case(name, text, "", datatrove, None)) != UNEXPLAINED) == explained


def test_a_cause_is_for_its_rule_sets_only() -> None:
    assert (
        cause(Case("gopher_quality", ENGLISH, "https://a.org/b", None, "url:high", {"entry": "a.org/b"})) == UNEXPLAINED
    )
