"""The token data that a model was trained on, as one process reads them again."""

from dataclasses import replace

from curation.core.errors import InputError
from training.config.run import Parallel
from training.data.check import PreparedData, prepare
from training.evaluate.trained import TrainedRun


def prepared_as_trained(run: TrainedRun, data: str) -> PreparedData:
    """The token data of a training. Raises InputError if others lie there."""
    other = f"{data} is not the token data that {run.folder} was trained on; give where they lie as --data"
    try:
        # One process has all of the model, whatever the layout of the training was.
        prepared = prepare(replace(run.config, parallel=Parallel(), micro_batch_rows=None), data, 1)
    except ValueError as error:
        raise InputError(f"{other} ({error})") from error
    if prepared.fingerprint != run.fingerprint:
        raise InputError(other)
    return prepared
