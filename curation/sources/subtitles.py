"""Subtitles and captions as SubRip (.srt) or WebVTT (.vtt), plain or compressed, and tar archives of them: a document
for each file.

    - read: {subtitles: {paths: ["films/*.srt.gz"]}}

Numbers, times, positions and tags are cut; see `subtitle_text` for what is a line. Adverts, and credits of those who
made the subtitles, are cut and counted (`skipped.advert`), and so are descriptions of sounds, such as [music] or
(LAUGHTER), unless `sounds` is kept (`skipped.sound`). A file without a cue is passed over (`skipped.no_cue`). The
column `subtitles` holds the numbers of `cues`, `adverts` and `sounds`. `declared_language` is what a WebVTT file
declares, else what the name says: `film.en.srt`, `film.pt-BR.forced.vtt`. Text in UTF-16 is read where it begins with
its mark; other text that is not UTF-8 by the encoding that it seems to be in (`lenient.charset`); where that cannot be
told, bytes become U+FFFD and are counted (`lenient.invalid_utf8`).
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.component import Signals
from curation.core.languages import label_of
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.lines import PACKED
from curation.sources.subtitle_text import dialogue
from curation.sources.utf8 import judged

_LANGUAGE = re.compile(r"([^\W\d_]+)(?:[-_]([A-Za-z]{2,4}|\d{3}))?")
_ENDS = re.compile(rf"(?:-orig|\.(?:forced|sdh|cc|default|srt|vtt|txt|{PACKED}))+$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Subtitles(ArchivedFiles):
    """Files of subtitles."""

    sounds: Annotated[Literal["cut", "kept"], "descriptions of sounds in brackets"] = "cut"

    version: ClassVar[int] = 2
    max_file: ClassVar[int] = 16 << 20  # a film has 100 KB

    def signal_types(self) -> Signals:
        """How many there are in the file."""
        return dict.fromkeys(("cues", "adverts", "sounds"), pa.int64())

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """One, if the file has a cue."""
        said = dialogue(_text(file.content, tally), cut_sounds=self.sounds == "cut")
        if said is None:
            tally.records["skipped.no_cue"] += 1
            return
        if said.adverts:
            tally.records["skipped.advert"] += said.adverts
        if said.sounds and self.sounds == "cut":
            tally.records["skipped.sound"] += said.sounds
        signals = {"cues": said.cues, "adverts": said.adverts, "sounds": said.sounds}
        yield FileDocument(said.text, file.member, signals, language=said.language or _language(file.name))


def _text(content: bytes, tally: ReadTally) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return judged(content, tally)


def _language(name: str) -> str | None:
    """The tag at a name's end, such as `en` or `pt-BR`; in `film.en.hi.srt` the end says for whom it is."""
    parts = _ENDS.sub("", name.rpartition("/")[2]).split(".")[1:]
    if parts[-1:] == ["hi"] and len(parts) > 1 and label_of(parts[-2]):
        parts.pop()
    named = _LANGUAGE.fullmatch(parts[-1]) if parts else None
    label = named and label_of(named[1])
    return f"{label}-{named[2]}" if named and label and named[2] else label
