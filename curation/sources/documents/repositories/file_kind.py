"""Recognises git repositories, and archives of a repository's files."""

import posixpath
import re
from pathlib import Path

from curation.core.file_start import FileStart, Guess
from curation.core.names import system_name
from curation.sources.documents.repositories.file_language import language_of
from curation.sources.documents.repositories.git_folder import git_folder

# Languages of files that other archives have, too.
TEXTS = frozenset(
    {"Text only", "HTML", "XML", "JSON", "CSS", "TeX", "Markdown", "reStructuredText", "Properties", "INI"}
    | {"E-mail", "IRC logs", "BibTeX", "Diff", "YAML", "PostScript"}
)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # as `git archive` writes it
MARKS = frozenset(
    "makefile cmakelists.txt setup.py pyproject.toml package.json cargo.toml go.mod pom.xml .gitignore configure"
    " pkg-info".split()
)


def recognised(start: FileStart) -> Guess | None:
    """A repository, or its tarball; a zip is not read."""
    if start.folder:
        if git_folder(Path(system_name(start.path))) is None:
            return None
        return Guess(kind="git repository", sure="certain", seen="it has HEAD, objects and refs")
    if start.archive == "tar" and _COMMIT.fullmatch(start.comment):
        return Guess(kind="tar archive of code", sure="certain", seen="it names the commit of which it is")
    names = [member.name for member in start.members]
    instead = "make a tarball of it: `code` reads no zip" if start.archive == "zip" else ""
    kind = f"{start.archive} archive of code"
    if any("/.git/" in f"/{name}" for name in names):
        return Guess(kind=kind, sure="certain", seen="it holds a .git folder", instead=instead)
    code = sum(language_of(name, "") not in {None, *TEXTS} for name in names)
    marks = sorted({*map(posixpath.basename, map(str.lower, names))} & MARKS)
    one_folder = len({name.partition("/")[0] for name in names}) == 1
    if not code or (code * 3 < len(names) and not (marks and one_folder)):
        return None
    seen = f"{code} of its first {len(names)} files are named as code" + (f", beside {marks[0]}" if marks else "")
    likely = code * 2 > len(names) or one_folder or bool(marks)
    return Guess(kind=kind, sure="likely" if likely else "perhaps", seen=seen, instead=instead)
