"""Logs of IRC channels, plain or compressed, and tar archives of them: a document for each channel and day.

    - read: {irc: {paths: ["logs/#python.*.log.gz"]}}

Lines are `<nick> text` and `* nick does`, without times, colours and host masks; see `irc_log` for the forms that are
read, and `html_lines` for logs in HTML. The day is that of a line's date, of a line that tells a change of the day, or
of the file's name, and becomes the document's date; without any, a day ends where the clock goes back. The channel is
in the file's name, or its folder's. Joins, parts, quits, changes of mode and others are cut and counted (`skipped.join`
…, `skipped.event`), as are notices (`skipped.notice`), empty lines of speech (`skipped.empty`) and lines of no known
form (`skipped.line`). A file that has only these is a fault, which shows its first line. Nicks such as `logbot` and
`ChanServ`, and those of `bot_nicks`, are bots. The column `irc` holds the `channel` and the numbers of `messages`, of
different `nicks`, and of messages by `bots`, of the first lines where a day is too long. Lines that are not UTF-8 are
read by the encoding that they seem to be in (`lenient.charset`); those of which bytes become U+FFFD are counted
(`lenient.invalid_utf8`).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.component import Signals
from curation.core.file_start import FileStart, Guess
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.documents.chat.file_kind import recognised
from curation.sources.documents.chat.html_lines import is_html, without_tags
from curation.sources.documents.chat.irc_lines import head_of, read_lines
from curation.sources.documents.chat.irc_log import Conversation, Form, conversations, date_in, form_of
from curation.sources.documents.name_ends import without_ends
from curation.sources.lines import PACKED

_BOT = re.compile(r"bot[\d_`-]*$|^(?:chan|nick|memo|host|oper|info)serv$", re.IGNORECASE)
_END = re.compile(rf"\.(?:log|txt|weechatlog|irclog|{PACKED})\Z", re.IGNORECASE)
_NUMBER_MARKS = str.maketrans("", "", "-_. ")  # of a folder such as 2020-01, which names no channel
_DAY = re.compile(r"(?<!\d)\d{4}([-._]?)\d\d\1\d\d(?!\d)")


@dataclass(frozen=True, kw_only=True)
class Irc(ArchivedFiles):
    """Logs of channels."""

    bots: Annotated[Literal["kept", "cut"], "what bots say"] = "kept"
    bot_nicks: Annotated[tuple[str, ...], "of further bots"] = ()

    version: ClassVar[int] = 2
    max_file: ClassVar[int] = 256 << 20  # years of a busy channel

    def signal_types(self) -> Signals:
        """Of a channel's day."""
        return {"channel": pa.string(), **dict.fromkeys(("messages", "nicks", "bots"), pa.int64())}

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """By the lines that are understood."""
        return recognised(start)

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """One for each day on which anything was said."""
        counts: Counter[str] = Counter()
        channel = _channel(file.name)
        day = date_in("/".join(file.name.split("/")[-4:]))
        head = head_of(file.content)
        lines = read_lines(file.content, tally)
        form = form_of(head)
        if is_html(head):
            lines = map(without_tags, lines)
            form = Form()
        spoken = False
        for talk in conversations(lines, day, self.max_document_bytes, counts, form):
            spoken = True
            yield self._document(talk, channel, counts)
        tally.records.update({f"skipped.{cause}": count for cause, count in counts.items() if count})
        if not spoken and counts["line"] and counts.total() == counts["line"]:
            file.note_unknown(tally, "line", head)

    def _document(self, talk: Conversation, channel: str, counts: Counter[str]) -> FileDocument:
        nicks = Counter(nick for nick, _ in talk.said)
        bots = {nick for nick in nicks if _BOT.search(nick) or nick in self.bot_nicks}
        by_bots = sum(nicks[nick] for nick in bots)
        lines = [line for nick, line in talk.said if self.bots == "kept" or nick not in bots]
        counts["bot"] += len(talk.said) - len(lines)
        signals = {"channel": channel, "messages": len(talk.said), "nicks": len(nicks), "bots": by_bots}
        day = parse_date(str(talk.day))
        text = None if talk.size > self.max_document_bytes else "\n".join(lines)
        return FileDocument(text, f"{channel} {talk.day}", signals, date=day)


def _channel(name: str) -> str:
    """#python of `logs/irc.libera.#python.2020-01-02.log.gz`, and of `#python/2020-01-02.log`."""
    for part in reversed(name.split("/")):
        bare = _DAY.sub("", without_ends(part, _END)).strip("._- ")
        if bare.translate(_NUMBER_MARKS) and not bare.translate(_NUMBER_MARKS).isdigit():
            return bare[max(bare.find("#"), 0) :]
    return ""
