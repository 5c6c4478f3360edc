"""Recognises the files of a Stack Exchange dump: its tables in XML, and archives of 7-Zip that hold them.

Source: https://archive.org/details/stackexchange (the tables of a dump).
"""

from typing import Literal

from curation.core.errors import InputError
from curation.core.file_start import FileStart, Guess
from curation.core.wording import listed
from curation.sources.documents.posts.post_index import POSTS
from curation.sources.documents.posts.seven_zip import archived_names

TABLES = ("Badges", "Comments", "PostHistory", "PostLinks", "Tags", "Users", "Votes")
SHOWN = 5  # names of an archive's files
_ROOTS = {table.lower(): table for table in TABLES}


def recognised_table(start: FileStart) -> Guess | None:
    """Posts, or another table."""
    root = start.root
    row = (start.text or "")[root.end :].lstrip()[:4] if root else ""
    if root is None or row != "<row" or f"<{root.name}".encode() not in start.content:  # which is in UTF-16
        return None
    seen = f"it begins with <{root.name}> and <row>"
    if root.name == "posts":
        return Guess(kind="Stack Exchange posts", sure="certain", seen=seen)
    if root.name in _ROOTS:
        table = _ROOTS[root.name]
        instead = f"leave it out: no source needs {table}.xml, and `stackexchange` reads {POSTS}"
        return Guess(kind=f"{table} table of a Stack Exchange dump", sure="certain", seen=seen, instead=instead)
    return None


def recognised_archive(path: str) -> Guess:
    """An archive of 7-Zip with posts; others are not read."""
    unpack = f"unpack it (7z x {path}), and inspect what is in it"
    kind = "7-Zip archive"
    try:
        names = archived_names(path, POSTS)
    except InputError as error:
        return Guess(kind=kind, sure="certain", seen="it begins with the bytes of one", instead=str(error))
    seen = f"it holds {listed(names, SHOWN) or 'nothing'}"
    others = {name.removesuffix(".xml") for name in names}
    if POSTS in names or (others and others <= {*TABLES}):
        sure: Literal["certain", "likely"] = "certain" if POSTS in names else "likely"
        return Guess(kind=f"{kind} of a Stack Exchange dump", sure=sure, seen=seen)
    return Guess(kind=kind, sure="certain", seen=seen, instead=unpack)
