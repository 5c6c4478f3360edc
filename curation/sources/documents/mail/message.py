"""Reads one message of mail: the headers that are of use, its text, and the number of its attachments.

Of alternatives the plain text is taken before HTML. Whatever is neither, is stated to be an attachment, or is a message
by itself counts as an attachment. What could not be read is counted: `lenient.mime` (parts without a boundary, nested
over `MAX_DEPTH` deep, or more than `MAX_PARTS`, and HTML of more than `MAX_TAGS`), `lenient.long_head`,
`lenient.encoding`, and `lenient.charset`, where bytes do not fit the charset that is stated, or none is and
they are not UTF-8; they are read by the encoding that they seem to be in, or as Windows-1252 where they are too few.

Written here since Python's `email` takes 100 times as long and nests without a bound. Sources: RFC 5322, 2045 to 2047.
"""

import binascii
import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from resiliparse.extract.html2text import extract_plain_text

from curation.core.protocols import ReadTally
from curation.sources.documents.mail.encodings import decoded
from curation.sources.utf8 import legacy
from curation.text.html.inline_marks import resolved
from curation.text.html.inline_markup import marked

MAX_HEAD = 256 << 10  # bytes of a part's headers
MAX_VALUE = 2 << 10  # bytes of a header's value; what is over is left out
MAX_DEPTH = 20  # parts within parts
MAX_PARTS = 1_000  # of a message
MAX_PREAMBLE = 4 << 10  # bytes of a body in which the first part of those that an archive kept begins
MAX_TAGS = 50_000  # of a message's HTML; tags that are never closed take a second, of four times as many 23 s
MAX_STUB = 300  # characters of a text that says that the message is in HTML
MIXED_UP = frozenset(
    "idna punycode unicode-escape raw-unicode-escape undefined mbcs oem".split()
)  # no charsets of mail
_KEPT = ("date", "subject", "message-id", "list-id", "archived-at", "content-language")
_OF_MESSAGES = frozenset(("from", "to", "received", "mime-version", *_KEPT[:3]))
_OF_REPLIES = ("in-reply-to", "references")
_OF_PARTS = ("content-type", "content-transfer-encoding", "content-disposition")
_WANTED = {name.encode(): name for name in (*_OF_MESSAGES, *_KEPT, *_OF_REPLIES, *_OF_PARTS)}
_KIND = re.compile(r"\s*([\w.+-]{1,80}/[\w.+-]{1,80})")
_BOUNDARY = re.compile(r'boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)
_FIRST_PART = re.compile(rb"\n--(\S[^\n]{0,198}?)[ \t]*\n(?=content-[a-z-]{1,30}:)", re.IGNORECASE)
_MESSAGES = ("message/rfc822", "text/plain")  # the type of a digest's parts, and ours where none is stated
_ANSWERS = re.compile(
    r"(?:\[[^\]]{0,60}\]\s*)?(?:re|aw|sv|vs|antw|odp|rv|res|ref|fwd?|wg|tr|rif|回复|答复|отв?)\b.{0,4}[:：]",
    re.IGNORECASE,
)
_FLOWED = re.compile(r"format\s*=\s*\"?flowed", re.IGNORECASE)
_WORD = re.compile(r"=\?([\w.:+-]{1,40})(?:\*[\w-]*)?\?([BbQq])\?([^?\s]*)\?=(?:\s+(?==\?))?")  # of RFC 2047
_SOFT_BREAK = re.compile(r"(?<=[^\s>])(?<!\n--)(?<!\A--) \n(?=[^\s>])(?!-- \n)")  # "-- " stays a line
_BLANK_LINE = re.compile(rb"\n[ \t]{1,9}\n(?![ \t]|[!-9;-~]{1,80}[ \t]*:)")  # below a head, as some write it
_STUFFED = re.compile(r"^ (?= |From )", re.MULTILINE)
_STUB = re.compile(r"\bhtml\b.{0,100}\b(?:e-?mail|message|mail|reader|client|program|viewer|browser)", re.IGNORECASE)
_BLOCKQUOTE = re.compile(r"<(/?)blockquote\b[^<>]{0,1000}>", re.IGNORECASE)
_CITES = re.compile(r"\bcite\b|quote[\s\"']|border-left", re.IGNORECASE)
_CONTROL = re.compile(r"(?i)(</?)(?:button|label)(?=[\s/>])")  # whose words the library leaves out

Span: TypeAlias = tuple[int, int]  # of bytes


class MailMessage(NamedTuple):
    """The `_KEPT` headers by name, the first of each, "" where there is none; the texts of its parts; attachments; and
    whether it replies to another message, or quotes one in HTML."""

    headers: dict[str, str]
    texts: list[str]
    attachments: int
    reply: bool

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)


