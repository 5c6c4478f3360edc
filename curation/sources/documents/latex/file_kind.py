"""Recognises papers in TeX: a file, the archive of a paper's files, and archives of papers as arXiv gives them."""

import posixpath
import re
from collections.abc import Callable

from curation.core.file_start import FileMember, FileStart, Guess, Sureness

COMMANDS = 0.1  # such commands a line, from which on a file is part of a paper
LOOKED = 1 << 15  # bytes in which a document begins
_DOCUMENT = re.compile(rb"^[ \t]*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE)
_COMMAND = re.compile(rb"\\(?:input|include|def|chapter|(?:sub)*section|title|label|ref|cite[pt]?|begin|end|item)\b")
_NAMES = re.compile(r"\.(?:tex|ltx|latex|bbl|sty|cls|bst|bib|eps|ps|pdf|png|jpe?g)\Z", re.IGNORECASE)


def recognised(start: FileStart, is_paper: Callable[[str], object]) -> Guess | None:
    """`is_paper`: whether a name is one that arXiv gives a paper's file."""
    if start.archive == "tar":
        return _papers(start, is_paper) or _paper(start)
    if start.rows and all({"id", "categories", "versions", "submitter"} <= row.keys() for row in start.rows):
        instead = "give it as `metadata` of `arxiv`, which reads the papers"
        return Guess(
            kind="list of arXiv's papers", sure="certain", seen="it has its fields", instead=instead, gives="metadata"
        )
    if start.text is None or start.archive or start.root or start.json:
        return None
    head = start.content[:LOOKED]
    if _DOCUMENT.search(head):
        sure: Sureness = "likely" if head.lstrip()[:1] in (b"%", b"\\") else "perhaps"
        return Guess(kind="TeX paper", sure=sure, seen="it has a \\documentclass or \\begin{document}")
    if len(_COMMAND.findall(head)) > COMMANDS * head.count(b"\n"):
        seen = "it has commands of TeX, but no document begins in it"
        instead = "give all files of the paper, as one tar archive"
        return Guess(kind="part of a TeX paper", sure="perhaps", seen=seen, instead=instead)
    return None


def _papers(start: FileStart, is_paper: Callable[[str], object]) -> Guess | None:
    """An archive of archives of TeX, or of papers by their names, some of which have TeX."""
    packed = [member for member in start.members if member.files or (_holds_tex(member) and not _is_tex(member.name))]
    named = [member for member in start.members if is_paper(posixpath.basename(member.name))]
    if packed and len(named) * 2 > len(start.members):
        seen = "its files hold TeX, and are named as arXiv names papers"
        return Guess(kind="archive of arXiv papers", sure="certain", seen=seen)
    if sum(map(_holds_tex, packed)) * 2 > len(start.members):
        return Guess(kind="archive of TeX papers", sure="likely", seen="most of its files are archives of TeX")
    return None


def _paper(start: FileStart) -> Guess | None:
    """An archive of a paper's own files."""
    fitting = sum(_NAMES.search(member.name) is not None for member in start.members)
    if not any(_holds_tex(member) for member in start.members) or fitting * 4 < len(start.members) * 3:
        return None
    seen = "one of its files has a \\documentclass, and most are of kinds that TeX reads"
    return Guess(kind="archive of a TeX paper", sure="likely", seen=seen)


def _is_tex(name: str) -> bool:
    return name.lower().endswith((".tex", ".ltx", ".latex"))


def _holds_tex(member: FileMember) -> bool:
    if member.files:
        return any(map(_is_tex, member.files))
    return b"\0" not in member.start[:LOOKED] and _DOCUMENT.search(member.start[:LOOKED]) is not None
