"""The kinds of personal data: Presidio's names of them, and which of its recognizers look for each in which language.

A recognizer with the country of its numbers looks only in texts of one language. So a US social security number is
looked for in English texts, a Spanish NIF in Spanish ones.
"""

from collections.abc import Iterable
from functools import lru_cache
from types import MappingProxyType

from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.models.pii.recognizer_list import known

# Kinds that have shorter names here; the others have Presidio's in lower case.
_SHORT = {"EMAIL_ADDRESS": "email", "PHONE_NUMBER": "phone", "IBAN_CODE": "iban", "IP_ADDRESS": "ip"}
# `[\w@#$%^?~-]{10}` where a text has a digit anywhere later: of no use, and no window bounds it.
UNUSED_PATTERNS = MappingProxyType({"InPanRecognizer": ("PAN (Low)",)})
PHONE = "phone"
EMAIL = "email"
OWN = ("url_credentials",)  # kinds that Presidio does not have: a name and a password in a URL

UNUSUAL = frozenset(("uuid",))  # names of things: on pages none was a person's


def kind_of(entity: str) -> str:
    return _SHORT.get(entity, entity.lower())


@lru_cache
def all_kinds() -> tuple[str, ...]:
    return tuple(sorted({*OWN, *(one.kind for one in known())}))


@lru_cache
def presidio_kinds() -> tuple[str, ...]:
    """Those that Presidio looks for unless it is told otherwise."""
    return tuple(sorted({one.kind for one in known() if one.usual}))


@lru_cache
def usual_kinds() -> tuple[str, ...]:
    """Those that are looked for unless a recipe says otherwise: Presidio's but for UNUSUAL, and our own."""
    return tuple(sorted({*OWN, *presidio_kinds()} - UNUSUAL))


def check_kinds(kinds: Iterable[str], known: Iterable[str]) -> None:
    """Raises RecipeError for a kind that is not known."""
    names = tuple(known)
    for kind in kinds:
        if kind not in names:
            raise RecipeError(f"kinds: no kind {kind!r}{nearest(kind, names)}; known: {', '.join(names)}")
