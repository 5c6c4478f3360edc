"""What arXiv's list of its papers says of each: categories, licence, and when the latest version came.

All of the list is held, 64 bytes a paper, and loaded once a process.

Source: `arxiv-metadata-oai-snapshot.json` as Cornell University publishes it (kaggle.com): JSON lines with `id`,
`categories`, `license`, and `versions`, each `created` at a time as RFC 2822 writes it.
"""

import json
from functools import lru_cache, partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from curation.core.errors import InputError
from curation.core.names import whole_text
from curation.core.protocols import Piece
from curation.sources.dates import parse_mail_date
from curation.sources.lines import line_blocks

MAX_LINE = 16 << 20  # bytes
_ID = np.dtype("S24")
_ROW = np.dtype([("created", "S32"), ("categories", np.int32), ("licence", np.int32)])


class ArxivEntry(NamedTuple):
    """`date` is in milliseconds since 1970; what is not stated is None."""

    categories: str | None
    licence: str | None
    date: int | None


class ArxivMetadata(NamedTuple):
    """Rows in the order of their ids; `words`: the categories and licences that they name by number."""

    ids: npt.NDArray[np.bytes_]
    rows: npt.NDArray[Any]
    words: list[str | None]

    def of(self, paper: str) -> ArxivEntry | None:
        """Of the paper with this id; None if the list has none."""
        place = int(np.searchsorted(self.ids, np.bytes_(paper)))
        if place == len(self.ids) or self.ids[place] != paper.encode():
            return None
        row = self.rows[place]
        created = parse_mail_date(row["created"].decode(errors="replace"))
        return ArxivEntry(self.words[row["categories"]], self.words[row["licence"]], created)


@lru_cache(maxsize=1)
def load(path: str) -> ArxivMetadata:
    """Raises InputError for what is missing or no such list."""
    numbers: dict[str | None, int] = {None: 0}
    ids = [np.zeros(0, _ID)]
    rows = [np.zeros(0, _ROW)]
    refuse = partial(_refuse, path)
    for block in line_blocks(Piece(path), max_line=MAX_LINE, on_fault=refuse, on_long=refuse):
        names = []
        papers = []
        for line in filter(None, map(bytes.strip, block.data.splitlines())):
            try:
                stated = json.loads(line)
                created = stated["versions"][-1]["created"].encode(errors="replace")
                words = [stated[name] and whole_text(str(stated[name])) for name in ("categories", "license")]
                places = [numbers.setdefault(word or None, len(numbers)) for word in words]
                names.append(stated["id"].encode(errors="replace"))
                papers.append((created, *places))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                refuse(block.offset, f"no paper of arXiv's list: {line[:80]!r}")
        ids.append(np.array(names, _ID))
        rows.append(np.array(papers, _ROW))
    every = np.concatenate(ids)
    order = np.argsort(every, kind="stable")
    return ArxivMetadata(every[order], np.concatenate(rows)[order], list(numbers))


def _refuse(path: str, offset: int, error: str) -> NoReturn:
    raise InputError(f"{path}, byte {offset}: {error}; give arxiv-metadata-oai-snapshot.json, unpacked") from None
