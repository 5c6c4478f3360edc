"""Logs of IRC channels, plain or compressed, and tar archives of them: a document for each channel and day.

    - read: {irc: {paths: ["logs/#python.*.log.gz"]}}

Lines are `<nick> text` and `* nick does`, without times and colours; see `irc_log` for the formats. The day is that of
a line's date, of a line that tells a change of the day, or of the file's name, and becomes the document's date; without
any, a day ends where the clock goes back. The channel is in the file's name, or its folder's. Joins, parts, quits,
changes of mode and others are cut and counted (`skipped.join` …, `skipped.event`), as are notices (`skipped.notice`)
and lines of no known form (`skipped.line`). Nicks such as `logbot` and `ChanServ`, and those of `bot_nicks`, are bots.
The column `irc` holds the `channel` and the numbers of `messages`, of different `nicks`, and of messages by `bots`, of
the first lines where a day is too long. Bytes that are not UTF-8 become U+FFFD, and lines with some are counted
(`lenient.invalid_utf8`).
"""

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import pyarrow as pa

from curation.core.component import Signals
from curation.core.protocols import ReadTally
from curation.sources.archived_files import ArchivedFile, ArchivedFiles, FileDocument
from curation.sources.dates import parse_date
from curation.sources.irc_log import Conversation, conversations, date_in
from curation.sources.lines import PACKED
from curation.sources.utf8 import decoded

_BOT = re.compile(r"bot[\d_`-]*$|^(?:chan|nick|memo|host|oper|info)serv$", re.IGNORECASE)
_ENDS = re.compile(rf"(?:\.(?:log|txt|weechatlog|irclog|{PACKED}))+$", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)\d{4}([-._]?)\d\d\1\d\d(?!\d)")


@dataclass(frozen=True, kw_only=True)
class Irc(ArchivedFiles):
    """Logs of channels."""

    bots: Annotated[Literal["kept", "cut"], "what bots say"] = "kept"
    bot_nicks: Annotated[tuple[str, ...], "of further bots"] = ()

    version: ClassVar[int] = 1
    max_file: ClassVar[int] = 256 << 20  # years of a busy channel

    def signal_types(self) -> Signals:
        """Of a channel's day."""
        return {"channel": pa.string(), **dict.fromkeys(("messages", "nicks", "bots"), pa.int64())}

    def documents(self, file: ArchivedFile, tally: ReadTally) -> Iterator[FileDocument]:
        """One for each day on which anything was said."""
        counts: Counter[str] = Counter()
        channel = _channel(file.name)
        day = date_in("/".join(file.name.split("/")[-4:]))
        lines = (decoded(line, tally) for line in io.BytesIO(file.content))
        for talk in conversations(lines, day, self.max_document_bytes, counts):
            yield self._document(talk, channel, counts)
        tally.records.update({f"skipped.{cause}": count for cause, count in counts.items() if count})

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
        bare = _DAY.sub("", _ENDS.sub("", part)).strip("._- ")
        if bare and not bare.isdigit():
            return bare[max(bare.find("#"), 0) :]
    return ""
