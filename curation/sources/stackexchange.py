"""Questions with their answers from a Stack Exchange dump's Posts.xml: one document a question, or one an answer.

    - read: {stackexchange: {paths: ["dumps/gis.stackexchange.com/Posts.xml"], site: gis.stackexchange.com}}

The text is the question's title and body, then each answer below the word "Answer:", those with the highest scores
first. The licence is that of all posts in it: each states its own, and where one does not, that of its day
(stackoverflow.com/help/licensing). The date is the question's. The column `stackexchange` holds `score` and `tags` of
the question, and the number of `answers` in the text. `code_quality` and others read it as any text.

Posts are lines of the dump. A range of the file gives the questions that begin in it, and all of the file is searched
for their answers. Passed over and counted: posts of other kinds (`skipped.post_type`), scores that are too low
(`skipped.score`, `skipped.answer_score`), questions with too few answers (`skipped.answers`), without an id
(`skipped.no_id`) or with that of one before (`skipped.same_id`, within a range), answers that name no question
(`skipped.no_parent`), or one that is not in the file (`skipped.no_question`, where it is read as a whole), and rows
that are no XML, cut short, or no lines of their own (`skipped.damaged`, noted as faults). A dump without its last tag
is noted, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import pyarrow as pa
from lxml import etree

from curation.core import storage
from curation.core.component import Signals, struct_type
from curation.core.document import DOCUMENT, MAX_DOCUMENT_BYTES, document_id
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.dates import parse_date
from curation.sources.lines import line_blocks, line_units
from curation.sources.post_text import post_text
from curation.sources.units import batched

QUESTION = "1"
ANSWER = "2"
MAX_ROW = 16 << 20  # bytes of a post's row
SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"
CHANGES = (("2011-04-08", "CC-BY-SA-2.5"), ("2018-05-02", "CC-BY-SA-3.0"))  # days before which posts have a licence
_KIND = re.compile(rb'\sPostTypeId="(\d+)"')
_PARENT = re.compile(rb'\sParentId="(\d+)"')
_TAG = re.compile(r"[^<>|]+")


class _Post(NamedTuple):
    offset: int
    fields: dict[str, str]

    @property
    def score(self) -> int:
        stated = self.fields.get("Score", "")
        return int(stated) if re.fullmatch(r"-?\d{1,9}", stated) else 0


@dataclass(frozen=True, kw_only=True)
class Stackexchange(Source):
    """Dumps of Stack Exchange's sites; each `paths` entry is a Posts.xml, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]
    site: Annotated[str, "host of the questions' addresses; empty: they have none"] = ""
    documents: Annotated[Literal["threads", "pairs"], "pairs: the question with each answer by itself"] = "threads"
    min_score: Annotated[int | None, "of a question; None: any"] = None
    min_answer_score: Annotated[int | None, "of an answer; None: any"] = None
    min_answers: Annotated[int, "that are left of a question's"] = 0
    max_document_bytes: Annotated[int, "of UTF-8 text; tasks need up to 60 times as much memory"] = MAX_DOCUMENT_BYTES

    yields: ClassVar[Literal["html", "text"]] = "text"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.max_document_bytes < 1 or self.min_answers < 0:
            raise ValueError("give max_document_bytes of 1 or more, and min_answers of 0 or more")

    def signal_types(self) -> Signals:
        """Of the question."""
        return {"score": pa.int64(), "answers": pa.int64(), "tags": pa.string()}

    def schema(self) -> pa.Schema:
        """DOCUMENT with the column `stackexchange`."""
        return DOCUMENT.append(pa.field("stackexchange", struct_type(self.signal_types())))

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError for archives of 7-Zip, as dumps come."""
        for path in paths:
            _refuse_archive(path)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large plain ones into byte ranges; a compressed file is never cut."""
        return line_units(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing, or packed by 7-Zip."""
        rows = (row for piece in unit for row in self._rows(piece, source, tally))
        for some in batched((row, len(row["text"] or "")) for row in rows):
            yield pa.RecordBatch.from_pylist(some, schema=self.schema())

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        _refuse_archive(piece.path)
        questions: dict[str, _Post] = {}
        for post in self._questions(piece, tally):
            name = post.fields.get("Id", "")
            if not name or name in questions:
                tally.records["skipped.same_id" if name else "skipped.no_id"] += 1
                continue
            questions[name] = post
        answers: dict[str, list[_Post]] = {name: [] for name in questions}
        for post in self._answers(piece, set(questions), tally):
            answers[post.fields["ParentId"]].append(post)
        for name, question in questions.items():
            if self.min_score is not None and question.score < self.min_score:
                tally.records["skipped.score"] += 1
                continue
            own = sorted(answers[name], key=lambda post: (-post.score, post.offset))
            if len(own) < self.min_answers:
                tally.records["skipped.answers"] += 1
            elif self.documents == "threads":
                yield self._row(question.offset, question, own, piece, source)
            else:
                yield from (self._row(post.offset, question, [post], piece, source) for post in own)

    def _questions(self, piece: Piece, tally: ReadTally) -> Iterator[_Post]:
        """Those that begin in the piece; other posts there are counted."""
        for offset, line in _lines(piece, tally):
            if b"<row " not in line:
                continue
            if not (line.startswith(b"<row ") and line.endswith(b"/>")):
                _note_damage(tally, piece.path, offset, "a row is cut short, or no line of its own")
            elif (kind := _kind(line)) not in (QUESTION, ANSWER):
                tally.records["skipped.post_type"] += 1
            elif kind == ANSWER:
                tally.records.update(["skipped.no_parent"] * (_PARENT.search(line) is None))
            elif post := _parsed(offset, line, piece.path, tally):
                yield post

    def _answers(self, piece: Piece, questions: set[str], tally: ReadTally) -> Iterator[_Post]:
        """To these questions, in all of the file. What is wrong in other ranges is told where they are read."""
        whole = piece.start == 0 and piece.stop == -1
        ended = False
        for offset, line in _lines(Piece(piece.path), ReadTally()):
            ended = ended or line.endswith(b"</posts>")
            parent = _PARENT.search(line)
            if parent is None or _kind(line) != ANSWER or not line.endswith(b"/>"):
                continue
            if parent[1].decode() not in questions:
                tally.records.update(["skipped.no_question"] * whole)
            elif (post := _parsed(offset, line, piece.path, tally)) is None:
                continue
            elif self.min_answer_score is None or post.score >= self.min_answer_score:
                yield post
            else:
                tally.records["skipped.answer_score"] += 1
        if not ended and piece.start == 0:
            tally.fault(piece.path, -1, "the dump is cut short: it has no </posts>")

    def _row(self, offset: int, question: _Post, answers: Sequence[_Post], piece: Piece, source: str) -> dict[str, Any]:
        fields = question.fields
        parts = [fields.get("Title", "").strip(), post_text(fields.get("Body", ""))]
        for post in answers:
            parts += ["Answer:", post_text(post.fields.get("Body", ""))]
        text = "\n\n".join(filter(None, parts))
        too_long = len(text.encode(errors="replace")) > self.max_document_bytes
        number = fields.get("Id", "")
        return {
            "doc_id": document_id(source, piece.name, offset, number),
            "url": f"https://{self.site}/questions/{number}" if self.site else None,
            "source": source,
            "crawled_at": parse_date(fields.get("CreationDate", "")),
            "licence": " AND ".join(sorted({_licence(post.fields) for post in (question, *answers)})),
            "declared_language": None,
            "origin": piece.path,
            "origin_offset": offset,
            "text": None if too_long else text,
            "drop_reason": extract_reason("too_many_bytes") if too_long else None,
            "stackexchange": {
                "score": question.score,
                "answers": len(answers),
                "tags": ", ".join(_TAG.findall(fields.get("Tags", ""))) or None,
            },
        }


def _lines(piece: Piece, tally: ReadTally) -> Iterator[tuple[int, bytes]]:
    """Those that begin in the piece, without blanks around them, with their offsets."""
    on_fault = partial(tally.fault, piece.path)
    for block in line_blocks(piece, max_line=MAX_ROW, on_fault=on_fault, on_long=on_fault):
        offset = block.offset
        for line in block.data.splitlines(keepends=True):
            yield offset, line.strip()
            offset += len(line)


def _parsed(offset: int, line: bytes, path: str, tally: ReadTally) -> _Post | None:
    """Entities are not expanded: a row that has some of its own is damaged."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        row = etree.fromstring(line, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        _note_damage(tally, path, offset, f"this row is no XML: {error}")
        return None
    return _Post(offset, {str(name): str(value) for name, value in row.attrib.items()})


def _kind(line: bytes) -> str:
    match = _KIND.search(line)
    return match[1].decode() if match else ""


def _note_damage(tally: ReadTally, path: str, offset: int, why: str) -> None:
    tally.records["skipped.damaged"] += 1
    tally.fault(path, offset, why)


def _licence(fields: dict[str, str]) -> str:
    """That a post states, as an identifier of SPDX, or of the day on which it was written."""
    stated = fields.get("ContentLicense", "").strip()
    if stated:
        return stated.replace(" ", "-") if stated.startswith("CC BY") else stated
    day = fields.get("CreationDate", "9")[:10]
    return next((licence for end, licence in CHANGES if day < end), "CC-BY-SA-4.0")


def _refuse_archive(path: str) -> None:
    fs, inner = storage.resolve(path)
    try:
        with fs.open_input_stream(inner, compression=None) as stream:
            packed = bytes(stream.read(len(SEVEN_ZIP))) == SEVEN_ZIP
    except FileNotFoundError as error:
        raise InputError(f"no file at {path}; check `paths`") from error
    if packed:
        raise InputError(f"{path} is an archive of 7-Zip; unpack it (7z x), and give its Posts.xml")
