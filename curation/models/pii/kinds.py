"""The kinds of personal data: Presidio's names of them, and which of its recognizers look for each in which language.

A recognizer with the country of its numbers looks only in texts of one language. So a US social security number is
looked for in English texts, a Spanish NIF in Spanish ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from curation.core.errors import RecipeError
from curation.core.settings import nearest
from curation.models.pii.library import presidio

# Kinds that have shorter names here; the others have Presidio's in lower case.
_SHORT = {"EMAIL_ADDRESS": "email", "PHONE_NUMBER": "phone", "IBAN_CODE": "iban", "IP_ADDRESS": "ip"}
# Dates and addresses of pages are no personal data by themselves; Presidio's South African telephone numbers are found
# as `phone`. The recognizers of models, and those that ask a service, are not among the patterns.
_LEFT_OUT = frozenset(("DATE_TIME", "URL", "ZA_MOBILE_NUMBER", "ZA_TELEPHONE_NUMBER"))
# `[\w@#$%^?~-]{10}` where a text has a digit anywhere later: of no use, and no window bounds it.
UNUSED_PATTERNS = MappingProxyType({"InPanRecognizer": ("PAN (Low)",)})
EVERYWHERE = ""  # the language of recognizers that look in texts of any
PHONE = "phone"
OWN = ("url_credentials",)  # kinds that Presidio does not have: a name and a password in a URL


@dataclass(frozen=True)
class Known:
    """One of Presidio's recognizers."""

    kind: str
    name: str  # of its class
    language: str
    usual: bool  # whether Presidio's own configuration has it


@lru_cache
def known() -> tuple[Known, ...]:
    """All recognizers of patterns and of telephone numbers, by kind."""
    module = presidio()
    recognizers, pattern = module.predefined_recognizers, module.PatternRecognizer
    settings = module.recognizer_registry.RecognizerRegistryProvider().configuration["recognizers"]
    usual = {one["name"]: one.get("enabled", True) for one in settings}
    languages = {one["name"]: _languages(one) for one in settings}
    found = []
    for name in sorted(usual):
        cls = getattr(recognizers, name, None)
        if cls is None or not (issubclass(cls, pattern) or name == "PhoneRecognizer"):
            continue
        recognizer = cls()
        kind = kind_of(recognizer.supported_entities[0])
        if recognizer.supported_entities[0] not in _LEFT_OUT:
            own = languages[name] if recognizer.country_code() else (EVERYWHERE,)
            found += [Known(kind, name, language, usual[name]) for language in own or ("en",)]
    return tuple(sorted(found, key=lambda one: (one.kind, one.name, one.language)))


def _languages(settings: dict[str, Any]) -> tuple[str, ...]:
    given = settings.get("supported_languages") or ()
    return tuple(one["language"] if isinstance(one, dict) else one for one in given)


def kind_of(entity: str) -> str:
    return _SHORT.get(entity, entity.lower())


def entity_of(kind: str) -> str:
    """Presidio's name of a kind."""
    return {short: name for name, short in _SHORT.items()}.get(kind, kind.upper())


@lru_cache
def all_kinds() -> tuple[str, ...]:
    return tuple(sorted({*OWN, *(one.kind for one in known())}))


@lru_cache
def usual_kinds() -> tuple[str, ...]:
    """Those that Presidio looks for unless it is told otherwise, and our own."""
    return tuple(sorted({*OWN, *(one.kind for one in known() if one.usual)}))


def check_kinds(kinds: Iterable[str], known: Iterable[str]) -> None:
    """Raises RecipeError for a kind that is not known."""
    names = tuple(known)
    for kind in kinds:
        if kind not in names:
            raise RecipeError(f"kinds: no kind {kind!r}{nearest(kind, names)}; known: {', '.join(names)}")
