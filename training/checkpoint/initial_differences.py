"""Compares what initial weights learnt with the training that begins with them, where shapes do not show it.

Compared are the options of the model that decide its function, the begin and the end of documents, and the tokenizer. A
training says in its config.json what they were. A folder in Hugging Face's layout says it in its config.json, and in
its tokenizer if it has one; the end of its documents is not compared, since chat models name the end of a turn. What
`init_change` names may differ.
"""

import logging
from dataclasses import fields
from typing import Any

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.json_files import parse_json
from curation.core.token_ids import token_ids, tokenizer_identity
from curation.core.tokenizer_template import template_of
from curation.tokens.shards import TokenData
from training.checkpoint.initial import newest_of, refuse_other_shapes
from training.checkpoint.manifest import CHECKPOINTS, MANIFEST
from training.checkpoint.run_record import read_run_file, recorded_config
from training.config.components import Architecture
from training.config.run import TrainConfig
from training.models.hugging_face import layout_module, read_folder
from training.trainable import Trainable

log = logging.getLogger(__name__)
# Options of models that decide nothing once there are weights; what their shapes show is compared by these.
SILENT = ("preset", "vocabulary", "dropout", "initialisation", "initial_deviation")
TOKENIZER = "tokenizer"
ENDS = ("begin_of_text", "end_of_text")


Differences = dict[str, tuple[Any, Any]]  # by name: as the weights learnt with it, and as it is now


def model_differences(there: Architecture, here: Architecture) -> Differences:
    """The options that decide what the same weights compute, as far as they differ."""
    if type(there) is not type(here):
        return {"model": (type(there).__name__, type(here).__name__)}
    pairs = {one.name: (getattr(there, one.name), getattr(here, one.name)) for one in fields(here)}
    return {name: pair for name, pair in pairs.items() if name not in SILENT and pair[0] != pair[1]}


def check_initial_weights(source: str, config: TrainConfig, data: TokenData, model: Trainable) -> None:
    """`source`: a training, a checkpoint or a folder in Hugging Face's layout; `model`: the config's, on the meta
    device. Raises InputError for weights of other shapes or with differences, which it names, and for a name in
    `init_change` that no model or data have."""
    known = [*(one.name for one in fields(config.model) if one.name not in SILENT), "model", *ENDS, TOKENIZER]
    for name in config.init_change:
        if name not in known:
            raise InputError(f"init_change names {name!r}{nearest(name, known)}")
    found = _differences(source, config, data)
    listed = {name: f"{name} is {_shown(there)} there and {_shown(here)} here" for name, (there, here) in found.items()}
    refuse_other_shapes(source, config.model, model, ", ".join(listed.values()))
    if refused := [name for name in found if name not in config.init_change]:
        raise InputError(
            f"the weights of {source} learnt with other settings: {', '.join(listed[name] for name in refused)}; give "
            f"the same model and tokens, or write `init_change: [{', '.join(refused)}]` if that is on purpose"
        )


def _differences(source: str, config: TrainConfig, data: TokenData) -> Differences:
    home = storage.absolute(source).rstrip("/").partition(f"/{CHECKPOINTS}/")[0]
    if storage.exists(storage.join(home, CHECKPOINTS)) and storage.exists(storage.join(home, "config.json")):
        return _of_training(home, config, data)
    if newest_of(source) == source and not storage.exists(storage.join(source, MANIFEST)):
        return _of_folder(source, config, data)
    log.info("%s lies in no training: only the shapes of its weights are compared", masked(source))
    return {}


def _of_training(folder: str, config: TrainConfig, data: TokenData) -> Differences:
    record = read_run_file(folder)
    found = model_differences(recorded_config(folder).model, config.model)
    learnt = record.get("around_documents", {})
    pairs = {name: (learnt[name], getattr(data, name)) for name in ENDS if name in learnt}
    found |= {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    here = tokenizer_identity(storage.read_bytes(data.tokenizer_path))
    if (there := record.get("tokenizer")) is None:
        log.info("%s does not say with which tokenizer it was trained: that is not compared", masked(folder))
    elif there != here:
        found[TOKENIZER] = (f"one with the checksum {there[:8]} of its ids", f"one with {here[:8]}")
    return found


def _of_folder(folder: str, config: TrainConfig, data: TokenData) -> Differences:
    options = read_folder(folder, layout_module(config.model).layout).options
    try:
        found = model_differences(type(config.model)(**options), config.model)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"{folder}/config.json is of no model that winnow has: {error}; give another") from error
    name = data.tokenizer_path.rpartition("/")[2]
    path = storage.join(folder, name)
    if storage.exists(path):
        return found | _of_tokenizer(storage.read_bytes(path), data)
    log.info("%s has no %s, so the tokenizer is not compared with that of the data", masked(folder), name)
    return found


def _of_tokenizer(content: bytes, data: TokenData) -> Differences:
    """Compares the token that a folder's tokenizer begins a text with, and the ids of tokens; those behind the
    vocabulary of the data were appended to it."""
    own = storage.read_bytes(data.tokenizer_path)
    try:
        there, here = (
            {name: one for name, one in token_ids(file).items() if one < data.vocabulary} for file in (content, own)
        )
        begins = template_of(parse_json(content)).begins
        first = there.get(begins[0]) if begins else None
    except (ValueError, LookupError, TypeError, AttributeError):
        return {} if content == own else {TOKENIZER: ("another file", "that of the data")}
    found: Differences = {} if first == data.begin_of_text else {"begin_of_text": (first, data.begin_of_text)}
    if here and (other := sorted(there.items() ^ here.items(), key=lambda pair: (pair[1], pair[0]))):
        name = other[0][0]
        there_is, here_is = (f"one that has {name!r} as {_shown(ids.get(name))}" for ids in (there, here))
        found[TOKENIZER] = (there_is, here_is)
    return found


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
