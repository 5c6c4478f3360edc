"""How the rows of an update are shared by workers and cut into micro-batches, and what does not divide."""

from curation.tokens.shards import StepRows
from training.config.run import TrainConfig


def step_rows(config: TrainConfig) -> StepRows:
    """Which positions of the mix each update reads."""
    return StepRows(config.batch_rows, tuple((stage.steps, stage.rows) for stage in config.batch_stages))


def parts_of_rows(config: TrainConfig, step: int) -> int:
    """How many shorter rows an update, from 0, makes of each."""
    for stage in config.length_stages:
        if step < stage.steps:
            return stage.parts
        step -= stage.steps
    return 1


def check_workers(config: TrainConfig, workers: int) -> None:
    """Raises ValueError, with the arithmetic, unless every worker gets the same number of whole micro-batches."""
    for rows in (config.batch_rows, *(stage.rows for stage in config.batch_stages)):
        _check_rows(config, rows, workers)
    if workers % config.parallel.replicate:
        raise ValueError(
            f"parallel.replicate {config.parallel.replicate} does not divide the {workers} workers into equal groups"
        )


def _check_rows(config: TrainConfig, rows: int, workers: int) -> None:
    if workers < 1 or rows % workers:
        possible = next((n for n in range(min(workers, rows), 0, -1) if rows % n == 0), 1)
        raise ValueError(
            f"batch_rows {rows} cannot be shared evenly by {workers} workers; give a multiple of the number of "
            f"workers, or train with {possible}"
        )
    own = rows // workers
    micro = config.micro_batch_rows or own
    if own % micro:
        raise ValueError(
            f"batch_rows {rows} / {workers} workers = {own} rows each, which micro-batches of {micro} do not divide; "
            f"give micro_batch_rows of {next(n for n in range(min(micro, own), 0, -1) if own % n == 0)}"
        )


def micro_batches(config: TrainConfig, own: int) -> int:
    """How many a worker makes of its `own` rows of an update."""
    return own // (config.micro_batch_rows or own)
