"""Checks that a run and its token data fit together, before any process or Ray cluster starts."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.token_ids import tokenizer_identity
from curation.tokens.shards import TokenData
from training.batch import Ids, SpecialIds
from training.config.arithmetic import check_workers, step_rows
from training.config.branches import ParentRecord
from training.config.components import MODEL, OBJECTIVE
from training.config.layout import check_length
from training.config.parse import key_of
from training.config.run import TrainConfig
from training.data.special_ids import special_ids, utf8_bytes

log = logging.getLogger(__name__)
Continued: TypeAlias = Callable[[TrainConfig], TrainConfig]
MULTIPLE = 128  # of tokens in a model's vocabulary: matrix products are faster


@dataclass(frozen=True)
class PreparedData:
    """A run that can start."""

    config: TrainConfig  # with values from the data where it had None
    data: TokenData
    ids: SpecialIds
    appended: tuple[str, ...]  # contents of the ids behind the tokenizer's last one, in their order
    utf8_bytes: Ids | None  # of the text of each of the tokenizer's tokens, None if it does not say
    fingerprint: str  # of the rows and their order
    parent: ParentRecord | None = None  # of a branch

    @property
    def recorded(self) -> dict[str, Any]:
        """More of config.json than settings and data; `around_documents`: ids that begin and end each document."""
        around = {"begin_of_text": self.data.begin_of_text, "end_of_text": self.data.end_of_text}
        identity = tokenizer_identity(storage.read_bytes(self.data.tokenizer_path))
        parent = {"parent": self.parent} if self.parent else {}
        return {"appended": self.appended, "around_documents": around, "tokenizer": identity, **parent}


def prepare(config: TrainConfig, path: str, workers: int, continued: Continued | None = None) -> PreparedData:
    """`path`: a mix folder, or a run folder whose last mix is used; `continued`: gives the config of a branch.

    Raises ValueError if the config, the data and the number of workers do not fit together.
    """
    check_workers(config, workers)
    check_kinds(config)
    log.info("reading what the token data of %s holds", masked(path))
    disk = config.local_copies_gb
    data = TokenData.open(path, disk=None if disk is None else int(disk * 1e9))
    length = data.sequence_length if config.sequence_length is None else config.sequence_length
    ids, appended = special_ids(config.objective, length, data)
    resolved = resolve(continued(config) if continued else config, data, ids)
    sizes = utf8_bytes(data, data.end_of_text)
    return PreparedData(resolved, data, ids, appended, sizes, data.fingerprint())


def check_kinds(config: TrainConfig) -> None:
    """Raises ValueError if the model does not take what the objective gives."""
    kind = config.objective.kind
    if kind not in config.model.kinds:
        takes = " or ".join(kind.value for kind in config.model.kinds)
        raise ValueError(
            f"the objective {key_of(config, OBJECTIVE)} gives {kind.value} rows, the model {key_of(config, MODEL)} "
            f"takes {takes} ones; docs/training.md says which fit"
        )


def resolve(config: TrainConfig, data: TokenData, ids: SpecialIds) -> TrainConfig:
    """The config, with values from the data where it has None. Raises ValueError if the two do not fit, or the config
    not to itself."""
    rows = step_rows(config)
    schedule = config.schedule.with_phases({name: rows.step_of(at) for name, at in data.phases.items()})
    schedule.check(config.steps)
    length = data.sequence_length if config.sequence_length is None else config.sequence_length
    if length > data.sequence_length:
        raise ValueError(
            f"sequence_length {length:,} is longer than the rows of the data ({data.sequence_length:,} tokens to "
            "predict); give at most that, or pack again with longer rows"
        )
    for parts in {1, *(stage.parts for stage in config.length_stages)}:
        if length % parts:
            raise ValueError(f"rows of {length:,} tokens cannot be cut into {parts} parts of equal length")
        check_length(config, length // parts)
        config.objective.shape(length // parts)
    config.model.check_length(config.objective.shape(length).inputs)
    vocabulary = -(-ids.size // MULTIPLE) * MULTIPLE if config.model.vocabulary is None else config.model.vocabulary
    if ids.size > vocabulary:
        raise ValueError(
            f"the tokenizer has {ids.size:,} tokens with those that the objective needs, the model's vocabulary has "
            f"room for {vocabulary:,}; raise it, or leave it out to use the tokenizer's"
        )
    possible = rows.steps(data.rows)
    if config.steps > possible:
        raise ValueError(
            f"steps {config.steps:,} of {config.batch_rows:,} rows need {rows.positions(config.steps).start:,} rows, "
            f"but the data has {data.rows:,}; train for at most {possible:,} steps, or mix more tokens"
        )
    if not data.validation_rows:
        raise ValueError("the data has no validation rows; raise `validation` in `tokenize`, and run the recipe again")
    model = replace(config.model, vocabulary=vocabulary)
    return replace(config, model=model, schedule=schedule, sequence_length=length)


def problem_with(read: Callable[[], object]) -> str:
    """What is wrong with the rows that are read; empty if nothing is."""
    try:
        read()
    except InputError as error:
        return str(error)
    return ""
