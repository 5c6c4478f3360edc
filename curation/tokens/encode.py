"""Encodes kept text as token ids between the tokens that begin and end a document, and draws the validation split.

    - tokenize: {tokenizer: tokenizers/llama, begin: "<s>", end: "</s>"}

With `auto`, a document begins with what the tokenizer's own template puts before a text, and ends with what its files
call the end of text; where they do not say it, the recipe must (see `encoders/text_ends`).

`validation` is a share of the tokens of each source. Where the documents are many, it is drawn by document; where they
are few, `held_out` chooses whole documents that make it up.

The split is a hash of the seed and the document's cluster, if a dedup stage before linked it to others, else its text.
So copies land on the same side whatever their source or shard, also near copies that dedup left: with `keep: all`, or
where it split a large cluster. Of several dedup stages the last one that linked the document counts.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Component, Files, Signals
from curation.core.errors import RecipeError
from curation.core.verbs import TOKENIZE, Verb
from curation.text.kernels.hashing import Hashes, hash64
from curation.text.kernels.mix64 import splitmix64_each
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load
from curation.tokens.encoders.special_tokens import END_OF_TEXT
from curation.tokens.encoders.text_ends import AUTO, NONE
from curation.tokens.encoders.tokenizer_files import find_tokenizer
from curation.tokens.mixing.permutation import round_keys
from curation.tokens.validation_share import VALIDATION

CLUSTER = "cluster"  # field of the columns of dedup methods that link documents: the number of the cluster, or null


@dataclass(frozen=True, kw_only=True)
class Encode(Component):
    """Which tokenizer to use, and which share of the tokens to hold out."""

    tokenizer: Annotated[
        str | tuple[str, ...],
        "path or URI of a tokenizer.json, a SentencePiece model, a .tiktoken file, vocab.json beside merges.txt, or of "
        "their folder; or the files",
    ]
    begin: Annotated[str, "token before each document: auto (as the tokenizer's template), none, or its name"] = AUTO
    end: Annotated[str, "token behind each document: auto (as the tokenizer's files say), or its name"] = AUTO
    pattern: Annotated[
        str,
        "that cuts text, of files that do not say it (.tiktoken, vocab.json): auto (by the name), or gpt2, llama3 …",
    ] = AUTO
    validation: Annotated[float, "share of the tokens of each source, in whole documents"] = 0.005
    validation_by_source: Annotated[dict[str, float], "instead of `validation` for these sources"] = field(
        default_factory=dict
    )
    seed: Annotated[int, "of the draw of held-out documents"] = 0
    fast: Annotated[bool, "use tiktoken where it gives the same ids"] = True

    reads: ClassVar[tuple[str, ...]] = ("text", "doc_id", "source")
    added: ClassVar[tuple[str, ...]] = ("fast",)
    verb: ClassVar[Verb | None] = TOKENIZE
    version: ClassVar[int] = 4

    def __post_init__(self) -> None:
        for fraction in (self.validation, *self.validation_by_source.values()):
            if not 0 <= fraction <= 1:
                raise RecipeError(f"a validation fraction is {fraction}; give a number from 0 to 1")

    def assets(self) -> dict[str, Files]:
        """The files of the tokenizer, with those beside it where they may say how documents begin or end, or belong to
        a vocabulary and its merges. Raises InputError for a file that is not a tokenizer, and where nothing says how
        documents begin or end."""
        self.loaded()
        found = find_tokenizer(self.tokenizer)
        asked = AUTO in (self.begin, self.end) or len(found.main) > 1
        files = (*found.main, *(found.settings if asked else ()))
        given: Files = files[0] if files == (self.tokenizer,) else files
        return {"tokenizer": given}

    @property
    def is_fitted(self) -> bool:
        """Whether the tokenizer is one that a fit stage makes, which is not known yet."""
        return isinstance(self.tokenizer, str) and self.tokenizer.startswith("@")

    def resolved(self) -> Self:
        """With the names of the tokens that `auto` stands for, and of the pattern."""
        if self.is_fitted:
            return self
        loaded = self.loaded()
        name = loaded.text.name_of
        facts = loaded.vocabulary
        begin = NONE if facts.begin_of_text is None else name(facts.begin_of_text)
        return replace(self, begin=begin, end=name(facts.end_of_text), pattern=loaded.text.pattern)

    def loaded(self) -> LoadedTokenizer:
        """The tokenizer, read once per process."""
        return load(self.tokenizer, self.begin, self.end, self.pattern)

    def around(self) -> str:
        """The tokens around each document, with their ids, in a sentence."""
        if self.is_fitted:
            begins = "its text" if self.begin in (AUTO, NONE) else self.begin
            end = END_OF_TEXT if self.end == AUTO else self.end
            return f"each document begins with {begins} and ends with {end}, of the tokenizer that is fitted"
        resolved = self.resolved()
        facts = self.loaded().vocabulary
        begins = f"begins with {resolved.begin} (id {facts.begin_of_text})"
        begins = "begins with its text" if facts.begin_of_text is None else begins
        return f"each document {begins} and ends with {resolved.end} (id {facts.end_of_text})"

    def notes(self) -> tuple[str, ...]:
        """Lines for a plan: the tokens around each document, and what the tokenizer would drop."""
        warning = "" if self.is_fitted else self.loaded().text.warning()
        return (self.around(), warning) if warning else (self.around(),)

    def signal_types(self) -> Signals:
        """The columns that it adds; the vocabulary's size decides the type of a token. Raises InputError for a file
        that is not a tokenizer."""
        token = pa.from_numpy_dtype(self.loaded().vocabulary.dtype)
        return {"tokens": pa.large_list(token), "split": pa.string()}

    def encode(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """N documents -> tokens large_list<uint16|uint32>[N], each with what begins and ends it; split string[N],
        "train" or "validation". A null text counts as empty."""
        loaded = self.loaded()
        encode = loaded.encode if self.fast else loaded.encode_by_library
        split = pc.if_else(pa.array(self.held_out(batch)), VALIDATION, "train")
        return {"tokens": encode(batch.column("text")), "split": split}

    def fraction(self, source: str) -> float:
        """Share of the source's tokens to hold out."""
        return self.validation_by_source.get(source, self.validation)

    def draws(self, batch: pa.RecordBatch) -> Hashes:
        """uint64[N]: a random number of each document, the same for those that belong on one side of the split."""
        addend, factor = round_keys(self.seed, "validation")[:2]
        draws: Hashes = (_units(batch) + addend) * (factor | np.uint64(1))
        return draws

    def held_out(self, batch: pa.RecordBatch) -> npt.NDArray[np.bool_]:
        """bool[N]"""
        sources = batch.column("source").dictionary_encode()
        fractions = [self.fraction(name) for name in sources.dictionary.to_pylist()]
        # The top 53 bits are exact as a float; a fraction of 1 takes every document, 0 none.
        below = (self.draws(batch) >> np.uint64(11)).astype(np.float64) / 2.0**53
        held_out: npt.NDArray[np.bool_] = below < np.array(fractions, np.float64)[sources.indices.to_numpy()]
        return held_out


def linking(schema: pa.Schema) -> list[str]:
    """The columns of dedup methods that link documents."""
    structs = (column for column in schema if pa.types.is_struct(column.type))
    return [column.name for column in structs if column.type.get_field_index(CLUSTER) >= 0]


def _units(batch: pa.RecordBatch) -> Hashes:
    """uint64[N]: equal for documents that belong on one side of the split."""
    units = hash64(batch.column("text"))
    for name in linking(batch.schema):
        cluster = pc.struct_field(batch.column(name), CLUSTER)
        linked = np.asarray(cluster.is_valid())
        units[linked] = splitmix64_each(np.asarray(cluster.drop_null()).astype(np.uint64))
    return units
