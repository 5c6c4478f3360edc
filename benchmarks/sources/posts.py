"""Questions and answers of a Stack Exchange dump, beside lxml's iterparse with htmd, which make Markdown of each post.

The dump is made of texts: paragraphs with links, emphasis and spans of code, and here and there a list or a block of
code. MB are those of its XML, per CPU second, one process.
"""

import argparse
import html
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import count, cycle
from pathlib import Path
from random import Random
from xml.sax.saxutils import quoteattr

import pyarrow.compute as pc
from lxml import etree

from benchmarks.case import Case, DisagreementError, package
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.stackexchange import Stackexchange
from curation.sources.jsonl import Jsonl

MARKS = ("<em>{}</em>", "<code>{}</code>", '<a href="https://example.org/" rel="nofollow">{}</a>', "{}")
BLOCKS = ("<p>{}</p>",) * 7 + ("<ul><li>{}</li></ul>", "<pre><code>{}</code></pre>", "<blockquote>{}</blockquote>")
NEWLINE = {"\n": "&#xA;"}
EVERY = 20  # words, one of which is marked


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", type=Path, required=True, help="JSON lines of texts, such as qa.jsonl.gz.")
    parser.add_argument("--mb", type=int, default=32, help="Megabytes of XML.")


def run(options: argparse.Namespace) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder, "Posts.xml")
        _write(dump, options.text, options.mb * 1_000_000)
        yield Case(
            name="Posts.xml to threads",
            amounts={"MB": dump.stat().st_size / 1e6},
            ours=partial(_ours, dump),
            peer=partial(_peer, dump),
            called="lxml and htmd",
            agree=_same_threads,
            packages=("lxml", "htmd-py"),
        )


def _write(dump: Path, file: Path, size: int) -> None:
    rng = Random(1)
    batches = Jsonl(paths=()).read([Piece(str(file))], "benchmark", ReadTally())
    texts = cycle([text for batch in batches for text in batch["text"].to_pylist() if text])
    with dump.open("w") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        question = 0
        for number in count(1):
            asked = number == 1 or rng.random() < 0.4
            question = number if asked else question
            kind = {"PostTypeId": 1, "Title": "A question", "Tags": "<a><b>"}
            post = kind if asked else {"PostTypeId": 2, "ParentId": question}
            stated = {"CreationDate": "2020-01-02T03:04:05.678", "Score": rng.randrange(40), "OwnerUserId": 7}
            fields = {"Id": number, **post, **stated, "Body": _body(next(texts), rng), "ContentLicense": "CC BY-SA 4.0"}
            row = " ".join(f"{key}={quoteattr(str(value), NEWLINE)}" for key, value in fields.items())
            size -= out.write(f"  <row {row} />\n")
            if size <= 0:
                break
        out.write("</posts>\n")


def _body(text: str, rng: Random) -> str:
    blocks = []
    for paragraph in text[: rng.randrange(300, 3_000)].split("\n\n"):
        words = html.escape(paragraph, quote=False).split(" ")
        words[::EVERY] = [rng.choice(MARKS).format(word) for word in words[::EVERY]]
        blocks.append(rng.choice(BLOCKS).format(" ".join(words)))
    return "\n\n".join(blocks) + "\n"


def _ours(dump: Path) -> tuple[int, int]:
    """Documents and bytes of their texts."""
    batches = Stackexchange(paths=()).read([Piece(str(dump), name=dump.name)], "benchmark", ReadTally())
    texts = [batch["text"] for batch in batches]
    return sum(map(len, texts)), sum(pc.sum(pc.binary_length(text)).as_py() for text in texts)


def _peer(dump: Path) -> tuple[int, int]:
    convert = package("htmd", "htmd-py").convert_html
    threads: dict[str, list[str]] = defaultdict(list)
    for _, row in etree.iterparse(str(dump), tag="row"):
        text = convert(row.get("Body"))
        threads[row.get("ParentId") or row.get("Id")].append(text)
        row.clear()
        while row.getprevious() is not None:
            del row.getparent()[0]
    texts = ["\n\nAnswer:\n\n".join(posts).encode() for posts in threads.values()]
    return len(texts), sum(map(len, texts))


def _same_threads(ours: tuple[int, int], theirs: tuple[int, int]) -> str:
    if ours[0] != theirs[0]:
        raise DisagreementError(f"{ours[0]:,} and {theirs[0]:,} threads")
    return f"{ours[0]:,} threads, {ours[1] / 1e6:.1f} and {theirs[1] / 1e6:.1f} MB of text"
