"""Targets: fits on hostile texts. A fit either learns a file that can be used, or refuses as winnow's own error."""

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from curation.core.errors import WinnowError
from curation.core.fits import Counts, Learns
from curation.fit.ngram_model import NgramModel
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer
from curation.fit.unigrams import Unigrams
from curation.models.ngram import model_file, unigrams
from curation.tokens.encoders import load_tokenizer
from tests.fuzz.child import Execution, Target
from tests.fuzz.texts import as_array, hostile_texts
from tests.support import learned

Use = Callable[[str, pa.Array], object]


def learning(fit: Learns | Counts, use: Use) -> Callable[[Path], Execution]:
    def make(folder: Path) -> Execution:
        path = folder / fit.asset

        def execute(rng: random.Random) -> None:
            # Sources give valid UTF-8, and a sample holds no empty text.
            arrays = [as_array([text for text in hostile_texts(rng, valid=True) if text]) for _ in range(3)]
            with suppress(WinnowError):
                path.write_bytes(learned(fit, arrays))
                use(str(path), arrays[0])

        return execute

    return make


def _encode(path: str, texts: pa.Array) -> None:
    loaded = load_tokenizer.parse(Path(path).read_bytes(), path)
    assert loaded.encode(texts).equals(loaded.encode_by_library(texts))


NGRAMS = NgramModel(order=3, discounts=(0.5, 1.0, 1.5))
TARGETS = {
    # tiktoken keeps 2.4 MB of each encoder that has encoded something (0.14); a worker has eight at most.
    "byte_bpe": Target(learning(Tokenizer(vocab_size=300), _encode), 500, 2),
    "unigram": Target(learning(Tokenizer(model="unigram", vocab_size=300), _encode), 2_000, 2),
    "sentencepiece": Target(learning(Sentencepiece(vocab_size=300), _encode), 1_000, 2),
    "ngram_model": Target(learning(NGRAMS, lambda path, text: model_file.load.__wrapped__(path).score(text)), 5_000, 3),
    "unigrams": Target(
        learning(Unigrams(min_count=1), lambda path, text: unigrams.load.__wrapped__(path).compare(text)), 10_000, 3
    ),
}