def read_message(content: bytes, tally: ReadTally) -> MailMessage | None:
    """None where these bytes are no message: no header says whose it is, when it was sent or of what, or which parts it
    has."""
    data = content.replace(b"\r\n", b"\n") if b"\r\n" in content else content
    reader = _PartReader(data, tally)
    head, body = reader.head((0, len(data)))
    if _OF_MESSAGES.isdisjoint(head) and not _BOUNDARY.search(head.get("content-type", "")):
        return None
    texts = reader.texts(head, body, MAX_DEPTH)
    headers = {name: _header_text(head.get(name, "")) for name in _KEPT}
    reply = reader.quotes or not head.keys().isdisjoint(_OF_REPLIES) or _ANSWERS.match(headers["subject"]) is not None
    return MailMessage(headers, texts, reader.attachments, reply)


class _PartReader:
    """The parts of one message, which are never copied but for their texts."""

    def __init__(self, data: bytes, tally: ReadTally) -> None:
        self._data = data
        self._tally = tally
        self._parts = 0
        self._tags = 0
        self.attachments = 0
        self.quotes = False  # whether HTML marks what it quotes

    def head(self, span: Span) -> tuple[dict[str, str], Span]:
        """The headers that are wanted, as they are written, and where the body is."""
        start, stop = span
        if self._data.startswith(b"\n", start, stop):
            return {}, (start + 1, stop)
        limit = min(start + MAX_HEAD, stop)
        end = self._data.find(b"\n\n", start, limit)
        if blank := _BLANK_LINE.search(self._data, start, limit if end < 0 else end):
            return _wanted(self._data[start : blank.start()].split(b"\n")), (blank.end(), stop)
        if end < 0 and stop - start > MAX_HEAD:
            self._tally.records["lenient.long_head"] += 1
        lines = self._data[start : limit if end < 0 else end].split(b"\n")
        return _wanted(lines), (stop if end < 0 else end + 2, stop)

    def texts(self, head: dict[str, str], body: Span, depth: int) -> list[str]:
        """The texts of a part, and of the parts in it."""
        kind = _kind(head)
        if kind.startswith("multipart/"):
            boundary = _BOUNDARY.search(head["content-type"])
            if boundary and depth:
                return self._of_parts((boundary[1] or boundary[2]).encode(), body, kind, depth)
            return self._refused()
        attached = head.get("content-disposition", "").lstrip()[:10].lower() == "attachment"
        if attached or kind not in ("text/plain", "text/html"):
            self.attachments += 1
            return []
        if depth == MAX_DEPTH and kind == "text/plain" and (first := self._first_kept(body)):
            return self._of_kept_parts(first, body)
        content = self._data[slice(*body)]
        if depth == MAX_DEPTH and "content-transfer-encoding" not in head:
            content = decoded(content)
        written = self._decoded(head, content)
        if kind == "text/html":
            self._tags += written.count("<")
            self.quotes |= any(map(_cites, _BLOCKQUOTE.finditer(written)))
            return [_html_text(written)] if self._tags <= MAX_TAGS else self._refused()
        return [_unflowed(written) if _FLOWED.search(head.get("content-type", "")) else written]

    def _refused(self) -> list[str]:
        self._tally.records["lenient.mime"] += 1
        return []

    def _of_parts(self, boundary: bytes, body: Span, kind: str, depth: int) -> list[str]:
        parts = [self.head(span) for span in self._spans(b"--" + boundary, *body)]
        if kind == "multipart/alternative":
            parts.sort(key=lambda part: _kind(part[0]) != "text/plain")
            read = (self.texts(*part, depth - 1) for part in parts)
            written = (texts for texts in read if any(text.strip() for text in texts))
            first = next(written, [])
            return next(written, first) if len(first) == 1 and _is_stub(first[0]) else first
        if kind == "multipart/digest":
            parts = [self.head(span) if _kind(head) in _MESSAGES else (head, span) for head, span in parts]
        texts = (text.strip("\n") for part in parts for text in self.texts(*part, depth - 1))
        return list(filter(None, texts))

    def _first_kept(self, body: Span) -> re.Match[bytes] | None:
        stop = min(body[0] + MAX_PREAMBLE, body[1])
        at = self._data.find(b"\n--", max(body[0] - 1, 0), stop)
        return _FIRST_PART.search(self._data, at, stop) if at >= 0 else None

    def _of_kept_parts(self, first: re.Match[bytes], body: Span) -> list[str]:
        """The texts of a message whose archive kept the lines between its parts, but not the header that states
        them."""
        parts = [_kind(self.head(span)[0]) for span in self._spans(b"--" + first[1], *body)]
        kind = "multipart/alternative" if sorted(parts) == ["text/html", "text/plain"] else "multipart/mixed"
        before = self._data[body[0] : first.start() + 1].strip()
        texts = self._of_parts(first[1], body, kind, MAX_DEPTH)
        return texts if not before or b"MIME" in before else [self._decoded({}, before), *texts]

    def _spans(self, mark: bytes, start: int, stop: int) -> Iterator[Span]:
        """The parts between lines of this mark. The last one goes to the end where the mark that closes is missing."""
        begin = -1
        end = start - 1  # a line ends there
        while (at := self._data.find(b"\n" + mark, end, stop)) >= 0:
            end = at + 1 + len(mark)
            self._parts += 1  # also with a mark that is longer: looking at each takes time
            rest = self._data[end : min(end + 80, stop)]
            closes = rest.startswith(b"--")
            if not closes and rest.lstrip(b" \t")[:1] not in (b"\n", b"") and self._parts <= MAX_PARTS:
                continue
            if begin >= 0:
                yield begin, max(at, begin)
            if closes or self._parts > MAX_PARTS:
                self._tally.records.update(["lenient.mime"] * (not closes))
                return
            begin = self._data.find(b"\n", end, stop) + 1 or stop
        if begin >= 0:
            yield begin, stop

    def _decoded(self, head: dict[str, str], content: bytes) -> str:
        encoding = head.get("content-transfer-encoding", "").strip().lower()
        if encoding == "quoted-printable":
            content = binascii.a2b_qp(content)
        elif encoding == "base64":
            try:
                content = binascii.a2b_base64(content + b"==")
            except binascii.Error:
                self._tally.records["lenient.encoding"] += 1
                return ""
        charset = _CHARSET.search(head.get("content-type", ""))
        text, fits = _in_charset(content, charset[1] if charset else "utf-8")
        self._tally.records.update(["lenient.charset"] * (not fits))
        return text.replace("\r\n", "\n")


