"""Checks that a run and its token data fit together, before any process or Ray cluster starts."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from training.config.run import TrainConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PreparedData:
    """A run that can start."""

    config: TrainConfig  # with values from the data where it had None
    data: TokenData
    fingerprint: str  # of the rows and their order
    bytes_per_token: float | None  # UTF-8 bytes per validation token on average, None if the data does not say


def prepare(config: TrainConfig, path: str, workers: int) -> PreparedData:
    """`path`: a mix folder, or a run folder whose last mix is used.

    Raises ValueError if the config, the data and the number of workers do not fit together.
    """
    check_workers(config, workers)
    log.info("reading what the token data of %s holds", masked(path))
    data = TokenData.open(path)
    resolved = resolve(config, data)
    return PreparedData(resolved, data, data.fingerprint(), bytes_per_token(data))


def resolve(config: TrainConfig, data: TokenData) -> TrainConfig:
    """The config, with values from the data where it has None. Raises ValueError if the two do not fit, or the config
    not to itself."""
    config.schedule.check(config.steps)
    vocabulary = data.vocabulary if config.model.vocabulary is None else config.model.vocabulary
    length = data.sequence_length if config.sequence_length is None else config.sequence_length
    if data.vocabulary > vocabulary:
        raise ValueError(
            f"the tokenizer has {data.vocabulary:,} tokens, the model's vocabulary has room for {vocabulary:,}; raise "
            "it, or leave it out to use the tokenizer's"
        )
    if length > data.sequence_length:
        raise ValueError(
            f"sequence_length {length:,} is longer than the rows of the data ({data.sequence_length:,} tokens to "
            "predict); give at most that, or pack again with longer rows"
        )
    possible = data.steps(config.batch_rows)
    if config.steps > possible:
        raise ValueError(
            f"steps {config.steps:,} of {config.batch_rows:,} rows need {config.steps * config.batch_rows:,} rows, but "
            f"the data has {data.rows:,}; train for at most {possible:,} steps, or mix more tokens"
        )
    if not data.validation_rows:
        raise ValueError("the data has no validation rows; raise `validation` in `tokenize`, and run the recipe again")
    return replace(config, model=replace(config.model, vocabulary=vocabulary), sequence_length=length)


def check_workers(config: TrainConfig, workers: int) -> None:
    """Raises ValueError unless every process gets the same number of rows, at least one."""
    if workers < 1 or config.batch_rows % workers:
        possible = next((n for n in range(min(workers, config.batch_rows), 0, -1) if config.batch_rows % n == 0), 1)
        raise ValueError(
            f"batch_rows {config.batch_rows} cannot be shared evenly by {workers} workers; "
            f"give a multiple of the number of workers, or train with {possible}"
        )


def bytes_per_token(data: TokenData) -> float | None:
    """Of the whole validation split."""
    totals = data.validation_totals().values()
    size, tokens = (sum(source[kind] for source in totals) for kind in ("utf8_bytes", "tokens"))
    return size / tokens if size and tokens else None


def problem_with(read: Callable[[], object]) -> str:
    """What is wrong with the rows that are read; empty if nothing is."""
    try:
        read()
    except InputError as error:
        return str(error)
    return ""
