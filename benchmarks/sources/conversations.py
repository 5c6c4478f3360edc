"""Mail beside the standard library's mailbox and email, and threads of a dump beside json with zstandard.

The peers do less: mailbox gives each message's text as it is, quotes and all, and json parses each line; neither makes
threads or documents. The files are made of texts, cut to 800 characters. MB are those of the uncompressed file, per CPU
second, one process.
"""

import argparse
import io
import json
import mailbox
import tempfile
from collections.abc import Iterator
from email import message_from_binary_file, policy
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import zstandard

from benchmarks.case import Case, DisagreementError
from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.documents.dialogue import Dialogue
from curation.sources.documents.email import Email
from curation.sources.frames import LONG_WINDOW
from curation.sources.jsonl import Jsonl

LENGTH = 800  # characters of a text
COMMENTS = 9  # of a submission
FIELDS = 40  # further ones of a post, as dumps have
FROM = b"From ann@example.org Thu Jan  2 03:04:05 2020\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", type=Path, required=True, help="JSON lines whose texts are taken, such as books.jsonl.gz."
    )
    parser.add_argument("--posts", type=int, default=20_000, help="Messages, and posts of the dump.")


def run(options: argparse.Namespace) -> Iterator[Case]:
    batches = Jsonl(paths=()).read([Piece(str(options.text))], "benchmark", ReadTally())
    whole = "".join(text for batch in batches for text in batch["text"].to_pylist() if text)
    starts = (number * LENGTH % (len(whole) - LENGTH) for number in range(options.posts))
    texts = [whole[start : start + LENGTH] for start in starts]
    with tempfile.TemporaryDirectory() as folder:
        mbox = Path(folder, "x.mbox")
        mbox.write_bytes(b"".join(map(_message, range(len(texts)), texts)))
        yield Case(
            name="email, mbox",
            amounts={"MB": mbox.stat().st_size / 1e6},
            ours=partial(_documents, Email(paths=()), mbox),
            peer=partial(_mailbox, mbox),
            called="mailbox",
            agree=_same,
        )
        dump = Path(folder, "x.zst")
        lines = "".join(map(_post, range(len(texts)), texts)).encode()
        dump.write_bytes(zstandard.ZstdCompressor(level=3).compress(lines))
        yield Case(
            name="dialogue, jsonl.zst",
            amounts={"MB": len(lines) / 1e6},
            ours=partial(_documents, Dialogue(paths=()), dump),
            peer=partial(_json, dump),
            called="json, zstandard",
            agree=_same,
        )


def _message(number: int, text: str) -> bytes:
    """With eight hops, every second one in base64 or quoted-printable, and a quote below."""
    made = EmailMessage()
    for hop in range(8):
        made["Received"] = f"from mx{hop}.example.org (10.0.0.{hop}) by a.example.org with ESMTP id {number:032x}"
    made["From"] = "Ann <ann@example.org>"
    made["Subject"] = f"Re: number {number}"
    made["Date"] = "Thu, 02 Jan 2020 03:04:05 +0100"
    made["Message-ID"] = f"<{number}@example.org>"
    body = "\n".join(line.strip() for line in text.split("\n"))
    quote = "\n".join(f"> {line}" for line in body.split("\n"))
    encoding = ("8bit", "quoted-printable", "8bit", "base64")[number % 4]
    made.set_content(f"So it is.\n{body}\n\nOn Thu, Jan 2, 2020, Bob wrote:\n{quote}\n-- \nAnn\n", cte=encoding)
    return FROM + made.as_bytes().replace(b"\nFrom ", b"\n>From ") + b"\n"


def _post(number: int, text: str) -> str:
    thread = number - number % (COMMENTS + 1)
    others = {f"field_{field}": field for field in range(FIELDS)}
    stated = {"id": f"a{number}", "author": "ann", "score": number % 100, "created_utc": 1577934245 + number, **others}
    if number == thread:
        return json.dumps({**stated, "title": "On this", "selftext": text, "subreddit": "texts"}) + "\n"
    replies = number % 3 == 0 and number - 3 > thread
    parent = f"t1_a{number - 3}" if replies else f"t3_a{thread}"
    return json.dumps({**stated, "link_id": f"t3_a{thread}", "parent_id": parent, "body": text}) + "\n"


def _documents(source: Source, path: Path) -> int:
    """Messages, or posts in threads."""
    total = 0
    for batch in source.read([Piece(str(path), name=path.name)], "benchmark", ReadTally()):
        total += len(batch)
        if "dialogue" in batch.schema.names:
            total += sum(thread["comments"] for thread in batch["dialogue"].to_pylist())
    return total


def _mailbox(path: Path) -> int:
    messages = mailbox.mbox(path, factory=partial(message_from_binary_file, policy=policy.default), create=False)
    return sum(1 for message in messages if message.get_body(("plain", "html")).get_content())


def _json(path: Path) -> int:
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=LONG_WINDOW).stream_reader(file)
        return sum("id" in json.loads(line) for line in io.TextIOWrapper(reader))


def _same(ours: int, theirs: int) -> str:
    if ours != theirs:
        raise DisagreementError(f"{ours} and {theirs} messages or posts")
    return f"{ours:,} messages or posts"
