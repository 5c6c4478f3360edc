"""Threads of Reddit, or of a site that writes the same fields: a document for each submission with its comments.

    - read: {dialogue: {paths: [reddit/submissions/, reddit/comments/]}}

Files are JSON lines, as a rule `.zst` with windows of up to 2 GiB (RS_*.zst, RC_*.zst); whether a line is a submission
or a comment is told by its fields. The text is the title, the submission's text and the comments in the order of their
tree, those to the submission below the word "Comment:" and those to others below "Reply:", siblings with the highest
scores first (`order: time`: the oldest). The date is the submission's. Dumps state no licence: it is `default_licence`.
The column `dialogue` holds `subreddit`, `score` and `nsfw` of the submission, and the number of `comments` in the text.

A bot is an author whose name ends in "bot", AutoModerator, and whom the file `bots` names. Passed over and counted:
submissions that are `deleted` or removed, of a `bot`, with a too low `score`, or `twice` in a file, and threads with
too few `comments` left (`skipped.deleted` …); in other threads comments that are `comment_deleted`, `comment_bot`, of a
too low `comment_score` (replies to these stay), there twice (`comment_twice`), or in a circle of replies
(`comment_circle`); comments of which no file has the submission (`no_submission`), lines that are `bad_json`, a
`long_line`, neither of the two (`no_post`), or without an id (`no_id`), all noted. Where a comment's parent is in no
file it stands as one to the submission (`lenient.no_parent`). A submission that is in two files makes two documents.

Each part of a file gives the threads of its share of submissions, with their comments from all files (`dump_tables`).
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.component import Files, Signals
from curation.core.document import document_id
from curation.core.errors import InputError
from curation.core.file_start import FileStart, Guess
from curation.core.input_files import InputFile
from curation.core.needs import Needs
from curation.core.protocols import Piece, ReadTally
from curation.core.reasons import extract_reason
from curation.sources.documents.threads.comment_tree import Comment, tree_order
from curation.sources.documents.threads.dump_tables import DumpTables, dump_tables
from curation.sources.source_files import TextSource
from curation.sources.units import group, row_batches

SITE = "https://www.reddit.com"
MAX_COMMENTS = 200_000  # of a thread; each takes about 1 kB while it is read
MEMORY = 4 << 30  # bytes of a task: a zstd window of 2 GiB, DuckDB's sort, and the thread that is read
DELETED = ("[deleted]", "[removed]", "[ removed by reddit ]")
LEAST_RANGE = 1 << 20  # bytes; each takes a look at the tables of all files
BOT = "bot"
MODERATOR = "automoderator"
NO_THREAD: tuple[int, Iterator[Comment]] = (-1, iter(()))


@dataclass(frozen=True)
class DumpPiece(Piece):
    """A part of one of a dump's files, which knows all of them."""

    dump: tuple[Piece, ...] = field(default=(), compare=False)


