"""Presidio's recognizers, loaded alone."""

import socket
import subprocess
import sys

import pytest

from curation.models.pii.recognizers import blank, chosen, make, offline_domains

pytest.importorskip("presidio_analyzer")


def test_torch_and_transformers_are_not_loaded_with_it_and_can_be_loaded_after() -> None:
    script = (
        "import sys, importlib.util; from curation.models.pii.recognizers import presidio; presidio();"
        "assert not {'torch', 'transformers'} & set(sys.modules);"
        "assert importlib.util.find_spec('torch') is not None"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


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
