"""Groups of texts for judging a tokenizer, and their sizes: by language, programming language and source.

The language comes from the `language` rule set, else from the declared one without its region. A document is code if
its declared language is a programming language or its file name implies one. The file name is that of a bare path in
`url`, or of any URL if `code_quality` measured it. Code has no natural language; the group CODE_OF_ALL has all code. N
= rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.by_language import LANGUAGE
from curation.text.code.languages import file_names, programming_languages
from curation.text.shingles import shingle_hashes
from curation.text.sizes import count_characters

ALL = "all"
CODE = "code"
SOURCE = "source"
ALL_TEXT = "all text"
CODE_OF_ALL = "all code"
CODE_RULES = "code_quality"
COLUMNS = (LANGUAGE, CODE_RULES)  # optional columns that decide the groups
_SUBTAG = r"^(?P<language>[A-Za-z]{2,3})(?:[-_].*)?$"


@dataclass
class GroupSums:
    """Sums over the documents of a group."""

    documents: int = 0
    bytes: int = 0
    characters: int = 0
    words: int = 0


def names_by_kind(source: str, table: pa.Table) -> list[tuple[str, pa.Array]]:
    """(kind, string[N]: each row's group of that kind, null for none); a kind may occur twice."""
    declared = table["declared_language"].combine_chunks().cast(pa.string())
    urls = table["url"].combine_chunks().cast(pa.string())
    if CODE_RULES not in table.column_names:  # a page's ".php" does not mean code
        urls = pc.if_else(pc.fill_null(pc.match_substring(urls, "://"), False), pa.scalar(None, pa.string()), urls)
    code = programming_languages(file_names(urls), declared)
    if LANGUAGE in table.column_names:
        language = pc.struct_field(table[LANGUAGE].combine_chunks(), "label").cast(pa.string())
    else:
        language = pc.utf8_lower(pc.struct_field(pc.extract_regex(declared, _SUBTAG), "language"))
    nothing = pa.scalar(None, pa.string())
    everything = pa.array([ALL_TEXT, source], pa.string())
    rows = np.zeros(table.num_rows, np.int32)
    return [
        (ALL, everything.take(pa.array(rows))),
        (LANGUAGE, pc.if_else(code.is_valid(), nothing, language)),
        (CODE, pc.if_else(code.is_valid(), CODE_OF_ALL, nothing)),
        (CODE, code),
        (SOURCE, everything.take(pa.array(rows + 1))),
    ]


def sums_by_group(
    kinds: list[tuple[str, pa.Array]], values: Mapping[str, pa.Array]
) -> dict[tuple[str, str], list[int]]:
    """(kind, group) -> number of rows, then the sum of each of the `values` int64[N]."""
    groups = {}
    for kind, names in kinds:
        grouped = pa.table({"name": names, **values}).filter(names.is_valid()).group_by("name")
        sums = grouped.aggregate([([], "count_all"), *((name, "sum") for name in values)])
        for row in sums.to_pylist():
            groups[kind, row["name"]] = [row["count_all"], *(row[f"{name}_sum"] for name in values)]
    return groups


def measure(table: pa.Table, kinds: list[tuple[str, pa.Array]], measured: dict[tuple[str, str], GroupSums]) -> None:
    """Adds the documents to the sums of their groups."""
    texts = table["text"].combine_chunks()
    values = {
        "bytes": pc.binary_length(texts).cast(pa.int64()),
        "characters": pa.array(count_characters(texts)),
        "words": pa.array(np.diff(shingle_hashes(texts, 1)[1])),  # a shingle of one word is a word
    }
    for group, (documents, size, characters, words) in sums_by_group(kinds, values).items():
        sums = measured.setdefault(group, GroupSums())
        sums.documents += documents
        sums.bytes += size
        sums.characters += characters
        sums.words += words
