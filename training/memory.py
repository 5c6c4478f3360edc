"""The memory of a process of a training, estimated before it starts: weights, gradients, moments and activations.

Activations are counted, not guessed: a micro-batch passes the model forward and backward on tensors that have shapes
and no numbers, with one block and with two, and every allocation is added up. All else follows from what each axis
keeps where (see `training.parallel`). `python -m benchmarks training.memory` compares with the allocator's peak. What
is not counted: the libraries, what fragments leave, and buffers of NCCL; `USABLE` leaves room for them.

Sources of what waits in a pipeline: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2; Qi et al. 2024, "Zero Bubble
Pipeline Parallelism" (arXiv:2401.10241); DeepSeek-AI 2024, "DeepSeek-V3" (arXiv:2412.19437), table 2.
"""

import weakref
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from training.batch import Batch, Example, Kind, Row, SpecialIds
from training.config.arithmetic import micro_batches
from training.config.layout import ProcessLayout
from training.config.run import TrainConfig
from training.models.blocks.cross_entropy import CHUNK
from training.optim.updates import Updates
from training.parallel.recompute import recompute
from training.trainable import Trainable

USABLE = 0.9  # of a device's memory
FLOAT = 4  # bytes of a weight, a gradient and a moment


class ProcessMemory(NamedTuple):
    """Bytes of one process at most, over the processes of a pipeline."""

    weights: float
    gradients: float
    moments: float
    gathered: float  # weights of others, in the format that blocks compute in, and sums of gradients on their way
    activations: float  # with what is used for a moment

    @property
    def total(self) -> float:
        return sum(self)


class _Pass(NamedTuple):
    """What a micro-batch and an update take in a model of some blocks; bytes but for the weights."""

    weights: float  # numbers
    moments: float
    activations: float


class _Allocations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds up the storages that are alive."""

    def __init__(self, known: list[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._alive: dict[int, object] = {tensor.untyped_storage()._cdata: None for tensor in known}
        self._now = 0
        self.peak = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(found):
            if isinstance(tensor, Tensor):
                self._count(tensor.untyped_storage())
        return found

    def _count(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key not in self._alive:
            size = storage.nbytes()
            self._alive[key] = weakref.finalize(storage, self._free, key, size)
            self._now += size
            self.peak = max(self.peak, self._now)

    def _free(self, key: int, size: int) -> None:
        del self._alive[key]
        self._now -= size


class _FusedNorm(torch.autograd.Function):
    """What a GPU's norm keeps: a CPU's computes in float32 and keeps that too."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, x: Tensor) -> Tensor:
        ctx.save_for_backward(weight, x, x.new_empty(x.shape[:-1], dtype=torch.float32))
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch.empty_like(one) for one in ctx.saved_tensors[:2])


