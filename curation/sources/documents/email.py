"""Mail: a document for each message of mbox files and of folders with a message a file, such as Maildir.

    - read: {email: {paths: [lists/2019-03.mbox, "lists/*.mbox.gz", Maildir/]}}

The text is what the author wrote: headers, quotes, signatures, footers and what archives add are cut (`mail/quotes`),
of HTML the text is taken where there is no plain one (`mail/message`). The date is that of the header `Date`, in UTC;
the address that of an archive (`Archived-At`), if the message has one. Mail states no licence: it is `default_licence`.
The column `email` holds `message_id`, `list`, `subject` and the number of `attachments`, and none of the headers with
people's addresses.

Passed over and counted: `skipped.no_message`, also noted, and `skipped.no_text`, with nothing but attachments or
quotes. The limit of a document is also that of its text with quotes. See `mail/message` for what is counted as lenient,
and `mail/mbox` for where a message begins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.component import Signals
from curation.core.document import document_id
from curation.core.file_start import FileStart, Guess
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.dates import parse_mail_date
from curation.sources.documents.mail.file_kind import recognised
from curation.sources.documents.mail.mbox import RawMessage, raw_messages
from curation.sources.documents.mail.message import read_message
from curation.sources.documents.mail.quotes import own_text
from curation.sources.lines import line_units
from curation.sources.source_files import TextSource
from curation.sources.units import row_batches

MAX_MESSAGE = 64 << 20  # bytes, with attachments


@dataclass(frozen=True, kw_only=True)
class Email(TextSource):
    """Mail of lists or of mailboxes; each `paths` entry is a file, a folder or a glob."""

    default_licence: Annotated[str | None, "the licence of all messages"] = None

    version: ClassVar[int] = 3

    def signal_types(self) -> Signals:
        """Of the headers, and what was attached."""
        return {**dict.fromkeys(("message_id", "list", "subject"), pa.string()), "attachments": pa.int64()}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """A mailbox by its first separator, a message by its headers."""
        return recognised(start)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Groups small files and cuts large plain ones into byte ranges; a compressed file is never cut."""
        return line_units(files, group_bytes=group_bytes, split_bytes=split_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing."""
        rows = (row for piece in unit for row in self._rows(piece, source, tally))
        yield from row_batches(rows, self.schema())

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        for message in raw_messages(piece, tally, MAX_MESSAGE):
            row = converted(partial(self._row, message, piece, source, tally))
            if isinstance(row, Overrun):
                reason = error_reason(key_of(type(self)), row)
                row = self._row(message._replace(content=None), piece, source, tally)
                row = row and row | {"drop_reason": reason}
            if row is not None:
                yield row

    def _row(self, raw: RawMessage, piece: Piece, source: str, tally: ReadTally) -> dict[str, Any] | None:
        message = None if raw.content is None else read_message(raw.content, tally)
        too_long = raw.content is None or (message is not None and len(message.text.encode()) > self.max_document_bytes)
        text = None
        if message and not too_long:
            own = (own_text(text, reply=message.reply) for text in message.texts)
            text = "\n\n".join(filter(None, own))
        if not too_long and not text:
            tally.records["skipped.no_text" if message else "skipped.no_message"] += 1
            if message is None:
                tally.fault(piece.path, raw.offset, "no message of mail begins here")
            return None
        headers = message.headers if message else {}
        name = headers.get("message-id") or None
        address = headers.get("archived-at", "").strip("<> ")
        return {
            "doc_id": document_id(source, piece.name, raw.offset, name or ""),
            "url": address if address.startswith(("http://", "https://")) else None,
            "source": source,
            "crawled_at": parse_mail_date(headers.get("date", "")),
            "licence": self.default_licence,
            "declared_language": headers.get("content-language") or None,
            "origin": piece.path,
            "origin_offset": raw.offset,
            "text": text,
            "drop_reason": extract_reason("too_many_bytes") if too_long else None,
            "email": {
                "message_id": name,
                "list": headers.get("list-id") or None,
                "subject": headers.get("subject") or None,
                "attachments": message.attachments if message else None,
            },
        }