def _unflowed(text: str) -> str:
    """Text of format=flowed (RFC 3676): paragraphs on one line, without the blank that is put before another, or before
    "From "."""
    return _STUFFED.sub("", _SOFT_BREAK.sub(" ", text))


def _is_stub(text: str) -> bool:
    """Whether a plain text only says that the message is in HTML."""
    return len(text) <= MAX_STUB and _STUB.search(" ".join(text.split())) is not None


def _html_text(markup: str) -> str:
    """HTML as a reader sees it, with superscripts, ruby and the numbers of lists by `text/html/inline_markup`, and
    quotes as a line of ">"."""
    with_words = _CONTROL.sub(r"\1span", "".join(_without_quotes(markup)))
    with_marks = marked(with_words)
    text = str(extract_plain_text(with_marks))
    return text if with_marks is with_words else resolved(text)


def _cites(blockquote: re.Match[str]) -> bool:
    """Whether a tag says that it quotes a message, and not a poem."""
    return _CITES.search(blockquote[0]) is not None


def _without_quotes(markup: str) -> Iterator[str]:
    depth = end = 0
    for tag in _BLOCKQUOTE.finditer(markup):
        if depth or _cites(tag):
            depth += -1 if tag[1] else 1
            if depth == 1 and not tag[1]:
                yield markup[end : tag.start()] + "<p>&gt;</p>"
            end = tag.end()
    if not depth:
        yield markup[end:]


def _wanted(lines: list[bytes]) -> dict[str, str]:
    found: dict[str, bytes] = {}
    name: str | None = None
    for line in lines:
        if line.startswith((b" ", b"\t")):
            if name and len(found[name]) < MAX_VALUE:
                found[name] += line
            continue
        stated, _, value = line.partition(b":")
        name = _WANTED.get(stated.rstrip().lower())
        if name in found:
            name = None
        elif name:
            found[name] = value
    return {name: _in_charset(value[:MAX_VALUE].strip(), "utf-8")[0] for name, value in found.items()}


def _kind(head: dict[str, str]) -> str:
    match = _KIND.match(head.get("content-type", ""))
    return match[1].lower() if match else "text/plain"


def _in_charset(content: bytes, charset: str) -> tuple[str, bool]:
    """Text, and whether it is in this charset; else it is UTF-8 or in what it seems to be in."""
    for name in (charset, "utf-8"):
        try:
            if name != "utf-8" and codecs.lookup(name).name in MIXED_UP:
                continue
            text = content.decode(name)
            text.encode()  # some charsets give half a character
        except (LookupError, ValueError):
            continue
        return text, name == charset
    return legacy(content), False


def _header_text(value: str) -> str:
    """A header's value without its encoding, on one line."""
    decoded = _WORD.sub(_word, value) if "=?" in value else value
    return " ".join(decoded.split())


def _word(match: re.Match[str]) -> str:
    charset, encoding, written = match.groups()
    content = written.encode()
    try:
        plain = binascii.a2b_qp(content, header=True) if encoding in "Qq" else binascii.a2b_base64(content + b"==")
    except binascii.Error:
        return written
    return _in_charset(plain, charset)[0]
