"""Texts whose language is known: how they are joined, and what counts as right."""

from typing import Any

from benchmarks.language.accuracy import joined, measure

ENGLISH = "The committee will meet again on Thursday to discuss the new library building and its opening hours. "
NORWEGIAN = "Komiteen møtes igjen på torsdag for å drøfte det nye biblioteket og åpningstidene som ikke er vedtatt. "


def row(text: str, language: str | None, source: str = "a") -> dict[str, Any]:
    return {"text": text, "lang1": language, "lang3": language, "source": source}


def test_rows_are_joined_within_language_and_source() -> None:
    rows = [row("12345", "en"), row("678", "en"), row("9", "en"), row("ab", "en", "b"), row("cdefghijkl", "de", "b")]
    assert [made["text"] for made in joined(rows, 10)] == ["12345\n\n678", "cdefghijkl"]


def test_shares_of_right_labels() -> None:
    low = (" " * 128 + ENGLISH) * 7 + " " * 128  # with no word in its windows
    rows = [row(ENGLISH * 100, "en"), row(low, "en"), row(NORWEGIAN, "nb"), row(ENGLISH, "fr"), row(low, None)]
    figures = measure(rows)
    shares = {"windows": 0.5, "whole": 1.0, "now": 1.0, "read_whole": 0.5}
    assert figures["en"] == {"texts": 2} | shares
    assert figures["no"]["now"] == 1.0
    assert figures["fr"]["now"] == 0.0
    assert figures["all"] == {"texts": 4, "windows": 0.5, "whole": 0.75, "now": 0.75, "read_whole": 0.25} | {
        "won": 2,
        "won_right": 1,
    }
