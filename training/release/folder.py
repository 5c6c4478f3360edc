"""A trained model as a folder that transformers loads: weights, tokenizer, and how to generate."""

import json
from pathlib import Path
from typing import Any

from curation.tokens.shards import TokenData
from training.checkpoint.run_record import write_json
from training.config.run import TrainConfig
from training.models.folder_writer import WholeWeights, export
from training.release.tokenizer import ReleasedTokenizer, write_tokenizer


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
    sampling: dict[str, Any] = {"do_sample": True, "temperature": 1.0}
    if nameless := _nameless(tokenizer, data, written["vocab_size"]):
        sampling["suppress_tokens"] = nameless
    write_json(str(place / "generation_config.json"), {**ends, **sampling})
    write_tokenizer(tokenizer, place, length, data.vocabulary)


def _nameless(tokenizer: ReleasedTokenizer, data: TokenData, size: int) -> list[int]:
    """The ids of a model of `size` ids that the tokenizer cannot write."""
    padding = [] if tokenizer.padding or data.padding == data.end_of_text else [data.padding]
    return [*padding, *range(data.vocabulary + len(tokenizer.appended), size)]
