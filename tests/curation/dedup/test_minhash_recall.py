"""Candidates against their chance 1 - (1 - s^r)^b on pairs of known likeness, against datasketch, and brute force."""

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from datasketch import MinHash
from scipy.sparse import csr_array

from curation.dedup.minhash import Minhash
from curation.text.kernels.buffers import text_array
from tests.support import SHARED, documents, needs_shared_data

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SHINGLES = 40  # per document
LETTERS = 6
WORDS = 26**LETTERS
AT_ONCE = 10_000  # pairs
BIN = 0.05


def chance(likeness: Floats, method: Minhash) -> Floats:
    bands, rows = method.banding
    return 1 - (1 - likeness**rows) ** bands


def spelled(words: Ints) -> pa.Array:
    """large_string[N] of texts of W words each, from their numbers int64[N, W]: six letters and a blank."""
    mixed = words * 105_943_121 % WORDS  # no factor in common with 26: different numbers stay different
    letters = np.empty((*words.shape, LETTERS + 1), np.uint8)
    for k in range(LETTERS):
        letters[..., k] = ord("a") + mixed // 26**k % 26
    letters[..., LETTERS] = ord(" ")
    size = words.shape[1] * (LETTERS + 1)
    return text_array(letters.ravel(), np.arange(len(words) + 1, dtype=np.int64) * size)


def known_pairs(count: int, seed: int) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch, Floats]]:
    """Pairs of documents of SHINGLES 5-word shingles, and the exact likeness of each, spread evenly over 0 to 1.

    Both begin with the same words and go on with words that no other document has.
    """
    draw = np.random.default_rng(seed)
    words = SHINGLES + 4
    for first in range(0, count, AT_ONCE):
        aim = draw.random(AT_ONCE)
        common = np.rint(2 * SHINGLES * aim / (1 + aim)).astype(np.int64)
        own = (first + np.arange(AT_ONCE))[:, None] * 2 * words + np.arange(words)
        shared = np.arange(words) < np.where(common > 0, common + 4, 0)[:, None]
        left = spelled(own)
        right = spelled(np.where(shared, own, own + words))
        likeness = common / (2 * SHINGLES - common)
        yield pa.record_batch({"text": left}), pa.record_batch({"text": right}), likeness


def candidates(method: Minhash, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
    """bool[N]: whether row n of both shares a key."""
    one = method.keys_of(left)
    other = method.keys_of(right)
    assert one.row.tolist() == other.row.tolist()
    found: npt.NDArray[np.bool_] = (one.hi == other.hi).reshape(len(left), -1).any(axis=1)
    return found


def recalls(method: Minhash, pairs: int, seed: int) -> tuple[Ints, Floats, Floats]:
    """(int64[20], float64[20], float64[20]) per bin of likeness: pairs, share of candidates, and mean chance of it."""
    totals = np.zeros((3, 20))
    for left, right, likeness in known_pairs(pairs, seed):
        found = candidates(method, method.sign(left), method.sign(right))
        bins = np.minimum((likeness / BIN + 1e-9).astype(np.int64), 19)
        for row, weights in enumerate((np.ones(len(bins)), found, chance(likeness, method))):
            totals[row] += np.bincount(bins, weights, 20)
    return totals[0].astype(np.int64), totals[1] / totals[0], totals[2] / totals[0]


def test_known_likeness_is_what_exact_evidence_says() -> None:
    method = Minhash(verify="exact")
    left, right, likeness = next(known_pairs(AT_ONCE, 3))
    one = method.evidence(left[:300])
    other = method.evidence(right[:300])
    sets = [(set(a), set(b)) for a, b in zip(one.to_pylist(), other.to_pylist(), strict=True)]
    assert [len(a & b) / len(a | b) for a, b in sets] == likeness[:300].tolist()
    for threshold in (0.25, 0.5, 0.75, 1.0):
        strict = Minhash(verify="exact", threshold=threshold, bands=14, rows=8)
        assert strict.agree(one, other).tolist() == (likeness[:300] >= threshold).tolist()


def test_candidates_of_a_hundred_thousand_pairs() -> None:
    pairs, share, expected = recalls(Minhash(), 100_000, seed=1)
    assert pairs.min() > 2000
    # At the steepest the standard error of a bin is 0.007, so chance may break the limit of the slow test below.
    error = np.sqrt(expected * (1 - expected) / pairs)
    assert (abs(share - expected) < 4 * error + 0.001).all()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, marks=pytest.mark.slow),
        pytest.param({"bands": 20, "rows": 5, "seed": 7}, marks=pytest.mark.slow),
        pytest.param({"threshold": 0.85, "hashes": 128}, marks=pytest.mark.soak),
    ],
)
def test_recall_is_within_one_percent_in_every_bin(options: dict[str, Any]) -> None:
    pairs, share, expected = recalls(Minhash(**options), 500_000, seed=2)
    assert pairs.min() > 10_000
    assert abs(share - expected).max() < 0.01


def test_estimates_have_the_stated_error_and_agree_from_the_threshold_on() -> None:
    method = Minhash()
    for left, right, likeness in known_pairs(2 * AT_ONCE, seed=4):
        one = method.sign(left)
        other = method.sign(right)
        equal = [np.frombuffer(signed.buffers()[1], np.uint32).reshape(-1, 112) for signed in (one, other)]
        estimate = (equal[0] == equal[1]).mean(axis=1)
        assert method.agree(one, other).tolist() == (estimate >= 0.75).tolist()
        assert abs((estimate - likeness).mean()) < 0.002
        error = np.sqrt(likeness * (1 - likeness) / 112)
        assert abs((estimate - likeness).std() / np.sqrt((error**2).mean()) - 1) < 0.05


