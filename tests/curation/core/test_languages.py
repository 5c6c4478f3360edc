"""The label that somebody meant is named, whatever they wrote."""

import pytest

from curation.core.languages import label_of, meant

KNOWN = ("af", "als", "am", "an", "de", "en", "es", "fr", "ja", "pt", "sv", "sw")


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("english", "; did you mean 'en'?"),
        ("EN", "; did you mean 'en'?"),
        ("swedish", "; did you mean 'sv'?"),
        ("swe", "; did you mean 'sv'?"),
        ("en-US", "; did you mean 'en'?"),
        ("deu_Latn", "; did you mean 'de'?"),
        ("pt_br", "; did you mean 'pt'?"),
        ("fra", "; did you mean 'fr'?"),
        ("xx", "; it has 12, such as af, als, am, an, de"),
    ],
)
def test_meant(given: str, hint: str) -> None:
    assert meant(given, KNOWN) == hint


def test_few_are_all_named() -> None:
    assert meant("xx", ("en", "de")) == "; known: de, en"
    assert meant("japanese", ("en", "de")) == "; known: de, en"


def test_labels_of_names() -> None:
    assert [label_of(name) for name in ("EN", "ger", "Español", "the", "")] == ["en", "de", "es", None, None]
