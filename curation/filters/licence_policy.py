"""Licence: keep documents whose declared licence is one of those that the recipe allows.

Source: Kandpal et al. 2025, "The Common Pile v0.1" (arXiv:2506.05209), which keeps what is in the public domain or
under a licence of the Open Definition 2.1, code only under a permissive one; Kocetkov et al. 2022, "The Stack"
(arXiv:2211.15533), permissive licences only.

What counts is the column `licence`, where a source has put what the file or data set states and extraction what the
page states (`rel=license`, metadata); its names, as people write them, are read by
`curation.text.licences.expressions`. Where a statement asks for several ("CC-BY-SA-4.0/3.0", "MIT AND ISC"), all of
them must be allowed; where it leaves the choice ("MIT OR GPL-3.0-only"), one. `allow` and `deny` take names
("CC-BY-4.0"), families ("CC-BY-*": that licence in any version, not CC-BY-SA), groups ("permissive"), "*" for all. A
denied one is never allowed. What is stated but not known is listed by `winnow funnel`. For web pages, of which most
state nothing, a list of what must not be:

    - filter: {licence_policy: {allow: ["*"], deny: [restricted], none_stated: keep, unknown: keep}}

Choices the papers leave open: by default, a document that states no licence, or one that is not known, is dropped.
"""

import difflib
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import RecipeError
from curation.core.rules import Rule
from curation.text.licences.expressions import NONE_STATED, UNKNOWN, asked_for, licence_name
from curation.text.licences.names import GROUPS, NAMES

_FAMILIES = tuple(dict.fromkeys(re.sub(r"-\d.*", "-*", name) for name in NAMES if re.search(r"-\d", name)))


@dataclass(frozen=True, kw_only=True)
class LicencePolicy:
    """What is allowed, what is not, and what becomes of documents that state no licence or none that is known."""

    allow: tuple[str, ...] = ("public-domain", "permissive", "attribution", "share-alike")
    deny: tuple[str, ...] = ()
    none_stated: Literal["keep", "drop"] = "drop"
    unknown: Literal["keep", "drop"] = "drop"

    reads: ClassVar[tuple[str, ...]] = ("licence",)
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("license-expression",)  # whose list says which names there are, in groups

    def __post_init__(self) -> None:
        if not self._allowed():
            raise RecipeError(f"deny {list(self.deny)} leaves nothing of allow {list(self.allow)}")

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `name` string[N], an SPDX expression, "none stated" or "unknown", and `stated` and
        `known` int64[N], 0 or 1; a licence is only unknown where one is stated. The statement itself stays in the
        column `licence`. Each different one is read once."""
        texts = pc.dictionary_encode(batch.column("licence").cast(pa.string()))
        found = [asked_for(text) for text in texts.dictionary.to_pylist()]
        names = pc.fill_null(pa.array(found, pa.string()).take(texts.indices), NONE_STATED)
        return {
            "stated": pc.not_equal(names, NONE_STATED).cast(pa.int64()),
            "known": pc.not_equal(names, UNKNOWN).cast(pa.int64()),
            "name": names,
        }

    def rules(self) -> tuple[Rule, ...]:
        stated = (Rule("stated", at_least=1),) if self.none_stated == "drop" else ()
        known = (Rule("known", at_least=1),) if self.unknown == "drop" else ()
        return (*stated, *known, Rule("name", one_of=(*self._allowed(), NONE_STATED, UNKNOWN)))

    def _allowed(self) -> tuple[str, ...]:
        denied = {name for one in self.deny for name in _meant(one)}
        allowed = {name for one in self.allow for name in _meant(one)}
        return tuple(name for name in NAMES if name in allowed and name not in denied)


def _meant(given: str) -> tuple[str, ...]:
    """The identifiers that a name, family or group stands for. Raises RecipeError for what is none."""
    if given == "*":
        return NAMES
    if given in GROUPS:
        return GROUPS[given]
    if given.endswith("-*"):
        kind = re.compile(rf"{re.escape(given[:-2])}(?:-\d.*)?", re.IGNORECASE)
        found = tuple(name for name in NAMES if kind.fullmatch(name))
    else:
        name = licence_name(given)
        found = () if name is None else (name,)
    if not found:
        close = difflib.get_close_matches(given, (*NAMES, *_FAMILIES, *GROUPS))
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"groups are {', '.join(GROUPS)}"
        raise RecipeError(f"no licence, family or group {given!r}; {hint}")
    return found