@lru_cache
def shared_texts(kind: str) -> tuple[str, ...]:
    """The different texts of the near-duplicates or of the web pages of the test data."""
    names = {
        "web": ["web/truth.jsonl.gz"],
        "neardup": [f"neardup/{name}.jsonl.gz" for name in ("human_judged_pairs", "revision_pairs", "news_plagiarism")],
    }[kind]
    texts = []
    for name in names:
        with gzip.open(SHARED / name, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                texts += [row[field] for field in ("text", "text_a", "text_b") if isinstance(row.get(field), str)]
    return tuple(dict.fromkeys(text for text in texts if text.split()))


def brute_force(method: Minhash, batch: pa.RecordBatch) -> tuple[Ints, Ints, Floats]:
    """(left, right, likeness) of all pairs of documents that share a shingle."""
    evidence = method.evidence(batch)
    _, numbers = np.unique(evidence.values.to_numpy(), return_inverse=True)
    has = csr_array((np.ones(len(numbers), np.int64), numbers, evidence.offsets.to_numpy()))
    common = (has @ has.T).tocoo()
    left, right = common.coords
    above = left < right
    left = left[above].astype(np.int64)
    right = right[above].astype(np.int64)
    common = common.data[above]
    sizes = np.diff(evidence.offsets.to_numpy())
    return left, right, common / (sizes[left] + sizes[right] - common)


def datasketch_signatures(texts: tuple[str, ...]) -> npt.NDArray[Any]:
    found = []
    for text in texts:
        words = text.lower().split()
        one = MinHash(num_perm=112, seed=1)
        one.update_batch([" ".join(words[k : k + 5]).encode() for k in range(max(1, len(words) - 4))])
        found.append(one.hashvalues)
    return np.array(found)


def check_share(found: npt.NDArray[np.bool_], expected: Floats) -> None:
    """How many were found is what chance allows. The pairs of one document are no independent draws, hence 5 times."""
    assert abs(found.sum() - expected.sum()) <= 5 * np.sqrt((expected * (1 - expected)).sum()) + 1


@needs_shared_data
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "at_least"), [("neardup", 100), ("web", 3)])
def test_real_texts_against_brute_force_and_datasketch(kind: str, at_least: int) -> None:
    texts = shared_texts(kind)
    batch = documents(*texts)
    exact = Minhash(verify="exact")
    left, right, likeness = brute_force(exact, batch)
    signatures = exact.sign(batch)
    evidence = exact.evidence(batch)
    mine = candidates(exact, signatures.take(pa.array(left)), signatures.take(pa.array(right)))
    check_share(mine, chance(likeness, exact))
    verified = exact.agree(evidence.take(pa.array(left)), evidence.take(pa.array(right)))
    assert verified.tolist() == (likeness >= 0.75).tolist()
    assert mine[likeness == 1].all()
    theirs = datasketch_signatures(texts).reshape(len(texts), 14, 8)
    other = np.concatenate([(theirs[a] == theirs[b]).all(axis=2).any(axis=1) for a, b in parts(left, right)])
    check_share(other, chance(likeness, exact))
    copies = likeness >= 0.75
    assert copies.sum() >= at_least
    assert mine[copies].mean() > 0.9
    assert abs(mine[copies].mean() - other[copies].mean()) < 0.1


def parts(left: Ints, right: Ints) -> Iterator[tuple[Ints, Ints]]:
    for first in range(0, len(left), AT_ONCE):
        yield left[first : first + AT_ONCE], right[first : first + AT_ONCE]


def likeness_of_pairs(name: str) -> tuple[pa.RecordBatch, pa.RecordBatch, Floats]:
    """The pairs of a file of the test data, and the share of shingles that each has in common."""
    with gzip.open(SHARED / "neardup" / name, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    left, right = (documents(*(row[side] for row in rows)) for side in ("text_a", "text_b"))
    exact = Minhash(verify="exact")
    evidence = [exact.evidence(side) for side in (left, right)]
    sets = [[set(shingles) for shingles in one.to_pylist()] for one in evidence]
    return left, right, np.array([len(a & b) / max(len(a | b), 1) for a, b in zip(*sets, strict=True)])


def f1(found: npt.NDArray[np.bool_], copies: npt.NDArray[np.bool_]) -> float:
    return float(2 * (found & copies).sum() / (found.sum() + copies.sum()))


# What `winnow describe minhash` says: 100 times the mean F1 over 40 families of hashes.
@needs_shared_data
@pytest.mark.parametrize(
    ("name", "by_signature", "by_shingles"),
    [
        ("human_judged_pairs.jsonl.gz", 96.1, 99.3),
        pytest.param("revision_pairs.jsonl.gz", 91.0, 98.2, marks=pytest.mark.slow),
    ],
)
def test_what_verification_by_signature_loses(name: str, by_signature: float, by_shingles: float) -> None:
    left, right, likeness = likeness_of_pairs(name)
    copies = likeness >= 0.75
    scores = []
    for seed in range(1, 41):
        method = Minhash(seed=seed)
        one = method.sign(left)
        other = method.sign(right)
        met = candidates(method, one, other)
        scores.append((f1(met & method.agree(one, other), copies), f1(met & copies, copies)))
    assert (100 * np.mean(scores, axis=0)).round(1).tolist() == [by_signature, by_shingles]
