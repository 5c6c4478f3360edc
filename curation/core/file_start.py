"""The beginning of a file, by which each source says whether it is one of its own, and what it says of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

Sureness: TypeAlias = Literal["certain", "likely", "perhaps"]

# The surest first.
SURENESS: Mapping[Sureness, str] = MappingProxyType(
    {
        "certain": "the file has a mark that only files of this kind have",
        "likely": "all that was looked at is as in files of this kind, but other kinds may look so too",
        "perhaps": "some of it is as in files of this kind, or nothing else fits; check the first documents",
    }
)


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A source's guess about a file. Of a file that the source knows but does not read, `instead` says what to do with
    it, and `gives` which of the source's options it is for, if it is for one."""

    kind: str  # a noun phrase, such as "mailbox (mbox)"
    sure: Sureness
    seen: str  # what speaks for it: "it begins with <mediawiki>"
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)  # option that the file does not give -> what it must be
    instead: str = ""
    gives: str = ""


class XmlRoot(NamedTuple):
    """The first element of XML without its namespace prefix, its attributes as they stand, and the document type."""

    name: str
    attributes: str
    doctype: str
    end: int  # of its tag, in the text


class FileMember(NamedTuple):
    """A file in an archive: its name, its first bytes decompressed, and of an archive the names of its first files."""

    name: str
    start: bytes
    files: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class FileStart:
    """A look at the beginning of a file, or of a folder."""

    path: str
    folder: bool = False
    raw: bytes = b""  # the first bytes as they are stored
    content: bytes = b""  # the same decompressed
    text: str | None = None  # these as text; None if they are none
    root: XmlRoot | None = None
    json: bool = False  # it begins with an object of JSON
    rows: Sequence[Mapping[str, Any]] = ()  # the first of these
    archive: Literal["", "tar", "zip"] = ""
    members: Sequence[FileMember] = ()  # the first files of an archive
    comment: str = ""  # what a tar archive says of all its files
