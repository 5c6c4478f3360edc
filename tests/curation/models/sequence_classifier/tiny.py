"""Tiny classifiers with random weights and tokenizers of their own, saved as `transformers` saves them."""

import re
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
PROSE = ["The people of the town have to read and be kind.", "Whales sail the deep sea; 12 ships follow!"]


def tiny_classifier(folder: Path, *, labels: tuple[str, ...] = ("LABEL_0",), **settings: Any) -> str:
    """A BERT of two layers that takes 512 tokens, as a regression unless the settings say otherwise. Returns its
    folder."""
    tokens = tokenizer_of(folder, PROSE)
    settings = {"problem_type": "regression" if len(labels) == 1 else None, **settings}
    config = transformers.BertConfig(
        vocab_size=tokens,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.5,
        id2label=dict(enumerate(labels)),
        **settings,
    )
    torch.manual_seed(0)
    save(transformers.BertForSequenceClassification(config), folder)
    return str(folder)


def tiny_decoder(folder: Path) -> str:
    """A Llama of two layers with three labels, which reads the last token of a text. Returns its folder."""
    tokens = tokenizer_of(folder, PROSE)
    config = transformers.LlamaConfig(
        vocab_size=tokens,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.3,
        num_labels=3,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    save(transformers.LlamaForSequenceClassification(config), folder)
    return str(folder)


def save(model: Any, folder: Path) -> None:
    transformers.utils.logging.disable_progress_bar()
    model.eval().save_pretrained(folder)


def tokenizer_of(folder: Path, texts: list[str]) -> int:
    """Saves a WordPiece tokenizer that knows the words and characters of the texts, and returns the size of its
    vocabulary. It is not learned: the library's trainer orders pieces that are as frequent differently each time."""
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    signs = sorted({sign for word in words for sign in word})
    pieces = dict.fromkeys([*SPECIAL, *signs, *(f"##{sign}" for sign in signs), *words])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **names)
    fast.save_pretrained(folder)
    return int(tokenizer.get_vocab_size())
