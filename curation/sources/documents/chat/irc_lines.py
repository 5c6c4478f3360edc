"""Lines of an IRC log as text: channels have no encoding, so one log may hold several."""

import io
from collections.abc import Iterator

from curation.core.protocols import ReadTally
from curation.sources.utf8 import WINDOWS, wide_codec
from curation.text.charsets.detector import detected

SAMPLE = 1 << 16  # bytes of lines by which an encoding is judged
HEAD = 1 << 15  # bytes of a log by which its form is judged

_JAPANESE = (b"\x1b$B", b"\x1b$@")  # escapes to JIS X 0208
_REPLACED = "\ufffd"


def read_lines(content: bytes, tally: ReadTally) -> Iterator[str]:
    """Lines that are not UTF-8 are read by the encoding that they seem to be in, else by Windows-1252 as clients do
    (`lenient.charset`); those of which bytes become U+FFFD are counted (`lenient.invalid_utf8`)."""
    if codec := _whole_codec(content):
        tally.records["lenient.charset"] += 1
        content = content.decode(codec, "replace").encode(errors="replace")
    codec = None
    for line in io.BytesIO(content):
        try:
            yield line.decode()
            continue
        except UnicodeDecodeError:
            codec = codec or _legacy_codec(content)
        text = line.decode(codec, "replace")
        tally.records["lenient.invalid_utf8" if _REPLACED in text else "lenient.charset"] += 1
        yield text


def head_of(content: bytes) -> list[str]:
    """The lines by which a log's form is judged."""
    codec = _whole_codec(content[:HEAD]) or "utf-8"
    return content[:HEAD].decode(codec, "replace").split("\n")


def _whole_codec(content: bytes) -> str | None:
    if any(escape in content for escape in _JAPANESE):
        return "iso2022_jp"
    return wide_codec(content[:SAMPLE])


def _legacy_codec(content: bytes) -> str:
    """The encoding of the lines that are not UTF-8."""
    sample = b""
    for line in io.BytesIO(content):
        try:
            line.decode()
        except UnicodeDecodeError:
            sample += line
            if len(sample) > SAMPLE:
                break
    codec = detected(sample[:SAMPLE])
    return WINDOWS if codec in (None, "utf-8") else codec
