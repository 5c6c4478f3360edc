"""Takes personal data out of texts: addresses, telephone numbers, cards, accounts and the numbers of persons.

    - rewrite: {pii: {}}                                        # <EMAIL>, <PHONE>, by the language of each text
    - rewrite: {pii: {of: [email, phone, ip], actions: {phone: remove}, language: {code: en}}}
    - rewrite: {pii: {variant: presidio}}                       # the spans of plain Presidio
    - rewrite: {pii: {names: {model: models/xx_ent_wiki_sm}}}   # names and places too, by a model on disk

Source: presidio-analyzer (github.com/microsoft/presidio), whose recognizers are run; see `curation.models.pii.find`
and, for what takes a value's place, `curation.models.redaction.redacts`.
Choices: of values that overlap, the one with the highest score is replaced, then the longest. It needs the extra `pii`.

               winnow                                            presidio
telephone      regions of the text's language and its page's     US, GB, DE, FR, IL, IN, CA, BR; any digits that are
               domain; after a label, with a plus sign, or in    a number in one of them
               the form of one; lists go on
numbers of     after the word for it, such as NHS                any digits of the form
persons
IP             of the internet; no version, none in a URL        any, 127.0.0.1 too
card           in groups, or bare near a word such as card       any with the right check digit
e-mail         `name (at) host dot org` too; none in a URL's     plain ones, and what looks like one in a URL
               path
separators     any space, hyphen, dash or middle dot             blanks and hyphens of ASCII
scripts        letters of another script may touch a value;      such a value is a part of the word
               digits of any script
Nothing is looked for in formulas and code but addresses, none of it in URLs; what is joined to a word, a decimal, a
date, an amount or a version is none. Uuids are looked for only where `of` names them.

The counts per document are the values found by kind. `spans` says where they were in the old text and how sure that
is; no value is stored anywhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE
from curation.core.component import Files
from curation.models.pii.find import PiiSearch, Variant, as_spans, find_personal_data
from curation.models.pii.kinds import PHONE
from curation.models.pii.names import KINDS, Names
from curation.models.pii.overlaps import PiiSpan, apart
from curation.models.pii.patterns import validity
from curation.models.pii.recognizer_list import known
from curation.models.pii.regions import countries_of
from curation.models.redaction.alike import alike
from curation.models.redaction.keyed import KeyedDraws
from curation.models.redaction.phone import phone
from curation.models.redaction.redacts import Redacts
from curation.models.redaction.surrogates import MAKERS

SURE = 0.5  # score of a telephone number that more than its digits speak for


@dataclass(frozen=True, kw_only=True)
class Pii(Redacts):
    """What is looked for, by which rules, and what is done with it."""

    variant: Annotated[Variant, "whose spans: winnow's or Presidio's"] = "winnow"
    of: Annotated[
        tuple[str, ...], "kinds; none: those that Presidio looks for unless told otherwise, but for uuid"
    ] = ()
    min_score: Annotated[float, "how sure a find must be, in [0, 1]"] = 0.4
    language: Annotated[
        str | Mapping[str, str], "of texts to which no `language` filter gave a label; or source -> language"
    ] = ""
    regions: Annotated[tuple[str, ...], "countries of telephone numbers; none: the variant's"] = ()
    names: Annotated[Names | None, "a model of names, places and addresses"] = None

    reads: ClassVar[tuple[str, ...]] = ("text", "url", LANGUAGE)
    reads_if_there: ClassVar[tuple[str, ...]] = ()
    by_source: ClassVar[Mapping[str, str]] = {LANGUAGE: "language"}
    libraries: ClassVar[tuple[str, ...]] = ("presidio-analyzer", "phonenumbers", "spacy", "tldextract", "regex")
    version: ClassVar[int] = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language:
            sources = () if isinstance(self.language, str) else ("source",)
            object.__setattr__(self, "reads", ("text", "url", *sources))
            object.__setattr__(self, "reads_if_there", (LANGUAGE,))

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
        countries = countries_of(batch.column("url")) if "url" in batch.schema.names else None
        rows = self._found(text, self._languages(batch), self._sought(), countries)
        if self.names:
            for spans, content in zip(rows, text.cast(pa.large_binary()).to_pylist(), strict=True):
                spans += self.names.find(content) if content else []
        return as_spans([apart(spans) for spans in rows])

    def find_words(self, words: pa.Array) -> pa.Array:
        """What is found in any of the languages whose numbers are looked for. Left out are names, which a model knows
        by the sentence, and digits that only their number makes a telephone number: those of URLs are a page's."""
        rows = list[list[PiiSpan]]([] for _ in words)
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

    def surrogate(self, value: str, kind: str, key: KeyedDraws) -> str:
        """What looks like the value, and is one of its kind where that has a form."""
        if kind == PHONE:
            return phone(value, kind, key, validity(value, kind))
        if kind in MAKERS:
            return super().surrogate(value, kind, key)
        return alike(value, kind, key, is_valid=validity(value, kind))

    def _by_language(self) -> Iterator[PiiSearch]:
        """All kinds in one language, then in each other language those that are looked for in it alone."""
        sought = self._sought()
        yield sought
        own = {(one.language, one.kind) for one in known() if one.kind in sought.all() and one.language}
        for language in sorted({language for language, _ in own} - {sought.language}):
            kinds = tuple(sorted(kind for of, kind in own if of == language))
            yield replace(sought, language=language, kinds=kinds)

    def _languages(self, batch: pa.RecordBatch) -> pa.Array | None:
        """string[N]: the label of each text, else the language of its source; null where neither is known."""
        labels = pc.struct_field(batch.column(LANGUAGE), "label") if LANGUAGE in batch.schema.names else None
        if not isinstance(self.language, Mapping) or "source" not in batch.schema.names:
            return labels
        names = list(self.language)
        languages = pa.array(self.language.values(), pa.string())
        of_source = languages.take(pc.index_in(batch.column("source"), pa.array(names, pa.string())))
        return of_source if labels is None else pc.coalesce(labels.cast(pa.string()), of_source)

    def _found(
        self,
        text: pa.Array,
        languages: pa.Array | None,
        sought: PiiSearch,
        countries: pa.DictionaryArray | None = None,
    ) -> list[list[PiiSpan]]:
        found = find_personal_data(text, languages, sought, countries).to_pylist()
        return [[PiiSpan(**span) for span in spans] for spans in found]

    def _sought(self) -> PiiSearch:
        return PiiSearch(
            variant=self.variant,
            kinds=self.of,
            min_score=self.min_score,
            regions=self.regions,
            language=self.language if self.language and isinstance(self.language, str) else "en",
        )


def _is_bare(span: PiiSpan, content: bytes) -> bool:
    """Whether a number has neither signs between its digits nor a word before it that makes it surer."""
    return span.score < SURE and content[span.start : span.end].decode("utf-8", "replace").isdecimal()