class StepMemory:
    """The memory of a config under many layouts; `compute`: as in `training.precision.policy.Policy`."""

    def __init__(self, config: TrainConfig, compute: torch.dtype | None, *, on_gpu: bool) -> None:
        """`config` as resolved by `training.data.check`."""
        self._on_gpu = on_gpu
        self._config = config
        self._compute = compute
        self._size = compute.itemsize if compute else FLOAT
        self._layers = int(getattr(config.model, "layers", 1))
        self._passes: dict[tuple[str, int, int], _Pass] = {}
        self._small = self._model(1)

    def of(self, config: TrainConfig, layout: ProcessLayout) -> ProcessMemory:
        """`config` differs from the first one in layout, recompute and micro-batches alone."""
        assert config.sequence_length
        own = config.batch_rows // layout.readers
        rounds = micro_batches(config, own)
        rows = own // rounds
        length = config.sequence_length // layout.context
        layers = -(-self._layers // layout.pipeline)
        root, block = self._ends(config.recompute, rows * length)
        shards = layout.shard * layout.context
        here = (root.weights + layers * block.weights) / layout.tensor
        kept = FLOAT * here / shards
        whole = kept if config.parallel.zero > 1 else FLOAT * here
        inside = block.activations / layout.tensor + self._sent(config, rows * length, layout)
        waiting = layers * inside * _waiting(config, layout, rounds)
        activations = root.activations + waiting
        if rounds == 1:
            # Gradients come as activations go, and are all there when the first block, made anew, is passed back.
            _, made = self._ends("none", rows * length)
            activations = max(activations - whole, made.activations / layout.tensor)
        moments = (root.moments + layers * block.moments) / layout.tensor / shards
        again = 2 * kept if config.optimizer.again else 0.0
        waits = 0.0 if config.parallel.offload else 1.0
        gathered = self._gathered(config, layout, here, (root.weights, block.weights))
        return ProcessMemory(waits * kept, waits * whole, waits * (moments + again), gathered, activations)

    def _gathered(self, config: TrainConfig, layout: ProcessLayout, here: float, numbers: tuple[float, float]) -> float:
        """At stage 3 the root and two blocks, the one at work and the next; below, all that the process computes with.
        Gradients are summed up in float32, of one block at a time."""
        if layout.workers == 1 and self._compute is None and not config.parallel.offload:
            return 0.0
        root, block = (number / layout.tensor for number in numbers)
        shards = layout.shard * layout.context
        again = config.parallel.zero == 3 and shards > 1
        return self._size * (root + 2 * block if again else here) + FLOAT * block * (1 + 1 / shards)

    def _sent(self, config: TrainConfig, places: int, layout: ProcessLayout) -> float:
        """Bytes that a block keeps of what others sent: all places before its two halves where matrices are split, and
        the keys and values of all places where rows are."""
        model = self._small
        if config.recompute == "full":
            return 0.0
        heads = sum(size.layers * size.kv_width for size in model.attentions()) / max(len(model.blocks), 1)
        keys = 2 * heads * (layout.context - 1) / layout.tensor
        streams = 2 * model.width * (1 - 1 / layout.tensor) if config.recompute == "none" else 0.0
        return places * self._size * (keys + streams)

    def _ends(self, how: str, places: int) -> tuple[_Pass, _Pass]:
        """Of all but blocks, and of one block. What a block takes grows with the places. All else is counted at one,
        two, four … rows, up to those from which the logits of a chunk stay as many, and is a line between these."""
        assert self._config.sequence_length
        length = self._config.sequence_length
        one, two = (self._pass(how, 1, layers) for layers in (1, 2))
        each = _Pass(*(b - a for a, b in zip(one, two, strict=True)))
        rows = places / length
        low = min(1 << max(int(rows), 1).bit_length() - 1, 1 << (8 * CHUNK // length).bit_length())
        first, last = (
            self._pass(how, count, 1).activations - count * each.activations
            for count in (low, low if rows == low else 2 * low)
        )
        rest = first + (last - first) * (rows / low - 1)
        root = _Pass(one.weights - each.weights, one.moments - each.moments, max(rest, 0.0))
        return root, each._replace(activations=rows * each.activations)

    def _model(self, layers: int) -> Trainable:
        architecture: Any = self._config.model
        assert architecture.vocabulary
        if hasattr(architecture, "layers"):
            architecture = replace(architecture, layers=layers)
        with torch.device("meta"):
            model: Trainable = architecture.build(architecture.vocabulary)
        return model

    def _pass(self, how: str, rows: int, layers: int) -> _Pass:
        key = (how, rows, layers)
        if key not in self._passes:
            self._passes[key] = self._counted(*key)
        return self._passes[key]

    def _counted(self, how: str, rows: int, layers: int) -> _Pass:
        config = self._config
        assert config.sequence_length
        model = self._model(layers)
        recompute(model, how)
        examples = [_example(config, config.sequence_length)] * rows
        # A GPU keeps no mask of these: documents are joined, and of other masks it has whole blocks.
        plain = config.objective.kind is Kind.PLAIN and not config.documents_apart
        unmasked = self._on_gpu and config.objective.kind in (Kind.PLAIN, Kind.PREFIXED)
        keys = [0] * rows if getattr(config.model, "dropout", 0.0) else None
        numbers = sum(parameter.numel() for parameter in model.parameters())
        with FakeTensorMode(allow_non_fake_inputs=True):
            moments = _moments(config, _filled(model, torch.float32))
            parameters = list(_filled(model, self._compute or torch.float32).parameters())
            for module in model.modules() if self._on_gpu else ():
                if isinstance(module, nn.RMSNorm):
                    module.forward = partial(_FusedNorm.apply, module.weight)  # type: ignore[method-assign]
            for parameter in parameters:
                parameter.grad = torch.empty_like(parameter)
            batch = Batch.of(examples, together=unmasked or plain, keys=keys)
            batch = replace(batch, seen=None) if unmasked else batch
            with _Allocations([*parameters, *(one.grad for one in parameters if one.grad is not None)]) as counted:
                torch.autograd.backward(model(batch).total)
        return _Pass(numbers, moments, counted.peak)


def _filled(model: Trainable, kind: torch.dtype) -> Trainable:
    """With weights of a type on the CPU, whose kernels of attention keep no scores; in place."""
    made: dict[int, nn.Parameter] = {}
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            new = made.setdefault(id(parameter), nn.Parameter(torch.empty(parameter.shape, dtype=kind, device="cpu")))
            setattr(module, name, new)
    return model


def _moments(config: TrainConfig, model: Trainable) -> float:
    """Bytes that the optimizer keeps from one update to the next."""
    optimizer = config.optimizer.build(model)
    for parameter in model.parameters():
        parameter.grad = torch.empty_like(parameter)
    if isinstance(optimizer, Updates):
        optimizer.weights()
    else:
        optimizer.step()
    kept = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, Tensor)]
    return float(sum(value.numel() * value.element_size() for value in kept))


def _waiting(config: TrainConfig, layout: ProcessLayout, rounds: int) -> float:
    """For how many micro-batches the first process of a pipeline keeps activations."""
    processes = layout.pipeline
    schedule = config.parallel.schedule
    if processes == 1:
        return 1.0
    if schedule == "gpipe":
        return float(rounds)
    extra = 1.0 if schedule == "dualpipev" else 0.0
    if schedule.startswith("interleaved"):
        extra = (processes - 1) / 2
    return min(float(rounds), processes + extra)


def _example(config: TrainConfig, length: int) -> Example:
    """Of a row without content."""
    vocabulary = config.model.vocabulary
    assert vocabulary
    words = np.ones(vocabulary, bool)
    named = {name: 2 + number for number, name in enumerate(config.objective.special(length))}
    ids = SpecialIds(vocabulary, 0, 1, named, words, words)
    segments = np.ones(length + 1, np.int32)
    row = Row(np.full(length + 1, 2, np.uint32), segments, config.documents_apart, ids)
    return config.objective.example(row, np.random.default_rng(0))
