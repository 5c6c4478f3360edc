"""The tokenizer of a release, and sample texts that show whether it gives the ids of the training.

A SentencePiece model becomes a tokenizer.json too if that gives the same ids; otherwise it keeps the name under which
only sentencepiece finds it, because transformers would read it with other ids.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from tokenizers import Tokenizer

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.encoders.encoder_probe import sample
from curation.tokens.encoders.load_tokenizer import load_text
from curation.tokens.encoders.piece_json import json_of_pieces
from curation.tokens.shards import TokenData
from training.batch import Kind
from training.data.check import PreparedData
from training.release.tokenizer import JSON, ReleasedTokenizer, write_tokenizer

LONGEST = 1 << 30  # tokens of a text that is compared


def released_tokenizer(prepared: PreparedData) -> ReleasedTokenizer:
    data = prepared.data
    name = load_text(data.tokenizer_path).name_of
    return ReleasedTokenizer(
        path=data.tokenizer_path,
        begin_of_text=None if data.begin_of_text is None else name(data.begin_of_text),
        end_of_text=name(data.end_of_text),
        padding=name(data.padding) or None,
        appended=prepared.appended,
        open_ended=prepared.config.objective.kind is Kind.PLAIN,
        converted=None if data.tokenizer_path.endswith(JSON) else _converted(data.tokenizer_path),
    )


def check_tokenizer(tokenizer: ReleasedTokenizer, data: TokenData, config: Mapping[str, Any]) -> str:
    """Encodes texts as whoever loads the release will; `config`: what the model's config.json has, because transformers
    reads tokenizers of some kinds of models by rules of its own. Returns a line that says what was compared by which
    library. Raises InputError if it gives other ids than the training had."""
    if tokenizer.file != JSON:
        return f"{tokenizer.file} is for sentencepiece alone: transformers would give other ids than the training had"
    begin = [] if data.begin_of_text is None else [data.begin_of_text]
    library, encode = _reader(tokenizer, data, config)
    samples = _sample_ids(data.tokenizer_path)
    for text, ids in samples.items():
        trained = [*begin, *ids]
        found = encode(text)
        if found[: len(trained)] != trained or (tokenizer.open_ended and len(found) > len(trained)):
            raise InputError(
                f"{library} would read {text[:40]!r} as {found[:8]} … for a {config['model_type']} model, the training "
                f"read it as {trained[:8]} …; "
                "publish the checkpoint's safetensors files with the training's own tokenizer instead"
            )
    return f"{library} gives {len(samples)} sample texts the ids that the training gave them"


def _reader(
    tokenizer: ReleasedTokenizer, data: TokenData, config: Mapping[str, Any]
) -> tuple[str, Callable[[str], list[int]]]:
    """transformers if it is installed, and a function that encodes a text with what stands around it."""
    with TemporaryDirectory() as folder:
        write_tokenizer(tokenizer, Path(folder), LONGEST, data.vocabulary)
        Path(folder, "config.json").write_text(json.dumps(config))
        try:
            from transformers import AutoTokenizer
        except ImportError:
            own = Tokenizer.from_file(f"{folder}/{JSON}")
            return "tokenizers", lambda text: list(own.encode(text).ids)
        loaded = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return "transformers", lambda text: list(loaded(text)["input_ids"])


def _converted(path: str) -> bytes | None:
    """A SentencePiece model as a tokenizer.json; None if that gives a sample text other ids."""
    try:
        content = json_of_pieces(storage.read_bytes(path))
    except ValueError:
        return None
    encode = Tokenizer.from_str(content.decode()).encode
    alike = (encode(text, add_special_tokens=False).ids == ids for text, ids in _sample_ids(path).items())
    return content if all(alike) else None


def _sample_ids(path: str) -> dict[str, list[int]]:
    """Texts of many scripts -> their ids in the training, without what begins and ends a document."""
    texts = [*sample(()), " a", "a ", "\n a\n\n", "Ab  c"]
    ids = load_text(path).text_ids(pa.array(texts, pa.large_string()))
    return {text: found.tolist() for text, found in zip(texts, ids, strict=True)}
