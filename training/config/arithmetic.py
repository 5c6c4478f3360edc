"""How the rows of an update are shared by workers and cut into micro-batches, and what does not divide."""

from collections.abc import Sequence

from curation.tokens.step_rows import SkippedWindow, StepRows
from training.config.layout import check_rounds, layout_of, least_workers
from training.config.run import TrainConfig


def step_rows(config: TrainConfig, skipped: Sequence[SkippedWindow] = ()) -> StepRows:
    """Which positions of the mix each update reads."""
    stages = tuple((stage.steps, stage.rows) for stage in config.batch_stages)
    return StepRows(config.batch_rows, stages, tuple((window.position, window.rows) for window in skipped))


def rate_of(config: TrainConfig, step: int) -> float:
    """The learning rate of an update, from 0."""
    return config.schedule.rate(step, steps=config.steps, peak=config.optimizer.learning_rate)


def parts_of_rows(config: TrainConfig, step: int) -> int:
    """How many shorter rows an update, from 0, makes of each."""
    for stage in config.length_stages:
        if step < stage.steps:
            return stage.parts
        step -= stage.steps
    return 1


def check_workers(config: TrainConfig, workers: int) -> None:
    """Raises ValueError, with the arithmetic, unless the layout is whole and every group of workers that reads rows of
    its own gets the same number of whole micro-batches."""
    readers = layout_of(config.parallel, workers).readers
    groups = f"{readers} workers" if readers == workers else f"{readers} groups of {workers // readers} workers"
    for rows in (config.batch_rows, *(stage.rows for stage in config.batch_stages)):
        _check_rows(config, rows, readers, groups)


def accepted_sizes(config: TrainConfig, least: int | None, workers: int) -> list[int]:
    """The numbers of workers from `least` to `workers` that can train, ascending; None: only `workers`.

    Raises ValueError if `workers` cannot, or nothing below it."""
    check_workers(config, workers)
    if least is not None and not 1 <= least <= workers:
        raise ValueError(f"{least} workers at least and {workers} at most do not go together; give 1 to {workers}")
    fewer = [size for size in range(least or workers, workers) if _accepts(config, size)]
    if least is not None and least < workers and not fewer:
        each = least_workers(config.parallel)
        raise ValueError(
            f"nothing from {least} to {workers - 1} workers can train, only {workers}: the axes of `parallel` take "
            f"{each}, and the groups that read rows must divide batch_rows {config.batch_rows}; give more workers, or "
            "do without fewer"
        )
    return [*fewer, workers]


def _accepts(config: TrainConfig, workers: int) -> bool:
    try:
        check_workers(config, workers)
    except ValueError:
        return False
    return True


def _check_rows(config: TrainConfig, rows: int, readers: int, groups: str) -> None:
    if rows % readers:
        possible = next((n for n in range(min(readers, rows), 0, -1) if rows % n == 0), 1)
        raise ValueError(
            f"batch_rows {rows} cannot be shared evenly by {groups}; give a multiple of {readers}, or train with "
            f"{possible}"
        )
    own = rows // readers
    micro = config.micro_batch_rows or own
    if own % micro:
        raise ValueError(
            f"batch_rows {rows} / {groups} = {own} rows each, which micro-batches of {micro} do not divide; "
            f"give micro_batch_rows of {next(n for n in range(min(micro, own), 0, -1) if own % n == 0)}"
        )
    check_rounds(config, own // micro)


def micro_batches(config: TrainConfig, own: int) -> int:
    """How many a worker makes of its `own` rows of an update."""
    return own // (config.micro_batch_rows or own)
