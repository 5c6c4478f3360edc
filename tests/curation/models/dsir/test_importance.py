"""Importance weights: by hand, beside the `data-selection` package, and files that are none of ours."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.count_files import HEADER
from curation.models.dsir.features import count
from curation.models.dsir.importance import SMOOTHING, Importance, NgramCounts, load, locate, parse
from tests.curation.models.dsir.peer import package_scores

VOCABULARY = [
    f"{start}{end}" for start in ("wa", "Bo", "ki", "Zu", "é") for end in ("ter", "ok", "nd", "99", "'s", "…")
]


def counted(order: int, target: list[int], raw: list[int]) -> NgramCounts:
    return NgramCounts(order, np.array(target, np.uint64), np.array(raw, np.uint64))


def test_weights_by_hand() -> None:
    single = counted(1, [6], [3])  # one bucket: both shares are 1
    weights, words = Importance(single).log_weights(pa.array(["a b c", "", None]))
    assert (weights.tolist(), words.tolist()) == ([0.0, 0.0, 0.0], [3, 0, 0])
    ratios = counted(1, [3, 1, 0], [1, 3, 0]).log_ratios()
    expected = math.log(0.75 + SMOOTHING) - math.log(0.25 + SMOOTHING)
    assert ratios == pytest.approx([expected, -expected, 0.0])


def test_the_packages_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    sides: dict[str, list[str]] = {"target": [], "raw": []}
    for name, texts in sides.items():
        preferred = VOCABULARY[:20] if name == "target" else VOCABULARY[8:]
        texts += [" ".join(rng.choices(preferred, k=rng.randrange(1, 300))) + ".\n" for _ in range(30)]
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (tmp_path / name).write_text(lines)
    target, raw = (count(pa.array(texts), order=2, buckets=10_000).astype(np.uint64) for texts in sides.values())
    texts = [text for own in sides.values() for text in own]
    weights, words = Importance(NgramCounts(2, target, raw)).log_weights(pa.array(texts))
    theirs = package_scores(monkeypatch, tmp_path, str(tmp_path / "target"), str(tmp_path / "raw"), texts)
    assert weights == pytest.approx(theirs, rel=1e-12, abs=1e-5)
    assert weights[:30].min() > weights[30:].max()
    assert words.min() >= 1


def test_a_file_keeps_its_counts(tmp_path: Path) -> None:
    own = counted(3, [1, 0, 2**40], [0, 5, 1])
    again = parse(own.to_bytes())
    assert (again.order, again.target.tolist(), again.raw.tolist()) == (3, [1, 0, 2**40], [0, 5, 1])


GOOD = counted(2, [1, 2], [2, 1]).to_bytes()
DAMAGED = {
    "it does not begin as one": b"unigrams" + GOOD[8:],
    "it does not begin as": GOOD[:20],
    "it has format 9": GOOD[:8] + b"\x09" + GOOD[9:],
    "it has 56 bytes, its 2 buckets take 64": GOOD[:-8],
    "it claims n-grams of 2 words in 0 buckets": GOOD[:24] + bytes(8),
    "it claims n-grams of 200 words": GOOD[:16] + b"\xc8" + GOOD[17:],
    "it has no n-grams": GOOD[:HEADER] + bytes(32),
    "it counts more than 4,611,686,018,427,387,904 n-grams": GOOD[:HEADER] + b"\xff" * 32,
}


@pytest.mark.parametrize(("message", "content"), DAMAGED.items(), ids=DAMAGED)
def test_a_file_of_another_kind_or_damaged_is_refused_before_work(tmp_path: Path, message: str, content: bytes) -> None:
    path = tmp_path / "dsir.bin"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"dsir.bin holds no n-gram counts of `fit: .*{message}.*run the fit again"):
        (load if message.endswith("n-grams") else locate)(str(path))


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(InputError, match="no n-gram counts at nowhere; give the path"):
        locate("nowhere")
