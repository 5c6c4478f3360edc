"""Pipeline parallelism: processes have consecutive blocks each, and pass on the residual stream of micro-batches.

The stages are cut out of the one model, whose weights keep their names; what a stage computes with them is what the
whole model does. Who computes which micro-batch when is a schedule of torch.distributed.pipelining:

gpipe                    Huang et al. 2019, "GPipe" (arXiv:1811.06965)
1f1b, interleaved_1f1b   Narayanan et al. 2021, "Megatron-LM" (arXiv:2104.04473), section 2.2
interleaved_zero_bubble, zbv    Qi et al. 2023, "Zero Bubble Pipeline Parallelism" (arXiv:2401.10241)
dualpipev                Liu et al. 2024, "DeepSeek-V3" (arXiv:2412.19437), section 3.2.1, in its V shape
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import PipelineScheduleSingle, get_schedule_class

from training.batch import Batch
from training.config.layout import SPLIT, ProcessLayout, parts_of, stages_of
from training.config.run import TrainConfig
from training.parallel.mesh import Worker
from training.parallel.sharded import reshard
from training.trainable import Losses, Trainable

_NAMES = {
    "gpipe": "GPipe",
    "1f1b": "1F1B",
    "interleaved_1f1b": "Interleaved1F1B",
    "interleaved_zero_bubble": "InterleavedZeroBubble",
    "zbv": "ZBVZeroBubble",
    "dualpipev": "DualPipeV",
}


class PipelinePart(nn.Module):
    """One stage: its blocks, and what is before the first or after the last one of the model."""

    def __init__(self, model: Trainable, blocks: Sequence[str], stage: int, stages: int) -> None:
        super().__init__()
        self.stage = stage
        self.first = stage == 0
        self.last = stage == stages - 1
        self.numbers = [int(name) for name in blocks]
        self.blocks = nn.ModuleList(model.blocks.get_submodule(name) for name in blocks)
        names = (*(model.entrance if self.first else ()), *(model.exit if self.last else ()))
        for name in names:
            self.add_module(name, getattr(model, name))
        self.whole = [model]  # in a list, because all of its weights are not this part's
        self.batches: Sequence[Batch] = ()
        self.factor: Tensor | None = None
        self.found: list[Losses] = []

    def forward(self, x: Tensor, number: Tensor) -> Tensor:
        """`x`: what the stage before gives of micro-batch `number`, int64[1]; of the first stage ignored. The last one
        gives the loss, float32[1]."""
        model = self.whole[0]
        batch = self.batches[int(number)]
        stream = model.enter(batch) if self.first else x
        stream = model.through(stream, batch, zip(self.numbers, self.blocks, strict=True))
        if not self.last:
            return stream
        losses = model.leave(stream, batch)
        self.found.append(Losses(losses.total.detach(), losses.nats, losses.parts))
        total = losses.total if self.factor is None else losses.total * self.factor
        return total.view(1)


class PipelinedPasses:
    """Passes of micro-batches through all stages; every process of the pipeline calls it together."""

    def __init__(
        self, parts: Sequence[PipelinePart], schedule: str, worker: Worker, compute: torch.dtype | None
    ) -> None:
        """`compute`: the type of the stream, None: as weights are."""
        self._parts = parts
        self._schedule = schedule
        self._worker = worker
        self._dtype = compute or torch.float32
        self._made: dict[tuple[int, ...], Any] = {}

    def gradients(self, batches: Sequence[Batch], factor: Tensor) -> list[Losses]:
        """As in `Passes`."""
        self._begin(batches, factor)
        key = (len(batches), *batches[0].inputs.shape)
        schedule = self._made.get(key)
        if schedule is None:
            schedule = self._made[key] = self._new(*key)
        numbers = torch.arange(len(batches))
        schedule.step(numbers, target=numbers, return_outputs=False, number=numbers)
        return self._found(batches)

    def losses(self, batches: Sequence[Batch]) -> list[Losses]:
        """As in `Passes`. Each stage takes all micro-batches before this process's next one, because torch's schedules
        in a V wait for gradients even where there are none (torch 2.13)."""
        self._begin(batches, None)
        group = self._worker.pipeline.get_group()
        processes = self._worker.layout.pipeline
        rank = self._worker.pipeline.get_local_rank()
        home = {stage: one for one in range(processes) for stage in parts_of(self._schedule, processes, one)}
        rows, length = batches[0].inputs.shape
        kept: list[Tensor] = []  # what this process's stage before gives to the next one
        sending = []
        for part in self._parts:
            before, after = (home.get(part.stage + step) for step in (-1, 1))
            comes = before not in (None, rank)
            came = kept if before == rank else [self._stream(rows, length, self._worker.device) for _ in batches]
            # All are asked for before one is sent: two processes' NCCL calls run in order, and each would wait to send.
            waiting = [dist.irecv(stream, group=group, group_src=before) for stream in came if comes]
            kept = []
            for number in range(len(batches)):
                if comes:
                    waiting[number].wait()  # type: ignore[union-attr]
                given = part(came[number], torch.tensor([number])).contiguous()
                if after == rank:
                    kept.append(given)
                elif after is not None:
                    sending.append((given, dist.isend(given, group=group, group_dst=after)))
            reshard(part)
        for _, sent in sending:
            sent.wait()  # type: ignore[union-attr]
        return self._found(batches)

    def _begin(self, batches: Sequence[Batch], factor: Tensor | None) -> None:
        for part in self._parts:
            part.batches = batches
            part.factor = factor
            part.found = []

    def _found(self, batches: Sequence[Batch]) -> list[Losses]:
        last = next((part for part in self._parts if part.last), None)
        return last.found if last else [_nothing(batch) for batch in batches]

    def _stream(self, rows: int, length: int, device: torch.device | str) -> Tensor:
        width = self._parts[0].whole[0].width
        return torch.empty(rows, length // self._worker.layout.tensor, width, dtype=self._dtype, device=device)

    def _new(self, count: int, rows: int, length: int) -> Any:
        layout = self._worker.layout
        stages = stages_of(self._schedule, layout.pipeline)
        stream = self._stream(rows, length, "meta").requires_grad_()
        held: Any = [
            PipelineStage(
                part,
                part.stage,
                stages,
                self._worker.device,
                input_args=torch.empty(1, dtype=torch.int64, device="meta") if part.first else stream,
                output_args=torch.empty(1, device="meta", requires_grad=True) if part.last else stream,
                group=self._worker.pipeline.get_group(),
            )
            for part in self._parts
        ]
        kind: Any = get_schedule_class(_NAMES[self._schedule])
        held = held[0] if issubclass(kind, PipelineScheduleSingle) else held
        return kind(held, count, loss_fn=lambda output, target: output.sum(), scale_grads=False)


def check_pipeline(model: Trainable, config: TrainConfig, layout: ProcessLayout) -> None:
    """Raises ValueError, in words, for a model that cannot be cut so, and what a schedule does not go with."""
    how = config.parallel
    stages = stages_of(how.schedule, layout.pipeline)
    if not model.exit:
        raise ValueError(
            f"parallel.pipeline {layout.pipeline} cuts decoders only, whose blocks pass on one stream; take a decoder, "
            "or parallel.pipeline 1"
        )
    if not set(model.entrance).isdisjoint(model.exit):
        raise ValueError(
            "the first and the last stage of a pipeline would share the embedding; write tied_embeddings: false, or "
            "parallel.pipeline 1"
        )
    if stages > len(model.blocks):
        raise ValueError(
            f"parallel.pipeline {layout.pipeline} with the schedule {how.schedule} has {stages} stages, but the model "
            f"has {len(model.blocks)} layers; give at least a layer for each stage"
        )
    if how.schedule in SPLIT and how.zero == 3 and layout.shard * layout.context > 1:
        raise ValueError(
            f"the schedule {how.schedule} takes backward passes apart, for which weights must stay gathered, and zero "
            "3 lets them go between passes; write zero: 2, or schedule: 1f1b"
        )
    if config.recompute == "selective" and how.schedule in SPLIT:
        raise ValueError(
            f"the schedule {how.schedule} takes backward passes apart, and what selective recompute keeps serves one "
            "backward pass; write recompute: full or none, or schedule: 1f1b"
        )
    if config.compile and how.schedule in SPLIT:
        raise ValueError(
            f"the schedule {how.schedule} takes backward passes apart, which compiled blocks do not allow (pytorch "
            "#161904); write compile: false, or schedule: 1f1b"
        )


def cut(model: Trainable, config: TrainConfig, layout: ProcessLayout, rank: int) -> list[PipelinePart]:
    """The parts that process `rank` of the pipeline has; the model, on the meta device, loses all others."""
    stages = stages_of(config.parallel.schedule, layout.pipeline)
    names = [name for name, _ in model.blocks.named_children()]
    parts = []
    for stage in parts_of(config.parallel.schedule, layout.pipeline, rank):
        blocks = names[stage * len(names) // stages : (stage + 1) * len(names) // stages]
        parts.append(PipelinePart(model, blocks, stage, stages))
    kept = {str(number) for part in parts for number in part.numbers}
    for name in names:
        if name not in kept:
            del model.blocks._modules[name]
    model.begins = any(part.first for part in parts)
    model.ends = any(part.last for part in parts)
    for name in (*(() if model.begins else model.entrance), *(() if model.ends else model.exit)):
        setattr(model, name, None)
    return parts


def _nothing(batch: Batch) -> Losses:
    zero = torch.zeros((), device=batch.inputs.device)
    return Losses(zero, zero.expand(len(batch.inputs)), {})
