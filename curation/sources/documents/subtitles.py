"""Subtitles and captions as SubRip (.srt), WebVTT (.vtt), SubStation Alpha (.ass, .ssa), MicroDVD, MPL2, SubViewer
(.sub, .txt) or YouTube's SBV, plain or compressed, and tar archives of them: a document for each file.

    - read: {subtitles: {paths: ["films/*.srt.gz"]}}

Numbers, times, positions and tags are cut; see `cues` for the forms and `subtitle_text` for what is a line. Adverts,
and credits of those who made the subtitles, are cut and counted (`skipped.advert`), and so are descriptions of sounds,
such as [music] or (LAUGHTER), unless `sounds` is kept (`skipped.sound`). A file without a cue is passed over
(`skipped.no_cue`), and a fault, which shows its first line, unless it is empty. The column `subtitles` holds the
numbers of `cues`, `adverts` and `sounds`. `declared_language` is what a WebVTT file declares, else what the name says:
`film.en.srt`, `film.pt-BR.forced.vtt`. Text in UTF-16 and UTF-32 is known by its mark or its NULs; other text that is
not UTF-8 is read by the encoding that it seems to be in (`lenient.charset`). Files of which bytes become U+FFFD are
counted (`lenient.invalid_utf8`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.component import Signals
from curation.core.file_start import FileStart, Guess
from curation.core.languages import label_of
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.documents.captions.file_kind import SAMPLE, recognised
from curation.sources.documents.captions.subtitle_text import dialogue
from curation.sources.documents.name_ends import without_ends
from curation.sources.lines import PACKED
from curation.sources.utf8 import WINDOWS, wide_codec
from curation.text.charsets.detector import detected, fits, ranked

REPLACED = "\ufffd"  # what stands for bytes that an encoding lacks

_LANGUAGE = re.compile(r"([^\W\d_]+)(?:[-_]([A-Za-z]{2,4}|\d{3}))?")
_END = re.compile(rf"(?:-orig|\.(?:forced|sdh|cc|default|srt|vtt|txt|{PACKED}))\Z", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Subtitles(ArchivedFiles):
    """Files of subtitles."""

    sounds: Annotated[Literal["cut", "kept"], "descriptions of sounds in brackets"] = "cut"

    version: ClassVar[int] = 3
    max_file: ClassVar[int] = 16 << 20  # a film has 100 KB

    def signal_types(self) -> Signals:
        """How many there are in the file."""
        return dict.fromkeys(("cues", "adverts", "sounds"), pa.int64())

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the first line of WebVTT, or by the times of SubRip."""
        return recognised(start)

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """One, if the file has a cue."""
        text = _text(file.content, tally)
        said = dialogue(text, cut_sounds=self.sounds == "cut")
        if said is None:
            tally.records["skipped.no_cue"] += 1
            file.note_unknown(tally, "cue", text.split("\n"))
            return
        if said.adverts:
            tally.records["skipped.advert"] += said.adverts
        if said.sounds and self.sounds == "cut":
            tally.records["skipped.sound"] += said.sounds
        signals = {"cues": said.cues, "adverts": said.adverts, "sounds": said.sounds}
        yield FileDocument(said.text, file.member, signals, language=said.language or _language(file.name))


def _text(content: bytes, tally: ReadTally) -> str:
    """The text by its byte order mark or NULs, as UTF-8, or by the encoding that its letters seem to be in."""
    codec = wide_codec(content[:SAMPLE])
    if codec is None:
        try:
            return content.decode()
        except UnicodeDecodeError:
            codec = detected(content) or next((codec for codec in ranked(content) if fits(content, codec)), WINDOWS)
        if codec != "utf-8":
            tally.records["lenient.charset"] += 1
    text = content.decode(codec, "replace")
    if REPLACED in text:
        tally.records["lenient.invalid_utf8"] += 1
    return text


def _language(name: str) -> str | None:
    """The tag at a name's end, such as `en` or `pt-BR`; in `film.en.hi.srt` the end says for whom it is."""
    parts = without_ends(name.rpartition("/")[2], _END).split(".")[1:]
    if parts[-1:] == ["hi"] and len(parts) > 1 and label_of(parts[-2]):
        parts.pop()
    named = _LANGUAGE.fullmatch(parts[-1]) if parts else None
    label = named and label_of(named[1])
    return f"{label}-{named[2]}" if named and label and named[2] else label
