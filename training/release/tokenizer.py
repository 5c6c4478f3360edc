"""The tokenizer of a release, which gives the ids that the model was trained on.

A text begins as the documents of the training began. Nothing stands behind it if the model goes on with texts: behind
an end of text it would begin another document.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.core import storage
from curation.core.tokenizer_template import Template, model_vocabulary, template_of, with_template
from training.checkpoint.run_record import write_json

JSON = "tokenizer.json"
PIECES = "sentencepiece.model"


@dataclass(frozen=True, kw_only=True)
class ReleasedTokenizer:
    """Where a tokenizer is, and the names of its special tokens there. `begin_of_text` None: documents began with their
    text; `padding` None: it has none. `appended` are those behind its last one that the objective needed, in their
    order. `open_ended`: the model goes on with texts. `converted`: a tokenizer.json that gives the same ids as the
    SentencePiece model at `path`."""

    path: str
    begin_of_text: str | None
    end_of_text: str
    padding: str | None
    appended: tuple[str, ...] = ()
    open_ended: bool = True
    converted: bytes | None = None

    @property
    def file(self) -> str:
        """The name of the released file, by which transformers finds a tokenizer.json and nothing else."""
        return JSON if self.converted or self.path.endswith(JSON) else PIECES


def write_tokenizer(tokenizer: ReleasedTokenizer, folder: Path, length: int, vocabulary: int) -> None:
    """`length`: the most tokens of a text; `vocabulary`: the tokenizer's ids. A SentencePiece model that is not
    converted has a name by which transformers does not find it: its classes for one give other ids (5.23)."""
    content = tokenizer.converted or storage.read_bytes(tokenizer.path)
    (folder / tokenizer.file).write_bytes(content)
    if tokenizer.file != JSON:
        return
    stated: dict[str, Any] = json.loads(content)
    released = _around_texts(_with_appended(stated, tokenizer.appended, vocabulary), tokenizer)
    if released != stated:
        write_json(str(folder / JSON), released)
    facts = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": tokenizer.end_of_text,
        "bos_token": tokenizer.begin_of_text or tokenizer.end_of_text,
        "pad_token": tokenizer.padding or tokenizer.end_of_text,
        "add_bos_token": tokenizer.begin_of_text is not None,
        "add_eos_token": False,
        "clean_up_tokenization_spaces": False,
        "model_max_length": length,
    }
    write_json(str(folder / "tokenizer_config.json"), facts)


def _with_appended(stated: dict[str, Any], contents: tuple[str, ...], first: int) -> dict[str, Any]:
    """With special tokens from id `first` on."""
    if not contents:
        return stated
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    tokens = [{"id": number, "content": content, **plain} for number, content in enumerate(contents, first)]
    return {**stated, "added_tokens": [*stated.get("added_tokens", ()), *tokens]}


def _around_texts(stated: dict[str, Any], tokenizer: ReleasedTokenizer) -> dict[str, Any]:
    """With what stood before the documents of the training before a text, and texts neither cut nor filled up."""
    own = template_of(stated)
    begins = () if tokenizer.begin_of_text is None else (tokenizer.begin_of_text,)
    wanted = Template(begins, () if tokenizer.open_ended else own.ends)
    plain = stated | {name: None for name in ("truncation", "padding") if stated.get(name)}
    if own == wanted:
        return plain
    ids = {token["content"]: token["id"] for token in stated.get("added_tokens", ())}
    return with_template(plain, wanted, model_vocabulary(stated) | ids)
