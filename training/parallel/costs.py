"""What a layout costs, told before a training starts: the bytes that a process sends in a step for each axis, and the
memory that its weights, gradients and moments take.

Bytes are those of the best known algorithms, as the papers count them; the module of each axis names its paper.
"""

from math import prod

from training.config.arithmetic import micro_batches
from training.config.layout import ProcessLayout, bubble, stages_of
from training.config.run import TrainConfig
from training.parallel.sharded import shards_sent
from training.roles import Purpose
from training.trainable import Trainable

STATE = 16  # bytes of a parameter: weight, gradient and two moments in float32
UNITS = {"GiB": 1 << 30, "MiB": 1 << 20, "KiB": 1 << 10}  # the largest first


def costs(config: TrainConfig, model: Trainable, layout: ProcessLayout, compute: int) -> list[str]:
    """A line for each axis that is used, and one for the memory; `compute`: bytes of a number in blocks."""
    rounds = micro_batches(config, config.batch_rows // layout.readers)
    sent = bytes_sent(config, model, layout, compute)
    lines = [
        f"parallel.{name} {size}: a process sends {as_bytes(sent[name])} a step"
        for name, size in layout._asdict().items()
        if size > 1
    ]
    if layout.pipeline > 1:
        share = bubble(layout.pipeline, rounds)
        lines.append(
            f"a process of the pipeline waits for {share:.1%} of the time, as ({layout.pipeline} - 1) / ({rounds} "
            f"micro-batches + {layout.pipeline} - 1), or less with a schedule of several stages each"
        )
    memory = as_bytes(STATE * held_parameters(model, layout))
    return [*lines, f"weights, gradients and moments take {memory} in each of {layout.workers} processes"]


def bytes_sent(config: TrainConfig, model: Trainable, layout: ProcessLayout, compute: int) -> dict[str, int]:
    """That a process sends in a step along each axis; 0 for axes that are not used."""
    assert config.sequence_length
    rows = config.batch_rows // layout.readers
    rounds = micro_batches(config, rows)
    places = rows * config.sequence_length // layout.context
    stages = stages_of(config.parallel.schedule, layout.pipeline)
    weights = held_parameters(model, layout._replace(shard=1, context=1))
    shards = layout.shard * layout.context
    keys = sum(size.layers * size.kv_width for size in model.attentions())
    halves = [
        model.get_parameter(name).shape[0]
        for name, role in model.roles().items()
        if (role.part, role.split) == (Purpose.HIDDEN, "row")
    ]
    stream = places * compute  # bytes of one number at each of a process's places
    return {
        # The stream to the next stage, its gradient back.
        "pipeline": 2 * stream * model.width // layout.tensor * (stages // layout.pipeline),
        # A sum of gradients, in float32.
        "replicate": 2 * 4 * (weights // shards) * (layout.replicate - 1) // layout.replicate,
        "shard": shards_sent(weights, shards, config.parallel.zero, rounds, compute),
        # Keys and values to all others that share rows, their gradients back.
        "context": 4 * stream * keys * (layout.context - 1) // (layout.tensor * layout.pipeline),
        # Each half of a block, and embedding and loss once, gather and add up, forward and backward.
        "tensor": 4 * stream * sum(halves + halves[:1]) * (layout.tensor - 1) // layout.tensor // layout.pipeline,
    }


def as_bytes(count: float) -> str:
    """With a unit that leaves digits before the point."""
    name, size = next((one for one in UNITS.items() if count >= one[1]), ("KiB", UNITS["KiB"]))
    return f"{count / size:,.1f} {name}"


def held_parameters(model: Trainable, layout: ProcessLayout) -> int:
    """How many numbers of the model's parameters a process keeps, on average over the stages of a pipeline."""
    roles = model.roles()
    sizes = {name: prod(parameter.shape) for name, parameter in model.named_parameters()}
    split = sum(size for name, size in sizes.items() if roles[name].split)
    whole = sum(sizes.values()) - split
    return (split // layout.tensor + whole) // (layout.shard * layout.context * layout.pipeline)
