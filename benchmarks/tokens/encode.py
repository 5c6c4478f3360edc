"""How fast one core encodes: through tiktoken beside `tokenizers` with the same file, and with a SentencePiece model.

The tokenizers (32,768 tokens; SentencePiece 16,384) are fitted on the same text, or on 6 MB of it, which the slow
encoders get too. `encode` is what `tokenize` does, with the default expression for words; `digits in threes` is
otherwise the same. Tokens of both sides must be equal.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from benchmarks.case import Case, DisagreementError, Figures
from benchmarks.data import megabytes_of, seeded_texts, spread_over, texts_in
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer
from curation.tokens.encoders.load_tokenizer import load

SOME_MEGABYTES = 6.0
SENTENCEPIECE_VOCABULARY = 16_384
GENERATED = 1200  # documents, about 6 MB
ROWS_OF_TEXT = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


def texts_of(folder: Path | None) -> pa.Array:
    """large_string[N]: rows of JSON lines and Parquet, any other file as one text; without a folder, generated."""
    if folder is None:
        return pa.array(seeded_texts(GENERATED, 0), pa.large_string())
    texts: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        rows = path.name.endswith(ROWS_OF_TEXT)
        texts += texts_in([path]).to_pylist() if rows else [path.read_text(errors="replace")]
    return pa.array(texts, pa.large_string())


def fitted(fit: Tokenizer | Sentencepiece, texts: pa.Array, file: Path) -> str:
    """The path of the file, to which the fitted tokenizer is written."""
    batch = pa.RecordBatch.from_arrays([texts], names=["text"])
    file.write_bytes(fit.fit(iter([batch]))[fit.asset])
    return str(file)


def same_tokens(ours: pa.Array, theirs: pa.Array) -> str:
    if not ours.equals(theirs.cast(ours.type)):
        raise DisagreementError("other tokens")
    return f"the same {len(ours.values):,} tokens"


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    column = texts_of(options.text)
    some = spread_over(column, SOME_MEGABYTES) if megabytes_of(column) > 2 * SOME_MEGABYTES else column
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = fitted(Tokenizer(), some, folder / "tokenizer.json")
        start = time.process_time()
        tokenizer = load(file)
        tokenizer.encode(column[:1])
        started = time.process_time() - start
        three = load(fitted(Tokenizer(split_digits="three"), some, folder / "three.json"))
        pieces = load(fitted(Sentencepiece(vocab_size=SENTENCEPIECE_VOCABULARY), some, folder / "tokenizer.model"))
    rows = {"encode": (tokenizer, column), "digits in threes": (three, column), "SentencePiece": (pieces, some)}
    sizes = {}
    for what, (encoder, own) in rows.items():
        tokens = len(encoder.encode(own).values)
        sizes[what] = {"bytes per token": 1e6 * megabytes_of(own) / tokens}
        amounts = {"Mtokens": tokens / 1e6, "MB": megabytes_of(own)}
        yield Case(name=what, ours=partial(encoder.encode, own), amounts=amounts)
    yield Case(
        name="encode, the same documents",
        ours=partial(tokenizer.encode, some),
        peer=partial(tokenizer.encode_by_library, some),
        called="tokenizers",
        agree=same_tokens,
        amounts={"Mtokens": len(tokenizer.encode(some).values) / 1e6},
        packages=("tokenizers", "tiktoken", "sentencepiece"),
    )
    sizes["encode"] |= {"start of a process, s": started}
    yield Figures("vocabularies", sizes)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", type=Path, help="folder of texts (default: generated text)")
