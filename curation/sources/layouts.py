"""The table of ready corpora: a row for each name that `corpus` knows, read in 2026-11.

`subset` is the part of the corpus that a document is of, as the corpus names it; those that are taken from a path, and
the languages of Institutional Books, are known from use. `winnow inspect` tells which of the fields a file has.
"""

from collections.abc import Iterable, Mapping

from curation.sources.corpora.collections import COLLECTIONS
from curation.sources.corpora.generated import GENERATED
from curation.sources.corpora.layout import CorpusLayout, Form
from curation.sources.corpora.programs import PROGRAMS
from curation.sources.corpora.web import WEB
from curation.sources.corpora.works import WORKS

__all__ = ["LAYOUTS", "CorpusLayout", "Form", "published", "without_text"]

LAYOUTS: Mapping[str, CorpusLayout] = dict(
    sorted({**COLLECTIONS, **GENERATED, **PROGRAMS, **WEB, **WORKS}.items(), key=lambda one: one[0])
)


def published(layout: CorpusLayout) -> str:
    """The version that is known and the publisher's licence, in words; "" where neither is known."""
    licence = f"licence {layout.licence}" if layout.licence else ""
    version = f"layout as of {layout.version}" if layout.version else ""
    access = "its publisher asks you to log in and to accept its terms" if layout.gated else ""
    return "; ".join(part for part in (version, licence, access) if part)


def without_text(fields: Iterable[str]) -> str:
    """What to do with a file of these fields, where it is of a corpus that has an edition without texts; "" if not."""
    names = set(fields)
    fitting = [name for name, one in LAYOUTS.items() if one.marks and names.issuperset(one.marks)]
    most = max((len(LAYOUTS[name].marks) for name in fitting), default=0)
    best = [name for name in fitting if len(LAYOUTS[name].marks) == most]
    return f"it may be of {' or '.join(best)}: {LAYOUTS[best[0]].without_text}" if best else ""
