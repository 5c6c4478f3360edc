"""What a classifier's file says of itself, and how it lies in the file.

    logistic   b"winnow logistic\n", uint32 N, N bytes of JSON, then the weights
    fasttext   the model as fastText writes it, then N bytes of JSON, uint32 N, b"winnow fasttext\n"

So fastText still opens the last: it stops reading where its own model ends. Numbers are little-endian. The JSON has
the fields of `Metadata` and the SHA-256 of all other bytes, by which a damaged file is noticed.
"""

import hashlib
import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

FORMAT = 1
FASTTEXT = b"winnow fasttext\n"
LOGISTIC = b"winnow logistic\n"
MARK = 16  # bytes of each
_DAMAGED = (KeyError, TypeError, AttributeError, RecursionError, json.JSONDecodeError, UnicodeDecodeError)
Kind: TypeAlias = Literal["fasttext", "logistic"]
Normalization: TypeAlias = Literal["none", "lowercase"]


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """How a model must be asked. `options` are those of its training that scoring needs."""

    kind: Kind
    labels: tuple[str, ...]
    positive: str = ""  # the label whose probability is the score; empty where there is none
    normalization: Normalization = "none"
    language: str = ""  # of the texts that it learned from, if it says so
    options: dict[str, int] = field(default_factory=dict)


def packed(metadata: Metadata, body: bytes) -> bytes:
    """The file's content: `body` is the model as fastText writes it, or the weights."""
    facts = {"format": FORMAT, **asdict(metadata), "sha256": hashlib.sha256(body).hexdigest()}
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()
    size = struct.pack("<I", len(text))
    if metadata.kind == "logistic":
        return b"".join([LOGISTIC, size, text, body])
    return b"".join([body, text, size, FASTTEXT])


def unpacked(content: bytes) -> tuple[Metadata | None, bytes]:
    """The metadata and the body; None and all of it for a file of another program. Raises ValueError for a damaged
    file, and for another format."""
    if content.startswith(LOGISTIC):
        start = MARK + 4
        stop = start + _size(content[MARK:start])
        text = content[start:stop]
        body = content[stop:]
    elif content.endswith(FASTTEXT):
        stop = len(content) - MARK - 4
        start = stop - _size(content[stop : stop + 4])
        text = content[max(start, 0) : stop]
        body = content[: max(start, 0)]
    else:
        return None, content
    try:
        facts = json.loads(text)
        version = facts.pop("format")
        digest = facts.pop("sha256")
        if version != FORMAT:
            raise ValueError(f"it has format {version}, this winnow reads {FORMAT}; train it again")
        metadata = Metadata(**{**facts, "labels": tuple(facts["labels"])})
        if not _is_sound(metadata):
            raise TypeError
    except _DAMAGED as error:
        raise ValueError("its header is damaged; train it again") from error
    if hashlib.sha256(body).hexdigest() != digest:
        raise ValueError("its content differs from its checksum: it is damaged or cut short")
    return metadata, body


def _is_sound(metadata: Metadata) -> bool:
    """Whether the fields, which JSON gave, have the types that they state."""
    texts = (*metadata.labels, metadata.positive, metadata.language)
    return (
        metadata.kind in get_args(Kind)
        and metadata.normalization in get_args(Normalization)
        and all(isinstance(text, str) for text in texts)
        and metadata.positive in ("", *metadata.labels)
        and isinstance(metadata.options, dict)
        and all(type(value) is int for value in metadata.options.values())
    )


def _size(four: bytes) -> int:
    if len(four) < 4:
        raise ValueError("it is cut short")
    size: Any = struct.unpack("<I", four)[0]
    return int(size)
