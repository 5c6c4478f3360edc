"""Made-up texts for comparisons: sentences of a style, and noise of the same letters."""

import json
import random
from pathlib import Path

WORDS = "the quiet river ran past a small mill where two brothers kept their boats and mended old nets".split()


def style(seed: int, documents: int) -> list[str]:
    """Sentences of WORDS with a grammar of sorts: which words may follow a word is the same for every seed."""
    rng = random.Random(seed)
    texts = []
    for _ in range(documents):
        word = rng.randrange(len(WORDS))
        words = []
        for _ in range(120):
            word = (3 * word + rng.randrange(3)) % len(WORDS)
            words.append(WORDS[word])
        texts.append(" ".join(words))
    return texts


def noise(seed: int, documents: int) -> list[str]:
    """The same letters in no order."""
    rng = random.Random(seed)
    texts = []
    for text in style(seed, documents):
        letters = list(text)
        rng.shuffle(letters)
        texts.append("".join(letters))
    return texts


def write(path: Path, texts: list[str | None], **fields: list[str]) -> str:
    rows = [{"text": text, **{name: values[k] for name, values in fields.items()}} for k, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
