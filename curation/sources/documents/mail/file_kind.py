"""Recognises mailboxes and single messages by the headers with which they begin.

Source: RFC 5322 (headers), RFC 4155 (mbox).
"""

import re

from curation.core.file_start import FileMember, FileStart, Guess

HEADERS = frozenset(
    "bcc cc date delivered-to from in-reply-to lines list-id message-id mime-version newsgroups path received"
    " references reply-to return-path sender status subject to x-mozilla-status".split()
)
LOOKED = 1 << 16  # characters in which the headers are
LEAST = 3  # of a message's headers, one of which says who wrote it
_HEADER = re.compile(r">?([!-9;-~]{1,80}):(?:[ \t]|$)")
_SEPARATOR = re.compile(r"From [^\n]{1,400}")
_MEMBER = re.compile(r"(?:^|/)(?:cur|new)/[^/]+\Z|\.(?:eml|mbox|mbx)(?:\.\w+)?\Z", re.IGNORECASE)


def recognised(start: FileStart) -> Guess | None:
    """A mailbox, a message, or an archive of some, which is not read."""
    if start.members and sum(map(_is_mail, start.members)) * 2 > len(start.members):
        instead = "unpack it: `email` reads files and folders of mail, no archives"
        seen = "most of its files are named as mail, or begin as mail does"
        return Guess(kind="archive of mail", sure="likely", seen=seen, instead=instead)
    return _guess((start.text or "")[:LOOKED])


def _is_mail(member: FileMember) -> bool:
    if _MEMBER.search(member.name):
        return True
    guess = _guess(member.start[:LOOKED].decode("utf-8", "replace"))
    return guess is not None and guess.sure != "perhaps"


def _guess(text: str) -> Guess | None:
    lines = text.lstrip("\ufeff\r\n \t").splitlines()
    if lines and _SEPARATOR.match(lines[0]) and (names := _headers(lines[1:])):
        if names & HEADERS:
            return Guess(
                kind="mailbox (mbox)", sure="certain", seen="it begins with a `From ` line above headers of mail"
            )
        return Guess(kind="mailbox (mbox)", sure="perhaps", seen="it begins with a `From ` line above other headers")
    names = _headers(lines)
    if "from" in names and len(names & HEADERS) >= LEAST:
        sure = names & {"message-id", "received", "return-path", "mime-version", "delivered-to"}
        seen = "it begins with the headers of a message"
        return Guess(kind="message of mail", sure="certain" if sure else "likely", seen=seen)
    return None


def _headers(lines: list[str]) -> set[str]:
    """The names of the headers up to the first empty line, in lower case; none where a line is no header."""
    names: set[str] = set()
    for number, line in enumerate(lines):
        if not line.strip():
            break
        header = _HEADER.match(line)
        if header:
            names.add(header[1].lower())
        elif not (line[0] in " \t" and number) and not line.startswith(">From "):
            return names if len(names & HEADERS) >= LEAST else set()
    return names
