"""The layouts of ready corpora: in which files they come, which fields hold what, and what else must be done.

A corpus is a row of `LAYOUTS`. `verified` says that its fields were read in the publisher's own code or documentation
(2026-11), but for `subset`, and the languages of Institutional Books. Those and the fields of the others are known from
use, and `winnow inspect` tells which of them a file has. Fields are those of `mapping.Columns`; `subset` is the part of
the corpus that a document is of, as the corpus names it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["jsonl", "parquet", "text", "tar"]

GITHUB = "https://github.com/"
# The whole first line of a text is the size of a chunk of HTTP's chunked encoding: 3 to 6 hexadecimal digits.
CHUNK_SIZE = r"\A[0-9a-fA-F]{3,6}[ \t]*\r?\n"
REPOSITORY = r"\A(?:<reponame>[^<\n]*)?(?:<filename>[^<\n]*)?(?:<gh_stars>[^<\n]*)?\n?"
_TEXT_FILE = r"(?:^|/)([a-z]{2,3}(?:[-_][A-Za-z]+)??)(?:_dedup)?(?:_part_\d+)?\.txt"
_CONTENTS = (
    "The Stack v2 lists blob ids, not texts: fetch contents from Software Heritage by `blob_id` and `src_encoding`, "
    "write them into a column, and read that with `parquet: {text: content, id: blob_id, licence: detected_licenses}`"
)


@dataclass(frozen=True, kw_only=True)
class CorpusLayout:
    """How a corpus is stored. Patterns are searched for in a file's whole path."""

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
    verified: bool = False
    refused: str = ""  # why it cannot be read


def _fields(text: str = "text", **others: str) -> Mapping[str, str]:
    return {"text": text, **others}


_CCNET = _fields(
    "raw_content", id="digest", url="url", crawled_at="date_download", declared_language="language", subset="bucket"
)
_FINEWEB = _fields(id="id", url="url", crawled_at="date", declared_language="language", subset="dump")
_DOLMA = _fields(id="id", url="metadata.url", crawled_at="created", licence="metadata.license|license", subset="source")
_WEB = _fields(url="url", crawled_at="timestamp")

