"""The list of recognizers is that of the installed presidio-analyzer."""

from collections.abc import Iterator

import pytest

from curation.models.pii.kinds import kind_of
from curation.models.pii.recognizer_list import EVERYWHERE, PresidioRecognizer, known
from curation.models.pii.recognizers import presidio

pytest.importorskip("presidio_analyzer")
# Dates and addresses of pages are no personal data by themselves; Presidio's South African telephone numbers are found
# as `phone`.
LEFT_OUT = {"DATE_TIME", "URL", "ZA_MOBILE_NUMBER", "ZA_TELEPHONE_NUMBER"}


def recognizers() -> Iterator[PresidioRecognizer]:
    """The library's own of patterns, and that of telephone numbers: neither those of models nor those of services."""
    module = presidio()
    for settings in module.recognizer_registry.RecognizerRegistryProvider().configuration["recognizers"]:
        cls = getattr(module.predefined_recognizers, settings["name"], None)
        if cls is None or not (issubclass(cls, module.PatternRecognizer) or settings["name"] == "PhoneRecognizer"):
            continue
        recognizer = cls()
        (entity, *_) = recognizer.supported_entities
        given = settings.get("supported_languages") or ()
        own = [one["language"] if isinstance(one, dict) else one for one in given] or ["en"]
        for language in own if recognizer.country_code() else [EVERYWHERE]:
            if entity not in LEFT_OUT:
                yield PresidioRecognizer(kind_of(entity), settings["name"], language, settings.get("enabled", True))


def test_the_list_is_that_of_the_library() -> None:
    assert list(known()) == sorted(recognizers(), key=lambda one: (one.kind, one.name, one.language))
