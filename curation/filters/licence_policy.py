"""Licence: keep documents whose declared licence is one that the recipe allows.

Source: Kandpal et al. 2025, "The Common Pile v0.1" (arXiv:2506.05209), which keeps the public domain and licences of
the Open Definition 2.1, for code only permissive ones; Kocetkov et al. 2022, "The Stack" (arXiv:2211.15533), permissive
licences only.

The column `licence` holds what the file or data set states, or what extraction read from the page (`rel=license`,
metadata). `curation.text.licences.expressions` reads names as people write them. If a statement requires several
licences ("CC-BY-SA-4.0/3.0", "MIT AND ISC"), all must be allowed; if it offers a choice ("MIT OR GPL-3.0-only"), one is
enough. `allow` and `deny` take names ("CC-BY-4.0"), families ("CC-BY-*": any version of that licence, but not
CC-BY-SA), groups ("permissive"), and "*" for all. `deny` wins over `allow`. `winnow funnel` lists licences that were
stated but not recognized. Most web pages state nothing; for them, list what to exclude:

    - filter: {licence_policy: {allow: ["*"], deny: [restricted], none_stated: keep, unknown: keep}}

Choices the papers leave open: by default, a document with no licence or an unknown one is dropped.
"""

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import close_names
from curation.core.component import Signals
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.text.licences.expressions import NONE_STATED, UNKNOWN, asked_for, licence_name
from curation.text.licences.names import GROUPS, NAMES

_FAMILIES = tuple(dict.fromkeys(re.sub(r"-\d.*", "-*", name) for name in NAMES if re.search(r"-\d", name)))


@dataclass(frozen=True, kw_only=True)
class LicencePolicy(Filter):
    """What is allowed, what is denied, and what happens to documents without a licence or with an unknown one."""

    allow: Annotated[tuple[str, ...], "SPDX names and groups"] = (
        "public-domain",
        "permissive",
        "attribution",
        "share-alike",
    )
    deny: Annotated[tuple[str, ...], "the same, before what is allowed"] = ()
    none_stated: Annotated[Literal["keep", "drop"], "documents that state no licence"] = "drop"
    unknown: Annotated[Literal["keep", "drop"], "documents whose licence is not known"] = "drop"

    reads: ClassVar[tuple[str, ...]] = ("licence",)
    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("stated", least=1, when={"none_stated": ("drop",)}),
        Limit("known", least=1, when={"unknown": ("drop",)}),
        Limit("name", one_of="kept"),
    )
    deciding: ClassVar[tuple[str, ...]] = ("allow", "deny", "none_stated", "unknown")
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("license-expression",)  # defines the names and groups

    def __post_init__(self) -> None:
        if not self._allowed():
            raise RecipeError(f"deny {list(self.deny)} leaves nothing of allow {list(self.allow)}")

    def signal_types(self) -> Signals:
        """Two flags and the expression."""
        return {"stated": pa.int64(), "known": pa.int64(), "name": pa.string()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `name` string[N], an SPDX expression, "none stated" or "unknown", and `stated` and
        `known` int64[N], 0 or 1. `known` is 1 where nothing is stated."""
        texts = pc.dictionary_encode(batch.column("licence").cast(pa.string()))
        expressions = [asked_for(text) for text in texts.dictionary.to_pylist()]  # each distinct one is parsed once
        names = pc.fill_null(pa.array(expressions, pa.string()).take(texts.indices), NONE_STATED)
        return {
            "stated": pc.not_equal(names, NONE_STATED).cast(pa.int64()),
            "known": pc.not_equal(names, UNKNOWN).cast(pa.int64()),
            "name": names,
        }

    @property
    def kept(self) -> tuple[str, ...]:
        """The values of `name` that are kept; `stated` and `known` judge the last two."""
        return (*self._allowed(), NONE_STATED, UNKNOWN)

    def _allowed(self) -> tuple[str, ...]:
        denied = {name for entry in self.deny for name in _meant(entry)}
        allowed = {name for entry in self.allow for name in _meant(entry)}
        return tuple(name for name in NAMES if name in allowed and name not in denied)


def _meant(entry: str) -> tuple[str, ...]:
    """The identifiers that a name, family or group stands for. Raises RecipeError if it is none of these."""
    if entry == "*":
        return NAMES
    if entry in GROUPS:
        return GROUPS[entry]
    if entry.endswith("-*"):
        kind = re.compile(rf"{re.escape(entry[:-2])}(?:-\d.*)?", re.IGNORECASE)
        names = tuple(name for name in NAMES if kind.fullmatch(name))
    else:
        name = licence_name(entry)
        names = () if name is None else (name,)
    if not names:
        close = close_names(entry, (*NAMES, *_FAMILIES, *GROUPS), 3)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"groups are {', '.join(GROUPS)}"
        raise RecipeError(f"no licence, family or group {entry!r}; {hint}")
    return names
