"""A trained model as a folder that transformers loads: weights, tokenizer, and how to generate."""

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from training.checkpoint.run_record import write_json
from training.config.components import Architecture
from training.config.run import TrainConfig
from training.release.tokenizer import ReleasedTokenizer, write_tokenizer
from training.trainable import Trainable

Export = Callable[[Trainable, Any, str], None]


def exporter(model: Architecture) -> Export:
    """Writes models of this architecture. Raises InputError if transformers has no layout for it."""
    home = type(model).__module__
    try:
        found = find_spec(f"{home}.huggingface")
    except ModuleNotFoundError:  # the architecture is one file
        found = None
    if found is None:
        raise InputError(
            f"winnow knows no layout of transformers for a {type(model).__name__}; a decoder or an encoder has one, of "
            "others use the checkpoint's safetensors files"
        )
    export: Export = import_module(found.name).export
    return export


def write_model(
    model: Trainable, config: TrainConfig, data: TokenData, tokenizer: ReleasedTokenizer, folder: str
) -> None:
    """Raises InputError for an architecture, or options of it, that transformers lacks."""
    exporter(config.model)(model, config.model, folder)
    place = Path(folder)
    written = json.loads((place / "config.json").read_text())
    padding = data.padding if tokenizer.padding and data.padding < written["vocab_size"] else data.end_of_text
    # Without a begin-of-text, what stood before the first token of a document is the end of the one before.
    begin = data.end_of_text if data.begin_of_text is None else data.begin_of_text
    ends = {"eos_token_id": data.end_of_text, "bos_token_id": begin, "pad_token_id": padding}
    length = config.sequence_length or data.sequence_length
    write_json(str(place / "config.json"), {**written, **ends, "max_position_embeddings": length})
    sampling: dict[str, Any] = {"do_sample": True, "temperature": 1.0}
    if nameless := _nameless(tokenizer, data, written["vocab_size"]):
        sampling["suppress_tokens"] = nameless
    write_json(str(place / "generation_config.json"), {**ends, **sampling})
    write_tokenizer(tokenizer, place, length, data.vocabulary)


def _nameless(tokenizer: ReleasedTokenizer, data: TokenData, size: int) -> list[int]:
    """The ids of a model of `size` ids that the tokenizer cannot write."""
    padding = [] if tokenizer.padding or data.padding == data.end_of_text else [data.padding]
    return [*padding, *range(data.vocabulary + len(tokenizer.appended), size)]
