"""Toxicity: drop documents with too many words on their language's list, or that a classifier finds toxic.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
(arXiv:1910.10683), section 2.2, which drops a page for one listed word: `max_terms: 0` here. Dodge et al. 2021,
"Documenting Large Webtext Corpora" (arXiv:2104.08758) found that this hits texts by and about minorities most, so the
default limits the share of words, as in Laurençon et al. 2022, "The BigScience ROOTS Corpus" (arXiv:2303.03915).
Choices the papers leave open: the share is Data-Juicer's, 0.045 of the words. `curation/text/phrases/terms.py` defines
words and how terms match. In scripts without spaces between words (Chinese, Japanese, Thai), a term matches anywhere
and each character counts as a word. A text in a language without a list has no terms.

The built-in lists are short and mild. Replace them per language with files: one term per line, in UTF-8; blank lines
and lines that begin with "# " are ignored. A fastText classifier reads the whole text as one line; a text without a
word has no score, so it is unmeasured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE, ByLanguage
from curation.core.component import Files, Signals
from curation.core.errors import InputError, RecipeError
from curation.core.limits import COUNTS, SHARES, Limit, When
from curation.models.fasttext.classifier import load, locate
from curation.models.lists.terms import read_terms
from curation.models.text_windows import whole
from curation.text.kernels.buffers import Indices
from curation.text.phrases.term_places import count_terms
from curation.text.phrases.terms import Terms, term_tree
from curation.text.spans import ratio

# Separated by commas. Terms that also have a harmless meaning ("queer", "breast") are left out on purpose.
EMBEDDED = {
    "de": "arschloch, dreckskerl, drecksack, leck mich, mistkerl, pornofilm, pornos, scheißkerl, verpiss dich",
    "en": "arsehole, arseholes, asshole, assholes, bastard, bitch, bullshit, crap, dickhead, fuck, fucked, fucking, "
    "go to hell, jackass, moron, morons, piss off, porn, porn videos, scumbag, shit, shitty, wanker, xxx videos",
    "es": "cabrón, gilipollas, hijo de puta, idiota de mierda, imbécil, porno, puta madre, vete a la mierda",
    "fr": "abruti, connard, connards, connasse, fils de pute, salaud, ta gueule, va te faire voir, vidéos porno",
    "it": "bastardo, coglione, figlio di puttana, pezzo di merda, stronza, stronzo, vaffanculo, video porno",
    "ja": "くそったれ, くそ野郎, エロ動画, ポルノ動画, 糞野郎, 馬鹿野郎",
    "pt": "caralho, cretino, filho da puta, pornô, puta que pariu, vai se foder, vai à merda",
    "ru": "мразь, пошёл к чёрту, порно, порнуха, сволочь, ублюдок",
    "th": "คลิปโป๊, หนังโป๊, ไอ้สัตว์, ไอ้เลว",
    "zh": "他妈的, 傻逼, 成人视频, 混蛋, 王八蛋, 色情电影, 色情片",
}
CLASSIFIED: When = {"classifier": ()}


@dataclass(frozen=True, kw_only=True)
class Toxicity(ByLanguage):
    """Limits on terms, and on a classifier's score if one is named."""

    language: Annotated[
        str, "of every text; empty: each text's own, from the filter `language` in an earlier stage"
    ] = ""
    term_lists: Annotated[Mapping[str, str], "language -> file that replaces the built-in list"] = field(
        default_factory=dict
    )
    max_terms: Annotated[int | None, "occurrences; None: no limit"] = None
    max_term_share: Annotated[float, "words in terms per word"] = 0.045
    classifier: Annotated[str, "path or URI of a fastText model; empty: no classifier"] = ""
    label: Annotated[str, "of the classifier"] = "toxic"
    max_score: Annotated[float, "of that label"] = 0.5

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("terms", most="max_terms", between=COUNTS),
        Limit("term_share", most="max_term_share", between=SHARES),
        Limit("score", most="max_score", between=SHARES, when=CLASSIFIED),
    )
    counts_with: ClassVar[dict[str, When]] = {"label": CLASSIFIED}
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.language:
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))
            return
        unused = sorted(set(self.term_lists) - {self.language})
        if unused:
            raise RecipeError(
                f"the terms for {unused[0]} are never used: language: {self.language} applies to every text"
            )
        if self.language not in {*EMBEDDED, *self.term_lists}:
            raise RecipeError(f"no terms for {self.language}; give a file: `term_lists: {{{self.language}: FILE}}`")

    def assets(self) -> dict[str, Files]:
        """The files that are named. Raises InputError for one that is missing or unusable."""
        for file in self.term_lists.values():
            read_terms(file)
        files: dict[str, Files] = {"term_lists": dict(self.term_lists)} if self.term_lists else {}
        if self.classifier:
            files["classifier"] = locate(self.classifier)
            self._label_number()
        return files

    def signal_types(self) -> Signals:
        """The terms, their share of the words and, with a classifier, its score."""
        terms = {"terms": pa.int64(), "term_share": pa.float64()}
        return {**terms, "score": pa.float64()} if self.classifier else terms

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> terms int64[N], term_share float64[N] and, with a classifier, score float64[N].

        The score is null for a text without a word.
        """
        text = batch.column("text")
        languages, terms = _lists(tuple(sorted(self.term_lists.items())))
        counts = count_terms(text, terms, self._list_numbers(batch, languages))
        signals = {"terms": counts.terms, "term_share": ratio(counts.words_in_terms, counts.words)}
        arrays = {name: pa.array(values) for name, values in signals.items()}
        if self.classifier:
            scores = load(self.classifier).scores(whole(text))[:, self._label_number()]
            arrays["score"] = pa.array(scores, mask=np.isnan(scores))
        return arrays

    def _list_numbers(self, batch: pa.RecordBatch, languages: tuple[str, ...]) -> Indices:
        """int64[N]: number of the list for each document, -1 for none."""
        if self.language:
            return np.full(len(batch), languages.index(self.language), np.int64)
        labels = pc.struct_field(batch.column(LANGUAGE), "label")
        numbers = pc.fill_null(pc.index_in(labels, pa.array(languages, labels.type)), -1)
        return np.asarray(numbers, np.int64)

    def _label_number(self) -> int:
        labels = load(self.classifier).labels.tolist()
        if self.label not in labels:
            raise InputError(
                f"{self.classifier} has no label {self.label!r}; set `label` to one of {', '.join(labels)}"
            )
        return int(labels.index(self.label))


@lru_cache(maxsize=4)
def _lists(files: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], Terms]:
    """The languages that have a list, in the order of the lists, and their terms."""
    lists = {language: tuple(term.strip() for term in terms.split(",")) for language, terms in EMBEDDED.items()}
    lists.update((language, read_terms(file)) for language, file in files)
    return tuple(lists), term_tree(tuple(lists.values()))
