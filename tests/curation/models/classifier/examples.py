"""Small labelled texts to learn from."""

import numpy as np
import pyarrow as pa

GOOD = "the quiet river ran past the old stone mill"
BAD = "buy cheap pills now click here best price offer"
FILLER = ("and", "of", "page", "one", "two", "it", "so", "then", "with", "from")


def texts(words: str, count: int) -> list[str]:
    """Different texts, each of some words of the phrase and of filler."""
    phrase = words.split()
    return [
        " ".join(phrase[(n * k + k) % len(phrase)] if k % 3 else FILLER[(n + k) % 10] for k in range(6 + n % 9))
        + f" {n}"
        for n in range(count)
    ]


def rows(count: int = 120, *, good: str = "positive", bad: str = "negative") -> pa.RecordBatch:
    """`count` documents of each label as a fit is shown them, every fifth held out."""
    text = [one for both in zip(texts(GOOD, count), texts(BAD, count), strict=True) for one in both]
    columns = {
        "text": pa.array(text, pa.large_string()),
        "label": pa.array([good, bad] * count, pa.string()),
        "held_out": pa.array(np.arange(2 * count) // 2 % 5 == 0),
    }
    return pa.record_batch(columns)