LAYOUTS: Mapping[str, CorpusLayout] = {
    "c4": CorpusLayout(forms=("jsonl",), fields=_WEB, language="en"),
    "ccnet": CorpusLayout(forms=("jsonl",), fields=_CCNET),
    "cc100": CorpusLayout(forms=("text",), fields=_fields(), language_in=_TEXT_FILE),
    "common_pile": CorpusLayout(forms=("jsonl",), fields=_DOLMA, verified=True),
    "cosmopedia": CorpusLayout(fields=_fields(subset="seed_data"), language="en", synthetic_in="^"),
    "culturax": CorpusLayout(
        fields=_fields(url="url", crawled_at="timestamp", subset="source"),
        language_in=r"(?:^|/)([a-z]{2,3})_part_\d+\.",
    ),
    "dclm": CorpusLayout(
        forms=("jsonl",),
        fields=_fields(url="url|metadata.WARC-Target-URI", crawled_at="metadata.WARC-Date"),
        language="en",
        verified=True,
    ),
    "dolma": CorpusLayout(forms=("jsonl",), fields=_DOLMA, verified=True),
    "finepdfs": CorpusLayout(fields=_FINEWEB, verified=True),
    "fineweb": CorpusLayout(fields=_FINEWEB, verified=True),
    "fineweb_2": CorpusLayout(fields=_FINEWEB, verified=True),
    "finewiki": CorpusLayout(fields=_fields(id="id", url="url", declared_language="in_language")),
    "hplt": CorpusLayout(
        forms=("jsonl", "parquet"),
        fields=_fields(id="id", url="u", crawled_at="ts", declared_language="lang"),
        prefix=CHUNK_SIZE,
        verified=True,
    ),
    "institutional_books": CorpusLayout(
        fields=_fields(
            "text_by_page_gen|text_by_page_src", id="barcode_src", declared_language="language_gen|language_src"
        ),
        verified=True,
    ),
    "madlad_400": CorpusLayout(
        forms=("jsonl",),
        fields=_fields(),
        language_in=r"(?:^|/)([a-z]{2,3}(?:_[A-Za-z]+)?)_(?:clean|noisy)_",
        escaped=True,
    ),
    "mc4": CorpusLayout(
        forms=("jsonl",), fields=_WEB, language_in=r"(?:^|/)c4-([a-z]{2,3}(?:-[A-Za-z]+)?)(?:-validation)?\."
    ),
    "nemotron_cc": CorpusLayout(
        forms=("jsonl",),
        fields=_fields(id="warc_record_id", url="url"),
        language="en",
        subset_in=r"(quality=[^/]+(?:/kind2?=[^/]+)*)",
        synthetic_in=r"(?:^|/)kind=synthetic(?:/|$)",
        verified=True,
    ),
    "openwebtext": CorpusLayout(forms=("tar",), fields=_fields(id="name"), language="en"),
    "oscar": CorpusLayout(
        forms=("jsonl",),
        fields=_fields(
            "content",
            id="warc_headers.warc-record-id",
            url="warc_headers.warc-target-uri",
            crawled_at="warc_headers.warc-date",
            declared_language="metadata.identification.label",
        ),
    ),
    "oscar_2019": CorpusLayout(forms=("text",), fields=_fields(), language_in=_TEXT_FILE),
    "oscar_2109": CorpusLayout(
        forms=("text",),
        fields=_fields(id="headers.warc-record-id", url="headers.warc-target-uri", crawled_at="headers.warc-date"),
        language_in=_TEXT_FILE,
        sidecar=True,
    ),
    "pg19": CorpusLayout(
        fields=_fields(id="short_book_title", url="url", crawled_at="publication_date"), language="en", years=True
    ),
    "pile": CorpusLayout(forms=("jsonl", "parquet"), fields=_fields(subset="meta.pile_set_name")),
    "pubmed": CorpusLayout(
        forms=("parquet", "jsonl"), fields=_fields("article|contents|text", id="PMID|id|article_id"), language="en"
    ),
    "redpajama": CorpusLayout(
        forms=("jsonl", "parquet"),
        fields=_fields(
            id="meta.content_hash|meta.arxiv_id",
            url="meta.url",
            crawled_at="meta.timestamp",
            licence="meta.license",
            declared_language="meta.language",
            subset="red_pajama_subset|meta.source|source",
        ),
    ),
    "redpajama_2": CorpusLayout(
        forms=("jsonl",), fields=_CCNET, language_in=r"(?:^|/)([a-z]{2})_(?:head|middle|tail)\."
    ),
    "refinedweb": CorpusLayout(fields=_fields("content", url="url", crawled_at="timestamp"), language="en"),
    "slimpajama": CorpusLayout(forms=("jsonl", "parquet"), fields=_fields(subset="meta.redpajama_set_name")),
    "stack": CorpusLayout(
        fields=_fields(
            "content",
            id="hexsha|id",
            url="max_stars_repo_name",
            licence="max_stars_repo_licenses",
            subset="lang",
        ),
        url_begins=GITHUB,
    ),
    "stack_v2": CorpusLayout(fields=_fields("content"), refused=_CONTENTS),
    "starcoder": CorpusLayout(
        fields=_fields("content", id="id", url="max_stars_repo_name"),
        subset_in=r"(?:^|/)([\w+-]+)/train-\d+-of-\d+\.",
        prefix=REPOSITORY,
        url_begins=GITHUB,
    ),
    "wikipedia": CorpusLayout(
        fields=_fields(id="id", url="url"), language_in=r"(?:^|/)\d{8}\.([a-z]{2,12}(?:-[a-z-]+)?)/"
    ),
}
