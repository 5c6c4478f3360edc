"""Questions with their answers from a Stack Exchange dump's Posts.xml: one document a question, or one an answer.

    - read: {stackexchange: {paths: ["dumps/gis.stackexchange.com/Posts.xml"], site: gis.stackexchange.com}}

The text is the question's title and body, then each answer below the word "Answer:", those with the highest scores
first. The licence is that of all posts in it: each states its own, and where one does not, that of its day
(stackoverflow.com/help/licensing). The date is the question's. The column `stackexchange` holds `score` and `tags` of
the question, and the number of `answers` in the text. `code_quality` and others read it as any text.

Posts are lines of the dump. A range of the file gives the questions that begin in it, with their answers, wherever they
lie (`post_index.py`). A compressed file, and an archive of 7-Zip, which needs the extra `7z`, is unpacked to TMPDIR.
Passed over and counted: posts of other kinds (`skipped.post_type`), scores that are too low
(`skipped.score`, `skipped.answer_score`), answers without text (`skipped.no_text`), questions with too few answers, for
pairs with none (`skipped.answers`), without a number as id (`skipped.no_id`) or with that of one before
(`skipped.same_id`), answers that name no question (`skipped.no_parent`) or one that is not in the file or damaged
(`skipped.no_question`), files of a dump's other tables (`skipped.other_table`, a file each), and rows that are no XML,
cut short, or no lines of their own (`skipped.damaged`, noted as faults). A dump without its last tag is noted, too.
"""

import io
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import IO, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from lxml import etree

from curation.core import storage
from curation.core.component import Signals
from curation.core.document import document_id
from curation.core.file_start import FileStart, Guess
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.reasons import extract_reason
from curation.core.watchdog import unhurried
from curation.sources.dates import parse_date
from curation.sources.documents.posts.dump_files import TABLES, recognised_archive, recognised_table
from curation.sources.documents.posts.post_index import (
    ANSWER,
    NO_THREAD,
    POSTS,
    QUESTION,
    Posts,
    note_damage,
    pass_over,
    posts_around,
    posts_in,
)
from curation.sources.documents.posts.post_text import post_texts
from curation.sources.documents.posts.seven_zip import MAGIC, is_seven_zip, libarchive_for
from curation.sources.inflate import container
from curation.sources.lines import line_units
from curation.sources.read_ahead import Window, open_raw
from curation.sources.source_files import TextSource
from curation.sources.units import batched, row_batches
from curation.text.kernels.buffers import Indices

BUFFER = 64 << 10  # bytes read at a time
START = 256  # bytes within which a table begins
POSTS_BEGIN = b"<posts>"
OTHERS_BEGIN = tuple(f"<{table.lower()}>".encode() for table in TABLES)
CHANGES = (("2011-04-08", "CC-BY-SA-2.5"), ("2018-05-02", "CC-BY-SA-3.0"))  # days before which posts have a licence
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
_SCORE = re.compile(r"-?\d{1,9}")
_TAG = re.compile(r"[^<>|]+")


class _Post(NamedTuple):
    kind: int
    offset: int
    fields: dict[str, str]  # none of a row that is no XML
    score: int
    text: bytes


