"""How fast one core encodes: through tiktoken, by `tokenizers` in the same run, and with a SentencePiece model.

    python -m benchmarks.tokens.encode --shared           all of the shared test text; the slow encoders get a part
    python -m benchmarks.tokens.encode --text FOLDER      the JSON lines and Parquet files of a folder

Figures are CPU time of the process in the fastest of `--rounds` rounds, with the text already in memory. The tokenizers
(32,768 tokens) are fitted on the same text, or a part of it. Names in the JSON file: `encode_mtokens_per_second` (what
`tokenize` does, with the default expression for words), `encode_mb_per_second`, `encode_bytes_per_token`,
`encode_start_seconds` (of a process: reading the file, deciding for tiktoken); `encode_three_digits_mtokens_per_second`
(digits in threes, otherwise the same); `encode_tokenizers_mtokens_per_second`, and `encode_times_as_fast_as_tokenizers`
on the same documents; `encode_sentencepiece_mtokens_per_second` and `encode_sentencepiece_bytes_per_token` (Unigram).
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from benchmarks.figures import command_line, show
from benchmarks.heuristics.texts import megabytes_of, seeded_texts, spread_over, texts_of
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer, load
from tests.support import SHARED

Figures = dict[str, float]
SOME_MEGABYTES = 6.0  # that tokenizers are fitted on and the slow encoders are given
SENTENCEPIECE_VOCABULARY = 16_384


def measure_encode(texts: list[str], folder: Path, rounds: int = 2) -> Figures:
    """The figures above; `folder` is where the fitted tokenizers go."""
    column = pa.array(texts, pa.large_string())
    some = spread_over(column, SOME_MEGABYTES) if megabytes_of(column) > 2 * SOME_MEGABYTES else column
    file = fitted(Tokenizer(), some, folder / "tokenizer.json")
    start = time.process_time()
    tokenizer = load(file)
    tokenizer.encode(column[:1])
    figures = {"encode_start_seconds": time.process_time() - start}
    rate, tokens = fastest(tokenizer.encode, column, rounds)
    size = megabytes_of(column)
    figures |= {
        "encode_mtokens_per_second": rate,
        "encode_mb_per_second": rate * size / tokens,
        "encode_bytes_per_token": size / tokens,
    }
    three = load(fitted(Tokenizer(split_digits="three"), some, folder / "three.json"))
    three.encode(column[:1])
    figures["encode_three_digits_mtokens_per_second"] = fastest(three.encode, column, rounds)[0]
    return figures | beside_others(tokenizer, some, folder, rounds)


def beside_others(tokenizer: LoadedTokenizer, some: pa.Array, folder: Path, rounds: int) -> Figures:
    slow = fastest(tokenizer.encode_by_library, some, 1)[0]
    pieces = load(fitted(Sentencepiece(vocab_size=SENTENCEPIECE_VOCABULARY), some, folder / "tokenizer.model"))
    rate, tokens = fastest(pieces.encode, some, rounds)
    return {
        "encode_tokenizers_mtokens_per_second": slow,
        "encode_times_as_fast_as_tokenizers": fastest(tokenizer.encode, some, rounds)[0] / slow,
        "encode_sentencepiece_mtokens_per_second": rate,
        "encode_sentencepiece_bytes_per_token": megabytes_of(some) / tokens,
    }


def fitted(fit: Tokenizer | Sentencepiece, texts: pa.Array, file: Path) -> str:
    batch = pa.RecordBatch.from_arrays([texts], names=["text"])
    file.write_bytes(fit.fit(iter([batch]))[fit.asset])
    return str(file)


def fastest(encode: Callable[[pa.Array], pa.Array], texts: pa.Array, rounds: int) -> tuple[float, float]:
    """Millions of tokens per second, and millions of tokens."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        tokens = len(encode(texts).values) / 1e6
        seconds.append(time.process_time() - start)
    return tokens / min(seconds), tokens


def main() -> None:
    parser = command_line("tokens.encode", __doc__)
    text = parser.add_mutually_exclusive_group()
    text.add_argument("--text", type=Path, help="folder of JSON lines and Parquet files (default: generated text)")
    text.add_argument("--shared", action="store_true", help="the shared test text")
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    folder = SHARED / "text" if arguments.shared else arguments.text
    texts = texts_of(sorted(folder.iterdir())) if folder else list(seeded_texts(2000, 0))
    with tempfile.TemporaryDirectory() as name:
        figures = measure_encode(texts, Path(name), arguments.rounds)
    show(figures, title="encoding: one process, one core", path=arguments.json)


if __name__ == "__main__":
    main()
