"""Presidio's recognizers, and the plain Presidio that results are judged by."""

import socket

import pytest

from curation.models.pii.recognizers import blank, chosen, entities, make, offline_domains, plain_presidio

pytest.importorskip("presidio_analyzer")


def test_an_address_is_checked_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", None)
    (one,) = chosen(["email"], "en")
    recognizer = make(one, "en")
    assert recognizer.validate_result("jo@example.co.uk")
    assert not recognizer.validate_result("jo@example.nosuchtld")
    assert offline_domains()("a.example.co.uk").suffix == "co.uk"


def test_cards_have_other_words_in_spanish() -> None:
    (one,) = chosen(["credit_card"], "es")
    assert "tarjeta" in make(one, "es").context


def test_a_number_of_a_country_is_not_looked_for_in_another_language() -> None:
    assert chosen(["us_ssn"], "de") == []


@pytest.mark.parametrize(("language", "pipeline"), [("de", "de"), ("zh", "xx"), ("ja", "xx"), ("no such", "xx")])
def test_pipeline(language: str, pipeline: str) -> None:
    assert blank(language).lang == pipeline


def test_plain_presidio_uses_the_words_before_a_value() -> None:
    engine = plain_presidio("en", ["phone"], min_score=0.4)
    scores = [engine.analyze(f"{word} 212-555-0123", "en")[0].score for word in ("the", "phone")]
    assert scores == [0.4, 0.75]
    assert entities(["phone"]) == ["PHONE_NUMBER"]