@dataclass(frozen=True, kw_only=True)
class Dialogue(TextSource):
    """Dumps of posts; each `paths` entry is a file, a folder or a glob, of submissions, comments or both."""

    order: Annotated[Literal["score", "time"], "of comments to the same post"] = "score"
    bots: Annotated[str, "a file of names, one a line, that are bots too; empty: none"] = ""
    min_score: Annotated[int | None, "of a submission; None: any"] = None
    min_comment_score: Annotated[int | None, "of a comment; None: any"] = None
    min_comments: Annotated[int, "that are left of a thread's"] = 0
    default_licence: Annotated[str | None, "the licence of all threads"] = None

    whole_files: ClassVar[bool] = True
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_comments < 0:
            raise ValueError(f"min_comments is {self.min_comments}; give 0 or more")

    def assets(self) -> Mapping[str, Files]:
        """The list of bots. Raises InputError if it is missing or no text."""
        _names_in(self.bots)
        return {"bots": self.bots} if self.bots else {}

    def needs(self) -> Needs:
        """The memory of dumps with long windows."""
        return Needs(memory=MEMORY)

    def signal_types(self) -> Signals:
        """Of the submission."""
        return {"subreddit": pa.string(), "score": pa.int64(), "comments": pa.int64(), "nsfw": pa.bool_()}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the fields of the first posts."""
        comments = sum({"link_id", "parent_id", "body"} <= row.keys() for row in start.rows)
        submissions = sum({"title", "selftext", "subreddit"} <= row.keys() for row in start.rows)
        if not comments + submissions or comments + submissions < len(start.rows):
            return None
        if submissions:
            seen = "all posts have `title`, `selftext` and `subreddit`, or the fields of comments"
            return Guess(kind="Reddit submissions", sure="certain", seen=seen)
        seen = "all posts have `link_id`, `parent_id` and `body`; comments give documents only with their submissions"
        return Guess(kind="Reddit comments", sure="certain", seen=seen)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large ones, compressed or not, into ranges, which stand for shares of a file's
        submissions."""
        dump = tuple(Piece.of(file) for file in files)
        pieces: list[tuple[Piece, int]] = []
        for file in files:
            ranges = max(1, math.ceil(file.size / max(split_bytes, LEAST_RANGE)))
            cuts = [*(file.size * number // ranges for number in range(ranges)), -1]
            for start, stop in pairwise(cuts):
                pieces.append((DumpPiece(**vars(Piece.of(file, start, stop)), dump=dump), file.size // ranges))
        return group(pieces, group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing, or has changed."""
        dump = next((piece.dump for piece in unit if isinstance(piece, DumpPiece)), tuple(unit))
        with dump_tables(dump) as tables:
            rows = (row for piece in unit for row in self._rows(piece, tables, source, tally))
            yield from row_batches(rows, self.schema())

    def _rows(self, piece: Piece, tables: DumpTables, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        number = tables.number(piece.path)
        bots = _names_in(self.bots)
        if piece.start == 0:
            tables.tell(number, tally)
        share = tables.share(number, piece.start, piece.stop)
        threads = groupby(tables.comments(number, *share), itemgetter("number"))
        at, comments = next(threads, NO_THREAD)
        for submission in tables.submissions(number, *share):
            judged: list[Comment] | None = []
            if at == submission["number"]:
                judged = self._judged(comments, bots)
                at, comments = next(threads, NO_THREAD)
            cause = self._cause(submission, self.min_score, DELETED, bots)
            kept = [] if cause or judged is None else self._ordered(judged, tally)
            if not cause and judged is not None and len(kept) < self.min_comments:
                cause = "comments"
            if cause:
                tally.records[f"skipped.{cause}"] += 1
            else:
                yield self._row(submission, None if judged is None else kept, piece, source)

    def _cause(self, post: Comment, least: int | None, deleted: Sequence[str], bots: frozenset[str]) -> str | None:
        """Why a post is passed over, if it is."""
        author = post["author"].lower()
        if post["body"].strip().lower() in deleted:
            return "deleted"
        if author.endswith(BOT) or author in bots or author == MODERATOR:
            return "bot"
        return "score" if least is not None and (post["score"] or 0) < least else None

    def _judged(self, comments: Iterator[Comment], bots: frozenset[str]) -> list[Comment] | None:
        """With the cause for which each is passed over, if it is; None where they are too many or too long."""
        held: list[Comment] = []
        size = 0
        for comment in comments:
            comment["cause"] = self._cause(comment, self.min_comment_score, ("", *DELETED), bots)
            if comment["cause"]:
                comment["body"] = ""
            size += len(comment["body"])
            held.append(comment)
            if len(held) > MAX_COMMENTS or size > self.max_document_bytes:
                return None
        return held

    def _ordered(self, judged: list[Comment], tally: ReadTally) -> list[tuple[int, Comment]]:
        """Those that are kept, with their depths; the others are counted."""
        unique: dict[int, Comment] = {}
        for comment in judged:
            other = unique.get(comment["id"], comment)
            unique[comment["id"]] = max(comment, other, key=str)
        ordered = list(tree_order(unique.values(), _by_score if self.order == "score" else _by_time))
        counts = Counter(f"skipped.comment_{comment['cause']}" for _, comment in ordered if comment["cause"])
        counts["skipped.comment_twice"] = len(judged) - len(unique)
        counts["skipped.comment_circle"] = len(unique) - len(ordered)
        parents = (comment["parent"] for comment in unique.values())
        counts["lenient.no_parent"] = sum(parent is not None and parent not in unique for parent in parents)
        tally.records.update(+counts)
        return [(depth, comment) for depth, comment in ordered if not comment["cause"]]

    def _row(
        self, submission: Comment, comments: Sequence[tuple[int, Comment]] | None, piece: Piece, source: str
    ) -> dict[str, Any]:
        """`comments` is None where they are too many or too long."""
        parts = [submission["title"].strip(), submission["body"].strip()]
        for depth, comment in comments or ():
            parts += ["Reply:" if depth else "Comment:", comment["body"].strip()]
        text = "\n\n".join(filter(None, parts))
        too_long = comments is None or len(text.encode()) > self.max_document_bytes
        name = np.base_repr(submission["id"], 36).lower()
        created = submission["created"]
        return {
            "doc_id": document_id(source, piece.name, submission["begins"], name),
            "url": SITE + (submission["permalink"] or f"/comments/{name}"),
            "source": source,
            "crawled_at": None if created is None else created * 1000,
            "licence": self.default_licence,
            "declared_language": None,
            "origin": piece.path,
            "origin_offset": submission["begins"],
            "text": None if too_long else text,
            "drop_reason": extract_reason("too_many_bytes") if too_long else None,
            "dialogue": {
                "subreddit": submission["subreddit"],
                "score": submission["score"],
                "comments": None if comments is None else len(comments),
                "nsfw": submission["nsfw"],
            },
        }


def _by_score(comment: Comment) -> tuple[int, int, int]:
    return -(comment["score"] or 0), comment["created"] or 0, comment["id"]


def _by_time(comment: Comment) -> tuple[int, int]:
    return comment["created"] or 0, comment["id"]


def _names_in(file: str) -> frozenset[str]:
    """The names of a list, in lower case; none without a file. Raises InputError for a file that is missing or no
    text."""
    try:
        return frozenset(storage.read_bytes(file).decode().lower().split() if file else ())
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no list of names in UTF-8: {error}; give one name per line") from error
