"""A tiny decoder that a run of the tests trains, a tokenizer of words, and rows by hand."""

from pathlib import Path
from typing import Any

from tests.training.runs import TINY, counting_run
from training.config.parse import parse
from training.start import train

CHECKPOINTS = {**TINY, "keep_checkpoints": 9}  # of the updates 3, 6 and 8


def trained(folder: Path, **options: Any) -> Path:
    """The output of a training of 8 updates, over the run "data" beside it."""
    train(parse({**CHECKPOINTS, **options}), str(counting_run(folder / "data")), str(folder / "model"))
    return folder / "model"


class WordTokenizer:
    """Each word, with the blank before it, is a token; 0 is end-of-text."""

    begin_of_text: int | None = None
    end_of_text = 0

    def __init__(self, *words: str) -> None:
        self.words = ["<|endoftext|>", *words]

    def ids(self, text: str) -> list[int]:
        return [self.words.index(word) for word in text.replace(" ", "\0 ").split("\0") if word]

    def text(self, ids: Any) -> str:
        return "".join(self.words[one] for one in ids)
