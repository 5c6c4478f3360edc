"""Speed of the token room: encoding, packing, reading batches and seeking, each in one process on one core.

    python -m benchmarks.tokens                     generated text
    python -m benchmarks.tokens --text FOLDER       the text files of a folder, JSON lines and Parquet among them
    python -m benchmarks.tokens --peer              and TRL's best-fit packing, which is installed into .venv-trl once

Throughput is per second of CPU time, so that other work on the machine does not count; seeks are wall-clock. Figures in
the JSON file, by name: those of `benchmarks.tokens.encode`;
`pack_<method>_mtokens_per_second` (with all files written), `<method>_filled_percent` and
`<method>_cut_documents_percent` of concat, best_fit and one_per_row on made-up documents at 2,048;
`place_best_fit_mtokens_per_second` (no files, no lineage);
`encode_and_pack_mtokens_per_second` end to end with best-fit, `text_filled_percent` (a shard per file),
`…_worst_file`, `…_one_shard` (all files as one) and `text_cut_documents_percent`;
with --peer `trl_best_fit_mtokens_per_second`, `trl_best_fit_filled_percent`, `best_fit_times_as_fast_as_trl` and
`best_fit_filled_percent_same_documents`;
`open_milliseconds`, `verify_mtokens_per_second` and, for batches of 16 x 2049 and 8 x 1025,
`read_<rows>x<row tokens>_<dtype>_mtokens_per_second`, `…_first_pass_…` (pages not yet mapped), `…_segments_…` (with
segment ids) and `seek_<…>_microseconds` (median, and `_worst`).
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.figures import command_line, show
from benchmarks.heuristics.texts import texts_of
from benchmarks.tokens.encode import measure_encode
from benchmarks.tokens.packing import install_peer, measure_packing, measure_peer, measure_text
from benchmarks.tokens.reading import measure_reading

TEXT_BYTES = 6_000_000  # generated, or read for the figures of encoding alone
PEER_MILLIONS = 8  # tokens that the peer packs
ROWS_OF_TEXT = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")


def generated_text(seed: int = 0) -> list[str]:
    """Documents of made-up words whose frequencies fall as in natural text (Zipf)."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    vocabulary = ["".join(rng.choice(letters, rng.integers(1, 11), p=_zipf(26))) for _ in range(30_000)]
    words = np.array(vocabulary)[rng.choice(len(vocabulary), TEXT_BYTES // 6, p=_zipf(len(vocabulary)))]
    return [" ".join(words[start : start + 600]) + "." for start in range(0, len(words), 600)]


def _zipf(count: int) -> "np.typing.NDArray[np.float64]":
    weights = 1.0 / np.arange(1, count + 1)
    shares: np.typing.NDArray[np.float64] = weights / weights.sum()
    return shares


def texts_in(folder: Path) -> dict[str, list[str]]:
    """File -> its texts: the rows of JSON lines and Parquet, any other file as one."""
    texts = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        rows = path.name.endswith(ROWS_OF_TEXT)
        texts[path.name] = texts_of([path]) if rows else [path.read_text(errors="replace")]
    return texts


def some_of(texts: dict[str, list[str]]) -> list[str]:
    """About TEXT_BYTES characters, from all files in turn."""
    chosen: list[str] = []
    size = 0
    for number in range(max(map(len, texts.values()))):
        for own in texts.values():
            if number < len(own) and size < TEXT_BYTES:
                chosen.append(own[number])
                size += len(own[number])
    return chosen


def main() -> None:
    parser = command_line("tokens", __doc__)
    parser.add_argument("--text", type=Path, help="folder of text files to encode (default: generated text)")
    parser.add_argument("--tokens", type=int, default=32, help="millions of tokens to pack and to read (default: 32)")
    parser.add_argument("--peer", action="store_true", help="also pack with TRL")
    arguments = parser.parse_args()
    texts = texts_in(arguments.text) if arguments.text else {"generated": generated_text()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = measure_encode(some_of(texts), folder)
        figures |= measure_packing(folder, arguments.tokens) | measure_text(texts, folder)
        if arguments.peer:
            install_peer()
            figures |= measure_peer(folder, PEER_MILLIONS)
        figures |= measure_reading(folder, arguments.tokens)
    show(figures, title="tokens: one process, one core", path=arguments.json)


if __name__ == "__main__":
    main()