@dataclass(frozen=True, kw_only=True)
class Stackexchange(TextSource):
    """Dumps of Stack Exchange's sites; each `paths` entry is a Posts.xml, a folder or a glob."""

    site: Annotated[str, "host of the questions' addresses; empty: they have none"] = ""
    documents: Annotated[Literal["threads", "pairs"], "pairs: the question with each answer by itself"] = "threads"
    min_score: Annotated[int | None, "of a question; None: any"] = None
    min_answer_score: Annotated[int | None, "of an answer; None: any"] = None
    min_answers: Annotated[int, "that are left of a question's"] = 0

    whole_files: ClassVar[bool] = True
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_answers < 0:
            raise ValueError(f"min_answers is {self.min_answers}; give 0 or more")

    def signal_types(self) -> Signals:
        """Of the question."""
        return {"score": pa.int64(), "answers": pa.int64(), "tags": pa.string()}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """Tables of a dump by their first element and row; archives of 7-Zip by the names of their files."""
        return recognised_archive(start.path) if start.raw.startswith(MAGIC) else recognised_table(start)

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError for archives of 7-Zip, as dumps come, where they cannot be read."""
        for path in filter(is_seven_zip, paths):
            libarchive_for(path, POSTS)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large plain ones into byte ranges; a compressed file is never cut."""
        return line_units(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing or an archive without posts."""
        rows = (row for piece in unit for row in self._rows(piece, source, tally))
        yield from row_batches(rows, self.schema())

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        packed = _is_packed(piece)
        if not packed and _is_other_table(piece.path):
            pass_over(tally, "other_table", int(piece.start == 0))
            return
        with tempfile.TemporaryFile() if packed else _opened(piece.path) as file:
            own = posts_in(piece, tally, file if packed else None)
            with unhurried():
                whole = own.by_thread() if piece.start == 0 and piece.stop == -1 else posts_around(piece)
                threads = self._threads(own, whole, piece, tally)
            for some in batched((thread, int(whole.sizes[slice(*thread)].sum())) for thread in threads):
                posts = iter(
                    _read_posts(file, whole, np.concatenate([np.arange(*thread) for thread in some]), piece, tally)
                )
                for begin, end in some:
                    thread = list(islice(posts, end - begin))
                    yield from self._thread(str(whole.threads[begin]), thread, piece, source, tally)

    def _threads(self, own: Posts, whole: Posts, piece: Piece, tally: ReadTally) -> list[tuple[int, int]]:
        """Where in the index those lie whose questions are in the piece, in their order."""
        if piece.start == 0 and not (whole.threads.size and whole.threads[0] == NO_THREAD):
            tally.fault(piece.path, -1, "the dump is cut short: it has no </posts>")
        begins = np.searchsorted(whole.threads, own.threads)
        ends = np.searchsorted(whole.threads, own.threads, "right")
        first = (own.kinds == QUESTION) & (whole.offsets[begins] == own.offsets)
        pass_over(tally, "same_id", int(np.count_nonzero((own.kinds == QUESTION) & ~first)))
        orphans = (own.kinds == ANSWER) & (whole.kinds[begins] != QUESTION)
        pass_over(tally, "no_question", int(np.count_nonzero(orphans)))
        return list(zip(begins[first].tolist(), ends[first].tolist(), strict=True))

    def _thread(
        self, number: str, posts: Sequence[_Post], piece: Piece, source: str, tally: ReadTally
    ) -> Iterator[dict[str, Any]]:
        """The documents of a question and its answers."""
        question = posts[0]
        answers = [post for post in posts if post.kind == ANSWER]
        if not question.fields:
            pass_over(tally, "no_question", len(answers))
            return
        if self.min_score is not None and question.score < self.min_score:
            pass_over(tally, "score")
            return
        answers = [post for post in answers if post.fields and self._takes(post, tally)]
        answers.sort(key=lambda post: (-post.score, post.offset))
        pairs = self.documents == "pairs"
        if len(answers) < max(self.min_answers, pairs):
            pass_over(tally, "answers")
        elif pairs:
            yield from (self._row(post.offset, number, question, [post], piece, source) for post in answers)
        else:
            yield self._row(question.offset, number, question, answers, piece, source)

    def _takes(self, answer: _Post, tally: ReadTally) -> bool:
        if self.min_answer_score is not None and answer.score < self.min_answer_score:
            pass_over(tally, "answer_score")
            return False
        pass_over(tally, "no_text", not answer.text)
        return bool(answer.text)

    def _row(
        self, offset: int, number: str, question: _Post, answers: Sequence[_Post], piece: Piece, source: str
    ) -> dict[str, Any]:
        fields = question.fields
        parts = [fields.get("Title", "").strip().encode(), question.text]
        for post in answers:
            parts += [b"Answer:", post.text]
        text = b"\n\n".join(filter(None, parts))
        too_long = len(text) > self.max_document_bytes
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


def _opened(path: str) -> IO[bytes]:
    fs, inner = storage.resolve(path)
    return io.BufferedReader(fs.open_input_file(inner), BUFFER)


def _is_other_table(path: str) -> bool:
    """Whether it is one of the files that lie beside a dump's posts."""
    with closing(open_raw(path)) as raw:
        start = Window(raw).at(0, START)
    return POSTS_BEGIN not in start and any(begin in start for begin in OTHERS_BEGIN)


def _is_packed(piece: Piece) -> bool:
    """A range is of a plain file."""
    if piece.start or piece.stop >= 0:
        return False
    with closing(open_raw(piece.path)) as raw:
        window = Window(raw)
        return container(window) is not None or window.at(0, len(MAGIC)) == MAGIC


def _read_posts(file: IO[bytes], posts: Posts, numbers: Indices, piece: Piece, tally: ReadTally) -> list[_Post]:
    """Some of the file's, in the order given."""
    kinds, offsets, sizes = (column[numbers].tolist() for column in posts[1:])
    lines: dict[int, bytes] = {}
    for offset, size in sorted(zip(offsets, sizes, strict=True)):
        file.seek(offset)
        lines[offset] = file.read(size).strip()
    rows = [_fields(offset, lines.pop(offset), piece, tally) for offset in offsets]
    texts = post_texts([fields.get("Body", "") for fields in rows])
    scores = map(_score, rows)
    return list(map(_Post, kinds, offsets, rows, scores, texts))


def _fields(offset: int, line: bytes, piece: Piece, tally: ReadTally) -> dict[str, str]:
    """Entities are not expanded: a row that has some of its own is damaged."""
    try:
        return dict(etree.fromstring(line, _PARSER).attrib)
    except (etree.XMLSyntaxError, ValueError) as error:
        note_damage(tally, piece.path, offset, f"this row is no XML: {error}")
        return {}


def _score(fields: dict[str, str]) -> int:
    stated = fields.get("Score", "")
    return int(stated) if _SCORE.fullmatch(stated) else 0


def _licence(fields: dict[str, str]) -> str:
    """That a post states, as an identifier of SPDX, or of the day on which it was written."""
    stated = fields.get("ContentLicense", "").strip()
    if stated:
        return stated.replace(" ", "-") if stated.startswith("CC BY") else stated
    day = fields.get("CreationDate", "9")[:10]
    return next((licence for end, licence in CHANGES if day < end), "CC-BY-SA-4.0")
