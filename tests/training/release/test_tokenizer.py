"""Released tokenizers: for each post-processor, transformers gives the ids that winnow's encoder gave the training."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

from curation.tokens.encoders.encoder_probe import EMOJI, MARKS, NUMBERS, PROSE
from curation.tokens.encoders.load_tokenizer import load_text
from training.release.tokenizer import ReleasedTokenizer, write_tokenizer

TEXTS = ("", " ", "a", " a", "a ", "\n a\n\n", "Ab  c", "x = 1;\n\tif (x) {\n    y();\n}", PROSE, EMOJI, MARKS, NUMBERS)
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>")
PAIR = ("</s>", 1), ("<s>", 0)
BEGUN = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
TRIMMED = processors.ByteLevel(trim_offsets=True, add_prefix_space=True)
PROCESSORS = {
    "none": None,
    "template that begins": BEGUN,
    "template that ends": processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)]),
    "template around": processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    ),
    "BERT": processors.BertProcessing(*PAIR),
    "RoBERTa": processors.RobertaProcessing(*PAIR, trim_offsets=True, add_prefix_space=False),
    "byte level": processors.ByteLevel(trim_offsets=False),
    "byte level, trimmed": TRIMMED,
    "sequence": processors.Sequence([TRIMMED, BEGUN]),
}


def byte_level(path: Path, *, prefix: bool = False, **steps: Any) -> Path:
    own = Tokenizer(models.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    own.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    options: dict[str, Any] = {"special_tokens": [*SPECIAL], "show_progress": False}
    own.train_from_iterator([PROSE] * 3, trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, **options))
    return saved(own, path, **steps)


def unigram(path: Path, **steps: Any) -> Path:
    own = Tokenizer(models.Unigram())
    own.normalizer = normalizers.NFKC()
    own.pre_tokenizer = pre_tokenizers.Metaspace()
    own.decoder = decoders.Metaspace()
    options: dict[str, Any] = {"special_tokens": [*SPECIAL], "unk_token": "<unk>", "show_progress": False}
    own.train_from_iterator([PROSE] * 3, trainers.UnigramTrainer(vocab_size=600, **options))
    return saved(own, path, **steps)


def saved(own: Tokenizer, path: Path, **steps: Any) -> Path:
    for name, step in steps.items():
        if step is not None:
            setattr(own, name, step)
    own.save(str(path))
    return path


def trained_ids(path: Path, begin: str | None) -> dict[str, list[int]]:
    """What stands in the rows of a training, but for the ends of documents."""
    ids = load_text(str(path)).text_ids(pa.array(TEXTS, pa.large_string()))
    before = [] if begin is None else [SPECIAL.index(begin)]
    return {text: [*before, *found.tolist()] for text, found in zip(TEXTS, ids, strict=True)}


def facts(path: Path, begin: str | None = None, **options: Any) -> ReleasedTokenizer:
    names = {"begin_of_text": begin, "end_of_text": "</s>", "padding": "<pad>"}
    return ReleasedTokenizer(path=str(path), **names | options)


def written(path: Path, tokenizer: ReleasedTokenizer) -> Path:
    folder = path.with_name("out")
    folder.mkdir()
    write_tokenizer(tokenizer, folder, 64, 500)
    return folder


@pytest.mark.parametrize("begin", [None, "<s>"])
@pytest.mark.parametrize("post_processor", PROCESSORS)
@pytest.mark.parametrize("make", [byte_level, unigram])
def test_ids_of_the_training(tmp_path: Path, make: Any, post_processor: str, begin: str | None) -> None:
    path = make(tmp_path / "tokenizer.json", post_processor=PROCESSORS[post_processor])
    folder = written(path, facts(path, begin))
    own: Any = AutoTokenizer.from_pretrained(folder)
    assert {text: own(text)["input_ids"] for text in TEXTS} == trained_ids(path, begin)
    assert str(own.decode(own("Ab  c")["input_ids"], skip_special_tokens=True)).strip() == "Ab  c"


@pytest.mark.parametrize("prefix", [False, True])
def test_nothing_is_cut_or_filled_up(tmp_path: Path, prefix: bool) -> None:
    path = byte_level(tmp_path / "tokenizer.json", prefix=prefix)
    own = Tokenizer.from_file(str(path))
    own.enable_truncation(4)
    own.enable_padding(length=8, pad_id=2, pad_token="<pad>")
    own.save(str(path))
    found = AutoTokenizer.from_pretrained(written(path, facts(path)))
    assert {text: found(text)["input_ids"] for text in TEXTS} == trained_ids(path, None)


def test_a_model_that_reads_whole_texts_keeps_what_ends_them(tmp_path: Path) -> None:
    path = byte_level(tmp_path / "tokenizer.json", post_processor=PROCESSORS["BERT"])
    found = AutoTokenizer.from_pretrained(written(path, facts(path, "<s>", open_ended=False)))
    end = SPECIAL.index("</s>")
    assert found("a")["input_ids"] == [*trained_ids(path, "<s>")["a"], end]
