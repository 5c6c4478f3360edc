"""Which groups a document belongs to: by its address, date, declared language, length, and the terms in its text.

N rows of a first stage's shard, K pairs of a row and a group.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.audit.associations import pair_index
from curation.account.audit.domains import NONE, domains_of
from curation.account.audit.term_index import TermIndex
from curation.account.audit.term_lists import Named, TermLists
from curation.account.sealed.rows import Ints
from curation.core.composed import Files, read_rows, schema_of
from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import text_array
from curation.text.phrases.term_places import TermPlaces
from curation.text.urls.hosts import last_labels
from curation.text.urls.parse import Urls, parse_urls

BY = ("language", "declared_language", "domain", "country", "date", "length", "dialect", "mention")
LANGUAGE, DECLARED, DOMAIN, COUNTRY, DATE, LENGTH, DIALECT, MENTION = BY
TEXTUAL = (LENGTH, DIALECT, MENTION)
LENGTHS = (250, 1_000, 4_000, 16_000, 64_000)  # characters, between the groups by length
LEAST_PLACES = 2  # of a list's terms in a document of its group: one may be a coincidence
NO_TEXT = len(LENGTHS) + 1
# Country-code domains in other scripts; they are under-counted if one is missing here.
FOREIGN = {
    **{"xn--90ais": "by", "xn--fiqs8s": "cn", "xn--fiqz9s": "cn", "xn--qxam": "gr", "xn--j6w193g": "hk"},
    **{"xn--h2brj9c": "in", "xn--3e0b707e": "kr", "xn--p1ai": "ru", "xn--mgberp4a5d4ar": "sa", "xn--90a3ac": "rs"},
    **{"xn--o3cw4h": "th", "xn--kprw13d": "tw", "xn--kpry57d": "tw", "xn--j1amh": "ua", "xn--mgbaam7a8h": "ae"},
}
GENERIC = "(generic)"  # a top-level domain of no country


Names = dict[str, int]  # the groups of one kind, numbered in order of appearance


def numbered(values: pa.Array, names: Names, name_of: Callable[[str | None], str]) -> Ints:
    """int64[N]: the number of each value's group; `name_of` gives the group of a value or of null, and new groups are
    added to `names`."""
    encoded = values.dictionary_encode(null_encoding="encode")
    own = [names.setdefault(group, len(names)) for group in map(name_of, encoded.dictionary.to_pylist())]
    return np.array(own, np.int64)[np.asarray(encoded.indices, np.int64)]


@dataclass(frozen=True, eq=False)
class Membership:
    """Row int64[K], ascending, and its group int64[K]; a row may be in several groups, or in none."""

    rows: Ints
    groups: Ints


@dataclass(frozen=True, eq=False)
class DocumentTraits:
    """`domains` int64[N] as numbers in `Grouping.domains`, its length for any other; `lengths` int64[N], NO_TEXT where
    a row has no text or it was not read."""

    domains: Ints
    lengths: Ints
    members: dict[str, Membership]


@dataclass(eq=False)
class Grouping:
    """The kinds of groups to tell apart, and the numbers of their groups."""

    by: Sequence[str]
    lists: TermLists
    domains: Sequence[str]  # those compared
    names: dict[str, Names] = field(init=False)

    def __post_init__(self) -> None:
        fixed = {
            DOMAIN: [*self.domains, NONE],
            LENGTH: length_names(),
            DIALECT: self.lists.dialects,
            MENTION: self.lists.mentions,
        }
        self.names = {by: {name: number for number, name in enumerate(fixed.get(by, ()))} for by in self.by}

    @property
    def termed(self) -> bool:
        return DIALECT in self.by or MENTION in self.by

    @property
    def termed_groups(self) -> Named:
        """The dialects, then the mentions."""
        return {**self.lists.dialects, **self.lists.mentions}

    @cached_property
    def index(self) -> TermIndex:
        return pair_index(self.termed_groups, self.lists.attributes)

    def describe(
        self, files: Files, rows: Ints | None = None, hear: Callable[[TermPlaces], None] = lambda _: None
    ) -> DocumentTraits:
        """All rows of a first stage's shard, or those with the numbers int64[N] (ascending); reads a row group at a
        time. `hear` gets the places of terms in each."""
        wanted = ["url", *(["crawled_at"] if DATE in self.by else []), *([DECLARED] if DECLARED in self.by else [])]
        wanted += ["text"] if set(TEXTUAL) & set(self.by) else []
        parts = [self._describe(schema_of(files, wanted).empty_table(), 0, hear)]  # a shard may have no row group
        first = 0
        for table in read_rows(files, wanted, rows=rows):
            parts.append(self._describe(table, first, hear))
            first += table.num_rows
        return DocumentTraits(
            np.concatenate([part.domains for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            {by: _joined([part.members[by] for part in parts]) for by in parts[0].members},
        )

    def _describe(self, table: pa.Table, first: int, hear: Callable[[TermPlaces], None]) -> DocumentTraits:
        urls = parse_urls(table["url"].cast(pa.large_string()).combine_chunks())
        registered = domains_of(urls)
        numbers = pc.index_in(registered, pa.array(self.domains, pa.string()))
        domains = np.asarray(pc.fill_null(numbers, len(self.domains)), np.int64)
        lengths = np.full(table.num_rows, NO_TEXT)
        codes = dict(self._of_columns(table, urls, registered, domains))
        members = {by: _members(groups) for by, groups in codes.items()}
        if "text" in table.column_names:
            valid = np.asarray(table["text"].is_valid())
            characters = np.asarray(pc.fill_null(pc.utf8_length(table["text"]), 0))
            lengths = np.where(valid, np.searchsorted(LENGTHS, characters, side="right"), NO_TEXT)
            members[LENGTH] = _members(np.where(valid, lengths, -1))
        if self.termed:
            places = self.index.places(table["text"])
            hear(places)
            rows, groups = np.nonzero(self.index.counts(places) >= LEAST_PLACES)
            dialects = len(self.lists.dialects)
            mentions = len(self.lists.mentions)
            spoken = groups < dialects
            named = (groups >= dialects) & (groups < dialects + mentions)
            members[DIALECT] = Membership(rows[spoken], groups[spoken])
            members[MENTION] = Membership(rows[named], groups[named] - dialects)
        shifted = {by: Membership(m.rows + first, m.groups) for by, m in members.items() if by in self.by}
        return DocumentTraits(domains, lengths, shifted)

    def _of_columns(
        self, table: pa.Table, urls: Urls, registered: pa.Array, domains: Ints
    ) -> Iterator[tuple[str, Ints]]:
        if DOMAIN in self.by:
            others = np.where(np.asarray(registered.is_null()), len(self.domains), -1)
            yield DOMAIN, np.where(domains < len(self.domains), domains, others)
        if COUNTRY in self.by:
            labels = text_array(
                *gather(urls.data, last_labels(urls.data, urls.starts, urls.host_stops), urls.host_stops)
            )
            yield COUNTRY, numbered(labels.cast(pa.string()), self.names[COUNTRY], country)
        if DATE in self.by:
            months = pc.strftime(table["crawled_at"].combine_chunks(), "%Y-%m")
            yield DATE, numbered(months, self.names[DATE], lambda month: month or "(unknown)")
        if DECLARED in self.by:
            yield DECLARED, numbered(table[DECLARED].combine_chunks(), self.names[DECLARED], declared)


def country(label: str | None) -> str:
    """The group of a host's last label: its country's code, as in "uk"; GENERIC, or NONE without a name."""
    if not label or label.isdigit() or label.endswith("]"):
        return NONE
    return FOREIGN.get(label, label if len(label) == 2 else GENERIC)


def declared(tag: str | None) -> str:
    """The language of a BCP 47 tag: "en" for "en-GB"."""
    return tag.replace("_", "-").partition("-")[0].strip().lower() if tag and tag.strip() else "(none)"


def length_names() -> list[str]:
    """The groups by length, in characters."""
    bounds = [f"{bound:,}" for bound in LENGTHS]
    between = [f"{low} to {high}" for low, high in pairwise(bounds)]
    return [f"under {bounds[0]}", *between, f"from {bounds[-1]}"]


def _members(groups: Ints) -> Membership:
    rows = np.flatnonzero(groups >= 0)
    return Membership(rows, groups[rows])


def _joined(parts: Sequence[Membership]) -> Membership:
    return Membership(np.concatenate([part.rows for part in parts]), np.concatenate([part.groups for part in parts]))
