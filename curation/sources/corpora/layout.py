"""The layout of one ready corpus: in which files it comes, which fields hold what, and what else must be done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["jsonl", "parquet", "text", "tar"]
Evidence: TypeAlias = Literal["rows", "publisher", ""]

GITHUB = "https://github.com/"
LANGUAGE_AND_SCRIPT = r"(?:^|/)([a-z]{3}_[A-Z][a-z]{3})(?:_removed)?(?:/|$)"
ODC_BY = "ODC-BY-1.0"
CC0 = "CC0-1.0"
OF_CRAWL = "Common Crawl's terms of use"
OF_PARTS = "that of each part"
OF_FILES = "that of each file"


@dataclass(frozen=True, kw_only=True)
class CorpusLayout:
    """A corpus as it is stored. Patterns are searched for in a file's whole path.

    `verified` says where the fields were read: in `rows` or columns of the publisher's files, as public programs record
    them, or in the `publisher`'s own code or documentation; "" means that they are known from use. `version` is what
    was read: revisions begin with their repository's part. `licence` is what the publisher states of the collection; it
    says nothing of the texts in it, and "" means that it is not known.
    """

    forms: tuple[Form, ...] = ("parquet",)  # the first but for files whose names say another
    fields: Mapping[str, str]
    language: str = ""  # of all of its documents for which no field tells it
    language_in: str = ""  # pattern with a group that is the language
    subset_in: str = ""  # pattern with a group that is the subset
    synthetic_in: str = ""  # pattern of files whose texts a model wrote; "^" is found in all
    prefix: str = ""  # pattern of what is cut from the beginning of a text
    escaped: bool = False  # line breaks are written as a backslash and an n
    sidecar: bool = False  # metadata of `x_part_1.txt.gz` is in `x_meta_part_1.jsonl.gz`, a line for each document
    url_begins: str = ""  # stands before what the field of the URL holds
    years: bool = False  # dates are numbers of years, not of seconds
    placeholder: str = ""  # the whole text of a document that the publisher took out
    verified: Evidence = ""
    version: str = ""
    licence: str = ""
    gated: bool = False  # its publisher asks readers to log in and to accept terms
    without_text: str = ""  # what to do with a file that has no texts
    marks: tuple[str, ...] = ()  # fields that such a file has


def fields(text: str = "text", **others: str) -> Mapping[str, str]:
    """Document column -> field."""
    return {"text": text, **others}
