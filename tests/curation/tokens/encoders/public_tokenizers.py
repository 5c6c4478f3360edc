"""Small tokenizers with the models, cuts, special tokens and templates of public ones, as folders of their files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from curation.tokens.encoders.encoder_probe import CODE, PROSE
from curation.tokens.encoders.tiktoken_path import CL100K, QWEN

TEXT = [PROSE[start : start + 80] for start in range(0, len(PROSE), 40)] + CODE.split("\n")


@dataclass(frozen=True)
class PublicTokenizer:
    """`library` with what stands beside it in tokenizer_config.json; `around`: the names that a document must have."""

    library: Tokenizer
    around: tuple[str | None, str]
    config: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tokenizer.json").write_text(self.library.to_str())
        (folder / "tokenizer_config.json").write_text(json.dumps(self.config))
        return folder


def _byte_level(special: Sequence[str], pattern: str | None = None) -> Tokenizer:
    made = Tokenizer(models.BPE())
    bytes_of = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    made.pre_tokenizer = (
        bytes_of
        if pattern is None
        else pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), bytes_of])
    )
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False))
    made.add_special_tokens([*special])
    return made


def _in_pieces(special: Sequence[str], *, prefix: bool) -> Tokenizer:
    """BPE over characters with bytes for the rest, as SentencePiece's models become."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    steps = [*([normalizers.Prepend("▁")] if prefix else []), normalizers.Replace(" ", "▁")]
    made.normalizer = normalizers.Sequence(steps)
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    names = [*special, *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=names, show_progress=False)
    made.train_from_iterator(TEXT, trainer)
    stated = json.loads(made.to_str())
    stated["added_tokens"] = [token for token in stated["added_tokens"] if token["content"] in special]
    return Tokenizer.from_str(json.dumps(stated))


def _around(made: Tokenizer, single: str, *before: Any) -> Tokenizer:
    names = [name for name in single.split() if name != "$A"]
    pair = single.replace("$A", "$A $B")
    ids = [(name, made.token_to_id(name)) for name in names]
    template = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)
    made.post_processor = processors.Sequence([*before, template]) if before else template
    return made


def llama_2() -> PublicTokenizer:
    made = _around(_in_pieces(["<unk>", "<s>", "</s>"], prefix=True), "<s> $A")
    config = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True}
    return PublicTokenizer(made, ("<s>", "</s>"), {**config, "add_eos_token": False})


def llama_3() -> PublicTokenizer:
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
    made = _around(_byte_level(special, CL100K), "<|begin_of_text|> $A", processors.ByteLevel(trim_offsets=True))
    return PublicTokenizer(made, (special[0], special[1]), {"bos_token": special[0], "eos_token": special[1]})


def gemma() -> PublicTokenizer:
    made = _around(_in_pieces(["<pad>", "<eos>", "<bos>", "<unk>"], prefix=False), "<bos> $A")
    names = {"bos_token": {"content": "<bos>"}, "eos_token": {"content": "<eos>"}, "pad_token": {"content": "<pad>"}}
    config = {name: {"__type": "AddedToken", "special": True, **token} for name, token in names.items()}
    return PublicTokenizer(made, ("<bos>", "<eos>"), {**config, "add_bos_token": True})


def mistral() -> PublicTokenizer:
    made = _around(_in_pieces(["<unk>", "<s>", "</s>", "[INST]", "[/INST]"], prefix=True), "<s> $A")
    return PublicTokenizer(made, ("<s>", "</s>"), {"bos_token": "<s>", "eos_token": "</s>", "add_bos_token": True})


def qwen() -> PublicTokenizer:
    made = _byte_level(["<|endoftext|>", "<|im_start|>", "<|im_end|>"], QWEN)
    made.normalizer = normalizers.NFC()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    config = {"bos_token": None, "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>", "add_bos_token": False}
    return PublicTokenizer(made, (None, "<|endoftext|>"), config)


def gpt_2() -> PublicTokenizer:
    made = _byte_level(["<|endoftext|>"])
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    config = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}
    return PublicTokenizer(made, (None, "<|endoftext|>"), config)


def t5() -> PublicTokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    special = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=700, special_tokens=special, unk_token="<unk>", show_progress=False)
    made.train_from_iterator(TEXT, trainer)
    config = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return PublicTokenizer(_around(made, "$A </s>"), (None, "</s>"), config)


def bert() -> PublicTokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(
        TEXT, trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    )
    config = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    return PublicTokenizer(_around(made, "[CLS] $A [SEP]"), ("[CLS]", "[SEP]"), config)


def bert_before_templates() -> PublicTokenizer:
    """With the processor that older files of BERT have."""
    own = bert()
    ends = (("[SEP]", own.library.token_to_id("[SEP]")), ("[CLS]", own.library.token_to_id("[CLS]")))
    own.library.post_processor = processors.BertProcessing(*ends)
    return own


def roberta() -> PublicTokenizer:
    made = _byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    ends = (("</s>", made.token_to_id("</s>")), ("<s>", made.token_to_id("<s>")))
    made.post_processor = processors.RobertaProcessing(*ends, trim_offsets=True, add_prefix_space=False)
    config = {"bos_token": "<s>", "eos_token": "</s>", "cls_token": "<s>", "sep_token": "</s>"}
    return PublicTokenizer(made, ("<s>", "</s>"), config)


def deepseek() -> PublicTokenizer:
    special = ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜▁pad▁｜>"]
    made = _around(_byte_level(special, CL100K), f"{special[0]} $A", processors.ByteLevel(trim_offsets=False))
    config = {"bos_token": special[0], "eos_token": special[1], "add_bos_token": True, "add_eos_token": False}
    return PublicTokenizer(made, (special[0], special[1]), config)


def opt() -> PublicTokenizer:
    """One token before and behind a text."""
    made = _around(_byte_level(["<s>", "<pad>", "</s>", "<unk>"]), "</s> $A")
    config = {"bos_token": "</s>", "eos_token": "</s>", "pad_token": "<pad>", "add_bos_token": True}
    return PublicTokenizer(made, ("</s>", "</s>"), config)


EVERY = (
    *(llama_2, llama_3, gemma, mistral, qwen, gpt_2, t5),
    *(bert, bert_before_templates, roberta, deepseek, opt),
)
every = {make.__name__: cache(make) for make in EVERY}
