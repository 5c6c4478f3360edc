"""Papers from their TeX sources, as arXiv gives them in bulk: tar archives of papers, each a tar.gz or a file in gzip.

    - read: {arxiv: {paths: ["src/arXiv_src_*.tar"], metadata: arxiv-metadata-oai-snapshot.json}}

A file named as a paper (`2001.00001v2.tar.gz`) is that paper alone, and so are the files of any other archive that are
neither in archives themselves nor named as papers. Passed over and counted: papers without TeX
(`skipped.pdf`, `skipped.postscript`, `skipped.html`, `skipped.no_tex`) and withdrawn ones (`skipped.withdrawn`). Those
with more TeX or text than a limit have none, nor those whose macros expand without end (`extract:expansion`), or that
say nothing (`extract:no_text`). A paper whose text has less than 2 % of the letters of its source's words is noted as
a fault, and the text is left out (`extract:little_text`). What `latex/` passes over in a paper is counted: inputs that
the paper does not have, wherever they lie (`lenient.input_missing`), macros with delimiters
(`lenient.delimited_macro`), uses of macros that come back to themselves (`lenient.endless_macro`), conditions and
formulas that do not end (`lenient.open_condition`, `lenient.open_formula`), and bibliographies and such that do not,
with the rest (`lenient.open_environment`). What is not UTF-8 is read by the encoding that it seems to be in, else as
Latin-1 (`lenient.charset`).

The address is that of the paper at arXiv, with its version where the file's name has one. Licence, categories and date,
that of the latest version, are those in `metadata`; a paper that it lacks is counted (`lenient.no_metadata`). Else the
date is the month in the paper's id. The column `arxiv` holds `id` and `categories`.

Sources: arXiv, "Full Text via S3" (info.arxiv.org/help/bulk_data_s3.html) and "Understanding the arXiv identifier".
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Annotated, Any, ClassVar, NamedTuple

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.component import Files, Signals
from curation.core.file_start import FileStart, Guess
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.archived_files import ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.documents import arxiv_metadata
from curation.sources.documents.latex.file_kind import recognised
from curation.sources.documents.latex.paper_files import PaperFiles, may_be_read
from curation.sources.documents.latex.plain_text import plain_text
from curation.sources.documents.latex.stream import ExpansionError
from curation.sources.tars import TarText, tar_texts
from curation.sources.utf8 import legacy

MAX_TEX = 8 << 20  # bytes of a paper's TeX, with the names of all its files
FILE = 1000  # bytes that a file of TeX counts besides
METADATA_MEMORY = 512 << 20  # bytes, for three million papers while they are sorted
_PAPER = re.compile(
    r"(?:([a-z-]+)(?:\.[A-Z]{2})?(?=\d{7}(?!\d))|(?=\d{4}\.))((\d\d)(\d\d)(?:\.\d{4,5}|\d{3}))(v\d+)?(?:\.[a-z]+)*"
)
_KINDS = {b"%pdf": "pdf", b"%!ps": "postscript", b"<htm": "html", b"<!do": "html"}  # by what they begin with


class _Members(NamedTuple):
    """The files of a paper: those that TeX may read, the names of others, and of which kinds these are."""

    texts: dict[str, bytes]
    others: set[str]
    kinds: set[str | None]
    size: int  # bytes of the texts, with FILE for each, and of all names


@dataclass(frozen=True, kw_only=True)
class Arxiv(ArchivedFiles):
    """Papers in TeX."""

    metadata: Annotated[str | None, "arxiv-metadata-oai-snapshot.json, or one of its layout; None: no licences"] = None

    version: ClassVar[int] = 3
    max_file: ClassVar[int] = MAX_TEX

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By TeX in the file, or in the files of an archive."""
        return recognised(start, _PAPER.fullmatch)

    def assets(self) -> Mapping[str, Files]:
        """The metadata. Raises InputError if it is missing or no list of arXiv's papers."""
        if self.metadata is None:
            return {}
        arxiv_metadata.load(self.metadata)
        return {"metadata": self.metadata}

    def needs(self) -> Needs:
        """The list of all papers stays in memory."""
        return Needs(memory=MEMORY + (METADATA_MEMORY if self.metadata else 0))

    def signal_types(self) -> Signals:
        """The paper's id at arXiv, and its categories, blanks between them."""
        return {"id": pa.string(), "categories": pa.string()}

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        own = posixpath.basename(piece.path)
        alone = _PAPER.fullmatch(own) is not None
        files = tar_texts(piece.path, tally, self.max_file, alone=True)
        papers = groupby(files, lambda file: "" if alone else _paper_of(file.name))
        for number, (within, members) in enumerate(papers):
            name = posixpath.basename(within) or own
            paper = _gathered(within, name, members)
            text: str | Overrun | None = None
            cause = None
            if paper.size <= MAX_TEX:
                tex = {path: _decoded(content, tally) for path, content in paper.texts.items()}
                tex_files = PaperFiles(tex, paper.others)
                if not tex_files.main:
                    tally.records[f"skipped.{_cause(paper)}"] += 1
                    continue
                try:
                    text = converted(partial(plain_text, tex_files, tally.records))
                except ExpansionError:
                    cause = extract_reason("expansion")
                if isinstance(text, str) and tex_files.says_more_than(text):
                    tally.fault(piece.path, number, f"{name}: {len(text)} characters of text are left of its TeX")
                    cause = extract_reason("little_text" if text else "no_text")
                    text = None
            if isinstance(text, Overrun):
                cause = error_reason(key_of(type(self)), text)
                text = None
            row = self._row(self._document(text, name, tally), number, piece, source)
            yield {**row, "drop_reason": cause or row["drop_reason"]}

    def _document(self, text: str | None, name: str, tally: ReadTally) -> FileDocument:
        """What is known of a paper by its file's name."""
        paper, version, month = _identity(name)
        entry = arxiv_metadata.load(self.metadata).of(paper) if self.metadata and paper else None
        if self.metadata and entry is None:
            tally.records["lenient.no_metadata"] += 1
        return FileDocument(
            text,
            paper or name,
            {"id": paper, "categories": entry and entry.categories},
            url=f"https://arxiv.org/abs/{paper}{version}" if paper else None,
            date=(entry and entry.date) or (parse_date(month) if month else None),
            licence=entry and entry.licence,
        )


