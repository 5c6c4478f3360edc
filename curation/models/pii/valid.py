"""Whether a value is one of its kind: by the patterns and check digits of Presidio's recognizers, or the numbers of a
country. A surrogate is drawn until it is one (`alike`)."""

from collections.abc import Callable
from functools import lru_cache, partial

from curation.models.pii.kinds import PHONE
from curation.models.pii.patterns import Recognizer
from curation.models.pii.recognizer_list import known
from curation.models.pii.recognizers import make
from curation.models.pii.regions import regions_of


def validity(value: str, kind: str) -> Callable[[str], bool] | None:
    """What tells whether a text is of the kind; None where the value itself is not, as of kinds that have no form."""
    is_valid = partial(is_of_kind, kind=kind)
    return is_valid if is_valid(value) else None


def is_of_kind(text: str, kind: str) -> bool:
    """Whether the whole text is a value of the kind to one of its recognizers."""
    return any(one.is_one(text) for one in _recognizers(kind))


@lru_cache
def _recognizers(kind: str) -> tuple[Recognizer, ...]:
    """One of each name: languages have the same patterns."""
    by_name = {one.name: one for one in known() if one.kind == kind}
    regions = regions_of("en") if kind == PHONE else ()
    return tuple(Recognizer(one, make(one, one.language or "en", regions)) for one in by_name.values())
