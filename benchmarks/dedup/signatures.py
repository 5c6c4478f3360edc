"""How fast one core makes MinHash signatures, beside datasketch and datatrove on `--peer-documents`.

All make 112 hashes of 5-word shingles. datatrove splits words by spaCy, its default, and at whitespace. datasketch gets
each document's shingles as bytes by `update_batch` and hashes them itself; making them is not in its time. datatrove's
step is `get_shingles` and `get_signature`, without writing files. Signatures of different hashes cannot be equal: only
their number is compared here, and `dedup.minhash` compares what is found by them.
"""

import argparse
from collections.abc import Iterator

import pyarrow as pa
from datasketch import MinHash

from benchmarks.case import Case, DisagreementError, over
from benchmarks.data import add_text_options, amounts, batches_of, chosen_texts, shared
from benchmarks.datatrove import timings
from curation.dedup.minhash import Minhash
from curation.text.shingles import shingle_hashes

HASHES = 112


def shingles_of(text: str) -> list[bytes]:
    words = text.lower().split()
    return [" ".join(words[k : k + 5]).encode() for k in range(max(1, len(words) - 4))]


def sketched(shingles: list[bytes]) -> MinHash:
    sketch = MinHash(num_perm=HASHES)
    sketch.update_batch(shingles)
    return sketch


def run(options: argparse.Namespace) -> Iterator[Case]:
    if options.shared:
        options.files = [shared("web", "truth.jsonl.gz")]
    texts = chosen_texts(options)
    some = texts[: options.peer_documents]
    shingles = [shingles_of(text) for text in some.to_pylist()]
    method = Minhash()

    def alike(ours: list[pa.Array], theirs: list[MinHash]) -> str:
        if len(theirs) != len(some):
            raise DisagreementError(f"{len(theirs)} signatures for {len(some)} documents")
        return "112 hashes each"

    batches = batches_of(texts)
    sign = over(method.sign, batches)
    common = {"amounts": amounts(texts), "peer_amounts": amounts(some)}
    yield Case(
        name="signatures",
        ours=sign,
        peer=over(sketched, shingles),
        called="datasketch",
        agree=alike,
        packages=("datasketch",),
        **common,
    )
    yield Case(
        name="text to shingles alone", ours=over(lambda batch: shingle_hashes(batch["text"], 5), batches), **common
    )
    if options.datatrove:
        for words, peer in timings(options.datatrove, "signatures", some).items():
            yield Case(name="signatures", ours=sign, peer=peer, called=f"datatrove, {words}", **common)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_text_options(parser)
    parser.add_argument("--peer-documents", type=int, default=200, help="documents that the peers sign")