def _paper_of(name: str) -> str:
    """The file of the paper that a file in an archive is of: itself or that around it, "" if it is of the archive's own
    paper."""
    outer, within, _ = name.partition("#")
    return outer if within or _PAPER.fullmatch(posixpath.basename(outer)) else ""


def _gathered(within: str, name: str, files: Iterable[TarText]) -> _Members:
    """Of the paper in the file `name`; `within` is what the names of its own files begin with."""
    texts: dict[str, bytes] = {}
    others: set[str] = set()
    kinds: set[str | None] = set()
    size = 0
    for file in files:
        inner = file.name.removeprefix(within).removeprefix("#") or (
            "paper.pdf" if name.endswith(".pdf") else "main.tex"
        )
        path = posixpath.normpath(inner)
        size += len(path)
        if size > MAX_TEX:
            continue
        content = file.content or b""
        kind = _KINDS.get(content[:64].lstrip()[:4].lower()) or ("pdf" if path.endswith(".pdf") else None)
        if kind or not may_be_read(path) or b"\0" in content:
            others.add(path)
            kinds.add(kind)
        else:
            size += MAX_TEX + 1 if file.content is None else len(content) + FILE
            texts[path] = content
    return _Members(texts, others, kinds, size)


def _decoded(content: bytes, tally: ReadTally) -> str:
    """UTF-8, else by the encoding that it seems to be in, else Latin-1, as most papers are that are not in UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        tally.records["lenient.charset"] += 1
        text = legacy(content)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")


def _cause(members: _Members) -> str:
    """Why a paper has no TeX."""
    if any(text.lstrip().startswith(b"%auto-ignore") for text in members.texts.values()):
        return "withdrawn"
    return next((kind for kind in ("pdf", "postscript", "html") if kind in members.kinds), "no_tex")


def _identity(name: str) -> tuple[str | None, str, str | None]:
    """A paper's id at arXiv, its version as "v2", and the month in which it came, by a file's name."""
    found = _PAPER.fullmatch(name)
    if found is None:
        return None, "", None
    archive, number, year, month, version = found.groups(default="")
    century = "19" if year >= "91" else "20"
    return f"{archive}/{number}" if archive else number, version, f"{century}{year}-{month}"
