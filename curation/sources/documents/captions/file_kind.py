"""Recognises subtitles by what begins them: a mark of their kind, or the times of their first cue."""

import re

from curation.core.file_start import FileStart, Guess
from curation.sources.documents.captions.cues import cues_of
from curation.sources.utf8 import wide_codec

LOOKED = 1 << 16  # characters in which the first cues are
SAMPLE = 1 << 12  # bytes by which UTF-16 and UTF-32 are known
SHARE = 0.1  # of the lines that begin cues, from which on a file has subtitles
_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[,.:]\d{1,3})?"
_ARROW = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}", re.MULTILINE)
# What begins a kind -> its name, and what was seen.
KINDS = (
    (re.compile(r"WEBVTT(?:[ \t\n]|\Z)"), "WebVTT", "WEBVTT"),
    (re.compile(rf"(?:\d{{1,6}}[ \t]*\n[ \t]*)?{_TIME}[ \t]*-->[ \t]*{_TIME}"), "SubRip", "the times of a cue"),
    (re.compile(r"\[script info\]", re.IGNORECASE), "SubStation Alpha", "[Script Info]"),
    (re.compile(r"\{\d{1,9}\}\{\d{1,9}\}\S"), "MicroDVD", "the frames of a cue"),
    (re.compile(r"\[\d{1,9}\]\[\d{1,9}\]"), "MPL2", "the times of a cue"),
    (re.compile(r"\d{1,3}:\d\d:\d\d\.\d{1,3},\d{1,3}:\d\d:\d\d\.\d{1,3}[ \t]*\n"), "SubViewer", "the times of a cue"),
)


def recognised(start: FileStart) -> Guess | None:
    """Subtitles, alone or in a tar archive."""
    if start.archive == "tar":
        cues = [_ARROW.search(_decoded(member.start)) is not None for member in start.members]
        if cues and sum(cues) * 2 > len(cues):
            return Guess(
                kind="tar archive of subtitles", sure="likely", seen="most of its files have the times of cues"
            )
        return None
    text = _decoded(start.content)[:LOOKED].replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff \t\n")
    for begins, kind, seen in KINDS:
        if begins.match(text) and (kind == "WebVTT" or next(cues_of(text), None)):
            return Guess(kind=f"{kind} subtitles", sure="certain", seen=f"it begins with {seen}")
    if len(_ARROW.findall(text)) > SHARE * text.count("\n") and not (start.root or start.json):
        return Guess(kind="SubRip subtitles", sure="likely", seen="it has times of cues")
    return None


def _decoded(content: bytes) -> str:
    """The ASCII of text in an 8-bit encoding, which is all that is looked for."""
    return content.decode(wide_codec(content[:SAMPLE]) or "latin-1", "replace").removeprefix("\u00ef\u00bb\u00bf")
