"""How the rows of an update are shared by workers and cut into micro-batches, and what does not divide."""

from training.config.run import TrainConfig


def check_workers(config: TrainConfig, workers: int) -> None:
    """Raises ValueError, with the arithmetic, unless every worker gets the same number of whole micro-batches."""
    rows = config.batch_rows
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
    if workers % config.parallel.replicate:
        raise ValueError(
            f"parallel.replicate {config.parallel.replicate} does not divide the {workers} workers into equal groups"
        )


def micro_batches(config: TrainConfig, workers: int) -> int:
    """Of a worker in an update; the numbers fit together."""
    own = config.batch_rows // workers
    return own // (config.micro_batch_rows or own)
