"""Targets: damaged files of models, and fits on hostile texts. A file is either read, and then used on a text, or
refused as the user's error; a fit either learns a file that can be used, or refuses as winnow's own error."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.core.errors import UserError, WinnowError
from curation.core.fits import Counts, Learns
from curation.fit.classifier import Classifier
from curation.fit.evalsets import Evalsets
from curation.fit.ngram_model import NgramModel
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer
from curation.fit.unigrams import Unigrams
from curation.models import quantiles, text_windows
from curation.models.classifier import model_file as classifier_file
from curation.models.dsir import importance
from curation.models.embeddings.word_vectors import load_encoder
from curation.models.evalsets import index
from curation.models.evalsets.sets import EvalSet
from curation.models.fasttext import classifier as fasttext
from curation.models.ngram import model_file, unigrams
from curation.models.ngram.counts import count
from curation.models.ngram.estimate import FALLBACK, estimate
from curation.models.ngram.reading import Reading
from curation.tokens.encoders import load_tokenizer
from tests.curation.models.classifier import examples
from tests.curation.models.fasttext.training import train_supervised
from tests.fuzz.child import Execution, Target
from tests.fuzz.texts import as_array, hostile_texts
from tests.mutations import mutated
from tests.support import learned

PROSE = "The people of the town have to read and be kind. " * 3
TEXT = pa.array([PROSE, "", "read", "x" * 300], pa.large_string())
Use = Callable[[str], object]


def arpa(folder: Path) -> tuple[bytes, Use]:
    reading = Reading(normalization="ccnet")
    model = estimate([count(reading.tokens(pa.array([PROSE], pa.large_string())), 3)], fallback=FALLBACK)
    return b"".join(model_file.file_of(model, reading)), lambda path: model_file.load.__wrapped__(path).score(TEXT)


def fasttext_plain(folder: Path) -> tuple[bytes, Use]:
    return _trained(folder, dim=4, minn=2, maxn=3, bucket=50), _labels


def fasttext_compressed(folder: Path) -> tuple[bytes, Use]:
    import fasttext as library

    _trained(folder, dim=4, wordNgrams=2, bucket=300)
    model = library.load_model(str(folder / "trained.bin"))
    model.quantize(input=str(folder / "examples.txt"), retrain=False, dsub=2, qnorm=True)
    model.save_model(str(folder / "small.ftz"))
    return (folder / "small.ftz").read_bytes(), _labels


def _trained(folder: Path, **settings: int | str) -> bytes:
    words = " ".join(f"w{i}" for i in range(300))
    (folder / "examples.txt").write_text(f"__label__sweet sugar {words}\n__label__sour lemon {words[::-1]}\n" * 20)
    train_supervised(folder / "examples.txt", folder / "trained.bin", epoch=1, **settings)
    return (folder / "trained.bin").read_bytes()


def _labels(path: str) -> object:
    return fasttext.load.__wrapped__(path).best(text_windows.whole(TEXT))


def logistic(_: Path) -> tuple[bytes, Use]:
    fit = Classifier(positives="a", negatives="b", kind="logistic", buckets=4096)
    content = fit.fit(iter([examples.rows()]))[fit.asset]
    return content, lambda path: classifier_file.load.__wrapped__(path).probabilities(TEXT)


def word_vectors(_: Path) -> tuple[bytes, Use]:
    content = "".join(f"{word} {i} {i / 7} -1e-3\n" for i, word in enumerate(PROSE.split()[:9])).encode()
    return content, lambda path: load_encoder((path,)).embed(TEXT)


def word_counts(_: Path) -> tuple[bytes, Use]:
    content = learned(Unigrams(), [pa.array([PROSE], pa.large_string())])
    return content, lambda path: unigrams.load.__wrapped__(path).compare(TEXT)


def dsir(_: Path) -> tuple[bytes, Use]:
    counts = importance.NgramCounts(2, *np.arange(1, 201, dtype=np.uint64).reshape(2, 100))
    return counts.to_bytes(), lambda path: importance.load.__wrapped__(path).log_weights(TEXT)


def quantile_table(_: Path) -> tuple[bytes, Use]:
    spreads = quantiles.SignalSpreads(quantiles.Spread.of(np.arange(10.0)), {"de": quantiles.Spread.of(np.arange(9.0))})
    content = quantiles.QuantileTable("language.label", {"a.b": spreads}).to_bytes()

    def use(path: str) -> object:
        table = quantiles.load.__wrapped__(path)
        return [table.value(signal, 50) for signal in table.signals]

    return content, use


def evalsets(folder: Path) -> tuple[bytes, Use]:
    items = folder / "items.jsonl"
    items.write_text(json.dumps({"question": PROSE, "answer": "It is what the people of every town have to do."}))
    sets = Evalsets(sets={"prose": EvalSet(files=str(items), answer="answer")}, sizes=(13,))
    files = sets.index({"prose": [str(items)]})
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return files[Evalsets.asset], lambda path: index.load.__wrapped__(path).sets


def reading(make_file: Callable[[Path], tuple[bytes, Use]]) -> Callable[[Path], Execution]:
    def make(folder: Path) -> Execution:
        content, use = make_file(folder)
        path = folder / "damaged"
        path.write_bytes(content)
        use(str(path))

        def execute(rng: random.Random) -> None:
            path.write_bytes(mutated(content, rng))
            with suppress(UserError):
                use(str(path))

        return execute

    return make


def _targets() -> Iterator[tuple[str, Target]]:
    for make_file in (arpa, fasttext_plain, fasttext_compressed, logistic, word_vectors, word_counts, dsir):
        yield make_file.__name__, Target(reading(make_file), 12_000)
    yield quantile_table.__name__, Target(reading(quantile_table), 12_000)
    yield evalsets.__name__, Target(reading(evalsets), 12_000)


def learning(fit: Learns | Counts, use: Callable[[str, pa.Array], object]) -> Callable[[Path], Execution]:
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
    loaded = load_tokenizer.parse(Path(path).read_bytes(), path).with_ends("auto", "auto")
    assert loaded.encode(texts).equals(loaded.encode_by_library(texts))


NGRAMS = NgramModel(order=3, discounts=(0.5, 1.0, 1.5))
TARGETS = dict(_targets()) | {
    # tiktoken keeps 2.4 MB of each encoder that has encoded something (0.14); a worker has eight at most.
    "byte_bpe": Target(learning(Tokenizer(vocab_size=300), _encode), 500, 2),
    "unigram": Target(learning(Tokenizer(model="unigram", vocab_size=300), _encode), 2_000, 2),
    "sentencepiece": Target(learning(Sentencepiece(vocab_size=300), _encode), 1_000, 2),
    "ngram_model": Target(learning(NGRAMS, lambda path, text: model_file.load.__wrapped__(path).score(text)), 5_000, 3),
    "unigrams": Target(
        learning(Unigrams(min_count=1), lambda path, text: unigrams.load.__wrapped__(path).compare(text)), 10_000, 3
    ),
}
