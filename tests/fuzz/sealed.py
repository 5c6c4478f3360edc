"""Damages files behind their checksums: what a checksum vouches for is changed, and the checksum made right again.

JSON is changed value by value, since damaged bytes of it are mostly no JSON.
"""

import hashlib
import json
import random
import struct
from copy import deepcopy
from typing import Any

from curation.extract.student import student_file
from curation.models.bloom.partition import HEADER, Label, checksum
from curation.models.classifier.metadata import FASTTEXT, LOGISTIC, MARK
from tests.mutations import mutated

VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 7, 64, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, 10**30, 10**400),
    *(0.5, -0.0, 1e-300, 1e300, float("nan"), float("inf"), "", "x", "\0", "é" * 3, "9" * 400, "../../etc/passwd"),
    *([], {}, [0], [None], {"x": 0}, [[]] * 3, ["x"] * 300, {"": {"": []}}),
)
DEEP = b"[" * 100_000


def json_mutated(text: bytes, rng: random.Random) -> bytes:
    """JSON of which one to three values are others, or gone, or whose keys are others; rarely it is nested deeply."""
    if rng.random() < 0.002:
        return DEEP
    content = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        content = _changed(content, rng)
    return json.dumps(content).encode()


def _changed(content: Any, rng: random.Random) -> Any:
    places = [*_places(content)]
    if not places or rng.random() < 0.01:
        return deepcopy(rng.choice(VALUES))
    holder, key = rng.choice(places)
    what = rng.random()
    if what < 0.15:
        del holder[key]
    elif what < 0.25 and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    elif what < 0.25:
        holder[rng.choice(("", "x", "data_offsets", "type"))] = holder.pop(key)
    elif what < 0.5 and type(holder[key]) in (int, float) and holder[key] == holder[key]:
        holder[key] = _near(holder[key], rng)
    else:
        holder[key] = deepcopy(rng.choice(VALUES))
    return content


def _near(value: float, rng: random.Random) -> Any:
    return rng.choice((value + 1, value - 1, -value, 2 * value, value + rng.randint(-9, 9)))


def _places(content: Any) -> Any:
    """Each (list or mapping, key) in nested content; of long lists the first."""
    if isinstance(content, dict | list):
        keys = list(content)[:50] if isinstance(content, dict) else range(min(len(content), 20))
        for key in keys:
            yield content, key
            yield from _places(content[key])


def _either(head: bytes, body: bytes, rng: random.Random) -> tuple[bytes, bytes]:
    """The head or the body or both with damages."""
    which = rng.random()
    if which < 0.6:
        body = mutated(body, rng)
    return (json_mutated(head, rng) if which > 0.4 else head), body


def _with_digest(head: bytes, body: bytes) -> bytes:
    fields = json.loads(head) if not head.startswith(b"[[") else None
    if isinstance(fields, dict) and "sha256" in fields:
        fields["sha256"] = hashlib.sha256(body).hexdigest()
        return json.dumps(fields).encode()
    return head


def extractor(content: bytes, rng: random.Random) -> bytes:
    """A learnt extractor with another description or other trees."""
    start = len(student_file.MARK) + 4
    stop = start + struct.unpack_from("<I", content, start - 4)[0]
    head, body = _either(content[start:stop], content[stop:], rng)
    head = _with_digest(head, body)
    return b"".join([student_file.MARK, struct.pack("<I", len(head)), head, body])


def classifier(content: bytes, rng: random.Random) -> bytes:
    """A classifier of ours with another header or another body."""
    logistic = content.startswith(LOGISTIC)
    at = MARK if logistic else len(content) - MARK - 4
    size = struct.unpack_from("<I", content, at)[0]
    head = content[at + 4 : at + 4 + size] if logistic else content[at - size : at]
    head, body = _either(head, content[at + 4 + size :] if logistic else content[: at - size], rng)
    head = _with_digest(head, body)
    length = struct.pack("<I", len(head))
    return b"".join([LOGISTIC, length, head, body] if logistic else [body, head, length, FASTTEXT])


def bloom_partition(content: bytes, rng: random.Random) -> bytes:
    """A partition of a Bloom filter with another header, or other blocks."""
    head = content[:HEADER]
    blocks = content[HEADER:]
    if rng.random() < 0.5:
        blocks = mutated(blocks, rng)
    if rng.random() < 0.7:
        head = mutated(head, rng)[:HEADER].ljust(HEADER, b"\0")
    try:
        Label.from_bytes(head)
    except ValueError:
        return head + blocks
    return head[:104] + bytes.fromhex(checksum(memoryview(blocks))) + head[120:] + blocks


def npy_mutated(content: bytes, rng: random.Random) -> bytes:
    """A .npy file whose numbers are others, mostly: extreme ones in their own places, or any damage."""
    if rng.random() < 0.4:
        return mutated(content, rng)
    out = bytearray(content)
    start = 10 + struct.unpack_from("<H", content, 8)[0]
    width = rng.choice((1, 4, 8))
    for _ in range(rng.randint(1, 3) if len(out) >= start + width else 0):
        at = start + width * rng.randrange((len(out) - start) // width)
        value = rng.choice((0, 1, 2, 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, rng.randrange(300)))
        out[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
    return bytes(out)
