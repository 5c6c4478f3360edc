"""Where the posts of a dump lie, and which belong together, found without reading what they say.

A dump has a post a line. Those of a thread may lie anywhere in it, so the index of a file that is read in ranges is
made once on a machine, and kept for a week in a folder of the user: 32 bytes a post, which its readers map.
"""

import fcntl
import hashlib
import os
import re
import time
from array import array
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from curation.core.own_folder import own_folder
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.posts.seven_zip import archived_bytes, is_seven_zip
from curation.sources.lines import line_blocks
from curation.text.kernels.buffers import Indices

MAX_ROW = 16 << 20  # bytes of a post's row
POSTS = "Posts.xml"  # in an archive of a dump
KEPT_SECONDS = 7 * 24 * 3600
END, QUESTION, ANSWER = range(3)  # kinds: the dump's last tag, and posts as the dump numbers them
NO_THREAD = -1
_KIND = re.compile(rb'\sPostTypeId="([12])"')
_ID = re.compile(rb'\sId="(\d{1,18})"')
_PARENT = re.compile(rb'\sParentId="(\d{1,18})"')


class Posts(NamedTuple):
    """Of N posts, and of the dump's last tag, which has no thread."""

    threads: Indices  # int64[N]: the id of the question
    kinds: Indices
    offsets: Indices  # int64[N]: of the line, in the decompressed file
    sizes: Indices  # int64[N]: bytes of the line

    def by_thread(self) -> "Posts":
        """The last tag first, then thread by thread: the question, others of its id, and the answers."""
        order = np.lexsort((self.offsets, self.kinds, self.threads))
        return Posts(*(column[order] for column in self))


def posts_in(piece: Piece, tally: ReadTally, copy: IO[bytes] | None = None) -> Posts:
    """Those whose lines begin in the piece, in order; other rows are counted. Blocks that have some go to `copy`."""
    found = array("q")
    read = tally.rows_of(piece.path, "row")
    fault = partial(tally.fault, piece.path)
    archive = archived_bytes(piece.path, POSTS, fault) if copy is not None and is_seven_zip(piece.path) else None
    for block in line_blocks(piece, max_line=MAX_ROW, on_fault=fault, on_long=fault, content=archive):
        before = len(found)
        offset = block.offset
        for line in block.data.splitlines(keepends=True):
            row = line.strip()
            if row.startswith(b"<row ") and row.endswith(b"/>"):
                found.extend(_entry(line, offset, tally))
                read.read += 1
            elif b"<row " in row:
                note_damage(tally, piece.path, offset, "a row is cut short, or no line of its own")
            elif row.endswith(b"</posts>"):
                found.extend((NO_THREAD, END, offset, len(line)))
            offset += len(line)
        if copy is not None and len(found) > before:
            copy.seek(block.offset)
            copy.write(block.data)
    return Posts(*np.array(found, np.int64).reshape(-1, 4).T.copy())


def _entry(line: bytes, offset: int, tally: ReadTally) -> tuple[int, ...]:
    """A post's thread, kind, offset and size; nothing for one that is counted."""
    kind = _KIND.search(line)
    if kind is None:
        pass_over(tally, "post_type")
        return ()
    answers = kind[1] == b"2"
    thread = (_PARENT if answers else _ID).search(line)
    if thread is None:
        pass_over(tally, "no_parent" if answers else "no_id")
        return ()
    return int(thread[1]), ANSWER if answers else QUESTION, offset, len(line)


def posts_around(piece: Piece) -> Posts:
    """Those of the plain file that a piece is of, by thread."""
    if piece.size < 0:
        return posts_in(Piece(piece.path), ReadTally()).by_thread()
    folder = own_folder("posts")
    file = repr((piece.path, piece.size, piece.stamp, piece.modified))
    path = folder / f"{hashlib.blake2b(file.encode(), digest_size=16).hexdigest()}.npy"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            for old in folder.glob("*.np*"):
                if old.stat().st_mtime < time.time() - KEPT_SECONDS:
                    old.unlink()
            part = path.with_suffix(".part.npy")
            np.save(part, np.stack(posts_in(Piece(piece.path), ReadTally()).by_thread()))
            part.replace(path)
        os.utime(path)  # one that is in use is not old
        return Posts(*np.load(path, mmap_mode="r", allow_pickle=False))


def pass_over(tally: ReadTally, cause: str, posts: int = 1) -> None:
    if posts:
        tally.records[f"skipped.{cause}"] += posts


def note_damage(tally: ReadTally, path: str, offset: int, why: str) -> None:
    tally.skip(path, "damaged", offset, why)
