"""What result.json holds."""

from training.data.check import PreparedData
from training.metrics.records import Record
from training.parallel.mesh import Worker
from training.trainee import Trainee


def result_of(
    validation: Record,
    steps: int,
    tokens: int,
    trainee: Trainee,
    worker: Worker,
    prepared: PreparedData,
    data: str,
) -> Record:
    """`validation`: its last record; `tokens`: that the steps read, padding included; `data`: where it is."""
    return {
        "validation_loss": validation.pop("loss"),
        **validation,
        "steps": steps,
        "tokens": tokens,
        "parameters": sum(parameter.numel() for parameter in trainee.whole.parameters()),
        "world_size": worker.world_size,
        "data": data,
        "data_fingerprint": prepared.fingerprint,
    }
