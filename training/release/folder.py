"""A trained model as a folder that transformers loads: weights, tokenizer, and how to generate."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.core import storage
from curation.core.tokenizer_template import Template, model_vocabulary, template_of, with_template
from curation.tokens.shards import TokenData
from training.checkpoint.run_record import write_json
from training.config.run import TrainConfig
from training.models.folder_writer import WholeWeights, export

JSON = "tokenizer.json"


@dataclass(frozen=True, kw_only=True)
class ReleasedTokenizer:
    """Where a tokenizer is, and the names of its special tokens there. `begin_of_text` None: documents began with their
    text; `padding` None: it has none. `appended` are those behind its last one that the objective needed, in their
    order."""

    path: str
    begin_of_text: str | None
    end_of_text: str
    padding: str | None
    appended: tuple[str, ...] = ()


def write_model(
    weights: WholeWeights,
    config: TrainConfig,
    data: TokenData,
    tokenizer: ReleasedTokenizer,
    folder: str,
    *,
    dtype: str = "fp32",
) -> None:
    """Writes weights, tokenizer and how to generate; `dtype`: a key of `training.models.folder_writer.DTYPES`. Raises
    InputError for an architecture, or options of it, that transformers lacks."""
    export(weights, config.model, folder, dtype=dtype)
    place = Path(folder)
    written = json.loads((place / "config.json").read_text())
    padding = data.padding if tokenizer.padding and data.padding < written["vocab_size"] else data.end_of_text
    # Without a begin-of-text, what stood before the first token of a document is the end of the one before.
    begin = data.end_of_text if data.begin_of_text is None else data.begin_of_text
    ends = {"eos_token_id": data.end_of_text, "bos_token_id": begin, "pad_token_id": padding}
    length = config.sequence_length or data.sequence_length
    longest = {} if "n_positions" in written else {"max_position_embeddings": length}
    write_json(str(place / "config.json"), {**written, **ends, **longest})
    write_json(str(place / "generation_config.json"), {**ends, "do_sample": True, "temperature": 1.0})
    _write_tokenizer(tokenizer, place, length, data.vocabulary)


def _write_tokenizer(tokenizer: ReleasedTokenizer, place: Path, length: int, vocabulary: int) -> None:
    """A SentencePiece model is copied alone: transformers' classes for one give other ids (5.23, November 2026)."""
    name = tokenizer.path.rpartition("/")[2]
    content = storage.read_bytes(tokenizer.path)
    (place / name).write_bytes(content)
    if name != JSON:
        return
    stated: dict[str, Any] = json.loads(content)
    released = _beginning(_with_appended(stated, tokenizer.appended, vocabulary), tokenizer)
    if released != stated:
        write_json(str(place / name), released)
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
    write_json(str(place / "tokenizer_config.json"), facts)


def _with_appended(stated: dict[str, Any], contents: tuple[str, ...], first: int) -> dict[str, Any]:
    """With special tokens from id `first` on."""
    if not contents:
        return stated
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    tokens = [{"id": number, "content": content, **plain} for number, content in enumerate(contents, first)]
    return {**stated, "added_tokens": [*stated.get("added_tokens", ()), *tokens]}


def _beginning(stated: dict[str, Any], tokenizer: ReleasedTokenizer) -> dict[str, Any]:
    """With a template that puts before a text what stood before the documents of the training, and nothing else."""
    own = template_of(stated)
    begins = () if tokenizer.begin_of_text is None else (tokenizer.begin_of_text,)
    if own.begins == begins:
        return stated
    ids = {token["content"]: token["id"] for token in stated.get("added_tokens", ())}
    return with_template(stated, Template(begins, own.ends), model_vocabulary(stated) | ids)
