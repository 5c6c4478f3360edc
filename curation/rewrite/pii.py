"""Takes personal data out of texts: addresses, telephone numbers, cards, accounts and the numbers of persons.

    - rewrite: {pii: {}}                                        # <EMAIL>, <PHONE>, by the language of each text
    - rewrite: {pii: {of: [email, phone, ip], public_ips: true, actions: {phone: remove}, language: en}}
    - rewrite: {pii: {names: {model: models/xx_ent_wiki_sm}}}   # names and places too, by a model on disk

Source: presidio-analyzer (github.com/microsoft/presidio), whose recognizers are run, with rules of our own that can be
turned off one by one; see `curation.models.pii.find` and, for what takes a value's place,
`curation.models.redaction.redacts`.
Choices: of values that overlap, the one with the highest score is replaced, then the longest. An address of a network
at home is no personal data with `public_ips`. It needs the extra `pii`.

The counts per document are the values found by kind. `spans` says where they were in the old text and how sure that
is; no value is stored anywhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_interface
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE
from curation.core.protocols import Files
from curation.models.pii.find import Sought, as_spans, find_personal_data
from curation.models.pii.kinds import PHONE
from curation.models.pii.names import KINDS, Names
from curation.models.pii.overlaps import Span, apart
from curation.models.pii.recognizer_list import known
from curation.models.pii.valid import validity
from curation.models.redaction.alike import alike
from curation.models.redaction.keyed import Keyed
from curation.models.redaction.phone import phone
from curation.models.redaction.redacts import Redacts
from curation.models.redaction.surrogates import MAKERS

SURE = 0.5  # score of a telephone number that more than its digits speak for


@dataclass(frozen=True, kw_only=True)
class Pii(Redacts):
    """What is looked for, by which rules, and what is done with it."""

    of: tuple[str, ...] = ()  # kinds; none: those that Presidio looks for unless told otherwise
    min_score: float = 0.4  # how sure a find must be, in [0, 1]
    language: str = ""  # of all texts, such as en; "": the label that a `language` filter before gave each
    regions: tuple[str, ...] = ()  # countries of telephone numbers; none: Presidio's and those of the text's language
    public_ips: bool = False  # leave out addresses that no other network can reach
    names: Names | None = None  # a model of names, places and addresses
    hidden_addresses: bool = True  # find `name (at) domain dot org` too
    more_phones: bool = True  # find numbers after a label or a plus sign, of any country
    more_cards: bool = True  # find cards of ranges that Presidio lacks
    small_ibans: bool = True  # find accounts in small letters too
    other_numbers: bool = True  # dates, amounts and the like are no telephone numbers
    versions: bool = True  # numbers of versions are no IP addresses

    reads: ClassVar[tuple[str, ...]] = ("text", LANGUAGE)
    libraries: ClassVar[tuple[str, ...]] = ("presidio-analyzer", "phonenumbers", "spacy", "tldextract", "regex")
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language:
            object.__setattr__(self, "reads", ("text",))

    def assets(self) -> Mapping[str, Files]:
        """The model's files. Raises RecipeError for kinds and countries that are not known, InputError for a model that
        cannot be used."""
        self._sought().check()
        self.check_actions()
        return {"names": self.names.files()} if self.names else {}

    def packages(self) -> tuple[str, ...]:
        """What runs the model of names, beside the libraries."""
        return self.names.packages() if self.names else ()

    def kinds(self) -> tuple[str, ...]:
        return (*self._sought().all(), *(KINDS if self.names else ()))

    def find(self, batch: pa.RecordBatch) -> pa.Array:
        """SPANS[N] that do not overlap."""
        text = batch.column("text")
        languages = None if self.language else pc.struct_field(batch.column(LANGUAGE), "label")
        rows = self._found(text, languages, self._sought())
        if self.names:
            for spans, content in zip(rows, text.cast(pa.large_binary()).to_pylist(), strict=True):
                spans += self.names.find(content) if content else []
        return as_spans([apart(spans) for spans in rows])

    def find_words(self, words: pa.Array) -> pa.Array:
        """What is found in any of the languages whose numbers are looked for. Left out are names, which a model knows
        by the sentence, and digits that only their number makes a telephone number: those of URLs are a page's."""
        rows = list[list[Span]]([] for _ in words)
        for sought in self._by_language():
            for spans, found in zip(rows, self._found(words, None, sought), strict=True):
                spans += found
        contents = words.view(pa.large_binary()).to_pylist()
        return as_spans(
            [
                apart(span for span in spans if span.kind != PHONE or not _is_bare(span, content))
                for spans, content in zip(rows, contents, strict=True)
            ]
        )

    def surrogate(self, value: str, kind: str, key: Keyed) -> str:
        """What looks like the value, and is one of its kind where that has a form."""
        if kind == PHONE:
            return phone(value, kind, key, validity(value, kind))
        if kind in MAKERS:
            return super().surrogate(value, kind, key)
        return alike(value, kind, key, is_valid=validity(value, kind))

    def _by_language(self) -> Iterator[Sought]:
        """All kinds in one language, then in each other language those that are looked for in it alone."""
        sought = self._sought()
        yield sought
        own = {(one.language, one.kind) for one in known() if one.kind in sought.all() and one.language}
        for language in sorted({language for language, _ in own} - {sought.language}) if not self.language else ():
            kinds = tuple(sorted(kind for of, kind in own if of == language))
            yield replace(sought, language=language, kinds=kinds)

    def _found(self, text: pa.Array, languages: pa.Array | None, sought: Sought) -> list[list[Span]]:
        rows = [[Span(**span) for span in spans] for spans in find_personal_data(text, languages, sought).to_pylist()]
        if self.public_ips:
            contents = text.view(pa.large_binary()).to_pylist()
            rows = [
                [span for span in spans if span.kind != "ip" or _is_public(span, content)]
                for spans, content in zip(rows, contents, strict=True)
            ]
        return rows

    def _sought(self) -> Sought:
        return Sought(
            kinds=self.of,
            min_score=self.min_score,
            regions=self.regions,
            language=self.language or "en",
            hidden_addresses=self.hidden_addresses,
            more_phones=self.more_phones,
            more_cards=self.more_cards,
            small_ibans=self.small_ibans,
            other_numbers=self.other_numbers,
            versions=self.versions,
        )


def _is_bare(span: Span, content: bytes) -> bool:
    """Whether a number has neither signs between its digits nor a word before it that makes it surer."""
    return span.score < SURE and content[span.start : span.end].isdigit()


def _is_public(span: Span, content: bytes) -> bool:
    return ip_interface(content[span.start : span.end].decode()).ip.is_global
