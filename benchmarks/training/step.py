"""How fast a step is: tokens a second, share of a GPU's peak, memory and waiting for data, beside public peers.

    python -m benchmarks training.step            on a GPU: presets, with and without compile, recompute and documents
    python -m benchmarks training.step --cpu      on a CPU: a small decoder beside a plain loop and transformers
    python -m benchmarks training.step --preset 1b --rows 16 --compile     one of them

Rows are of 2,048 random tokens (`--length`) in documents of 400 on average. MFU divides by the device's dense bfloat16
peak, "full" with all scores of attention as nanochat, OLMo-core and torchtitan count, "causal" with the half that the
mask leaves. On CPUs all three train the same weights on the same rows; the losses after the last step must agree.
It needs neither Ray nor token shards, and torch from 2.11 on.
"""

import argparse
import contextlib
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import Dataset

from benchmarks.case import AbsentError, Case, DisagreementError, Figures, Timed, package
from curation.core.errors import InputError
from training.batch import Batch, Row, SpecialIds
from training.config.run import Parallel, TrainConfig
from training.data.prefetch import Prefetch
from training.metrics.flops import peak_flops, row_flops
from training.models.decoder import Decoder
from training.models.folder_writer import WholeWeights, export
from training.objectives.causal import Causal
from training.optim.adamw import Adamw
from training.parallel.mesh import Worker, worker_group
from training.step import Step
from training.trainable import Trainable
from training.trainee import new_trainee

VOCABULARY = 32_768
PRESETS = {"125m": 32, "350m": 16, "1b": 16}  # rows of a micro-batch
WARM = 3  # steps before the clock starts
RATE = 3e-4


def batches(config: TrainConfig, step: int, device: torch.device) -> list[Batch]:
    """The rows of a step of one process, in micro-batches."""
    assert config.sequence_length
    assert config.model.vocabulary
    length = config.sequence_length
    rng = np.random.default_rng((config.seed, step))
    tokens = rng.integers(1, config.model.vocabulary, (config.batch_rows, length + 1)).astype(np.uint16)
    tokens[rng.random(tokens.shape) < 1 / 400] = 0
    segments = (1 + np.cumsum(tokens == 0, axis=1) - (tokens == 0)).astype(np.int32)
    ids = SpecialIds(config.model.vocabulary, 0, 1, {})
    rows = [Row(*row, config.documents_apart, ids) for row in zip(tokens, segments, strict=True)]
    examples = [config.objective.example(row, rng) for row in rows]
    each = config.micro_batch_rows or config.batch_rows
    cut = [Batch.of(examples[at : at + each], together=not config.documents_apart) for at in range(0, len(rows), each)]
    return [batch.pinned() for batch in cut] if device.type == "cuda" else cut


def trained(config: TrainConfig, worker: Worker, steps: int) -> dict[str, Any]:
    """Figures of so many steps after the first few."""
    assert config.sequence_length
    device = worker.device
    trainee = new_trainee(config, worker)
    step = Step(trainee, config, worker)
    ahead = Prefetch(partial(batches, config, device=device), 0, WARM + steps)
    began = 0.0
    for number in range(WARM + steps):
        if number == WARM:
            _wait(device)
            ahead.waited = 0.0
            began = time.perf_counter()
        step.run(ahead.take(), RATE)
    _wait(device)
    seconds = time.perf_counter() - began
    ahead.close()
    tokens = steps * config.batch_rows * config.sequence_length / seconds
    shape = config.objective.shape(config.sequence_length)
    each = [row_flops(trainee.model, shape, halved=halved) / config.sequence_length for halved in (False, True)]
    peak = peak_flops(device)
    used = [f"{100 * tokens * flops / peak:.1f} %" if peak else None for flops in each]
    size = torch.cuda.max_memory_allocated() if device.type == "cuda" else _resident()
    return {
        "parameters": sum(weight.numel() for weight in trainee.model.parameters()),
        "tokens/s": tokens,
        "MFU, full": used[0],
        "MFU, causal": used[1],
        "GiB at most": size / 2**30,
        "waits for data": f"{100 * ahead.waited / seconds:.2f} %",
    }


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def configured(preset: str, rows: int, length: int, **changes: Any) -> TrainConfig:
    """One process, one micro-batch a step."""
    return TrainConfig(
        objective=Causal(),
        model=Decoder(preset=preset, vocabulary=VOCABULARY),
        optimizer=Adamw(learning_rate=RATE),
        batch_rows=rows,
        sequence_length=length,
        parallel=Parallel(zero=2),
        **changes,
    )


def on_gpu(options: argparse.Namespace) -> Iterator[Figures]:
    rows: dict[str, Any] = {}
    presets = {options.preset: options.rows or PRESETS.get(options.preset, 8)} if options.preset else PRESETS
    for preset, count in presets.items():
        plain = configured(preset, options.rows or count, options.length)
        ways = {
            "eager": plain,
            "compiled": replace(plain, compile=True),
            "compiled, selective recompute": replace(plain, compile=True, recompute="selective"),
            "compiled, documents apart": replace(plain, compile=True, documents_apart=True),
            "compiled, fp8": replace(plain, compile=True, precision="fp8"),
        }
        for name, config in ways.items():
            if options.compile and name != "compiled":
                continue
            rows[f"{preset}: {name}"] = _measured(config, options.steps)
    note = f"{torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}"
    yield Figures("A step on one GPU, bfloat16, AdamW", rows, (note,))


def _measured(config: TrainConfig, steps: int) -> dict[str, Any]:
    torch.cuda.reset_peak_memory_stats()
    torch._dynamo.reset()
    try:
        with worker_group() as worker:
            return trained(config, worker, steps)
    except torch.OutOfMemoryError:
        return {"tokens/s": "out of memory"}
    except InputError as error:
        return {"tokens/s": f"skipped: {error}"}
    finally:
        torch.cuda.empty_cache()


def on_cpu(options: argparse.Namespace) -> Iterator[Case]:
    """The median of three rounds on one thread each; a round begins with the same weights."""
    config = configured("10m", options.rows or 4, min(options.length, 256))
    steps = range(options.steps)
    data = [batches(config, step, torch.device("cpu")) for step in steps]
    tokens = options.steps * config.batch_rows * config.sequence_length

    def case(name: str, called: str, peer: Callable[[], Timed]) -> Case:
        return Case(
            name=name,
            amounts={"tokens": tokens},
            ours=partial(ours, config, data),
            peer=peer,
            called=called,
            peer_rounds=3,
            agree=alike,
            clock=time.perf_counter,
            packages=("torch", "transformers"),
        )

    yield case("a step beside a plain loop", "plain torch", partial(plain, config, data))
    yield case("a step beside a trainer", "transformers", partial(transformers_trainer, config, data))


def ours(config: TrainConfig, data: Sequence[list[Batch]]) -> Timed:
    """The loss of the last step."""
    with worker_group() as worker:
        step = Step(new_trainee(config, worker), config, worker)
        began = time.perf_counter()
        losses = [step.run(rows, RATE).loss for rows in data]
        return Timed(float(losses[-1]), time.perf_counter() - began)


def plain(config: TrainConfig, data: Sequence[list[Batch]]) -> Timed:
    """The same model, with all logits at once, in the shortest loop that trains it."""
    model = begun(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.1)
    loss = torch.zeros(())
    began = time.perf_counter()
    for (batch,) in data:
        loss = F.cross_entropy(model.logits(batch).flatten(0, 1), batch.labels.flatten())
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return Timed(float(loss.detach()), time.perf_counter() - began)


def begun(config: TrainConfig) -> Trainable:
    with worker_group() as worker:
        return new_trainee(config, worker).model


def transformers_trainer(config: TrainConfig, data: Sequence[list[Batch]]) -> Timed:
    """`Trainer` of transformers with its Llama of the same weights. The loss that it logs is that of the last step."""
    peer = package("transformers")
    package("accelerate")  # which its Trainer needs
    rows = [
        {"input_ids": inputs, "labels": inputs, "shift_labels": labels}
        for (batch,) in data
        for inputs, labels in zip(batch.inputs, batch.labels, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        export(WholeWeights.of(begun(config)), config.model, folder)
        model = peer.AutoModelForCausalLM.from_pretrained(folder)
        settings = peer.TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=config.batch_rows,
            max_steps=len(data),
            learning_rate=RATE,
            lr_scheduler_type="constant",
            adam_beta2=0.95,
            weight_decay=0.1,
            logging_steps=1,
            logging_strategy="steps",
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=False,
            dataloader_drop_last=True,
        )
        trainer = peer.Trainer(model, settings, train_dataset=InOrder(rows))
        trainer._get_train_sampler = lambda *_: None  # in their order
        began = time.perf_counter()
        with contextlib.redirect_stdout(None):
            trainer.train()
        seconds = time.perf_counter() - began
        return Timed([entry["loss"] for entry in trainer.state.log_history if "loss" in entry][-1], seconds)


class InOrder(Dataset[dict[str, Tensor]]):
    """Rows."""

    def __init__(self, rows: Sequence[dict[str, Tensor]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> dict[str, Tensor]:
        return self._rows[number]


def alike(one: float, other: float) -> str:
    if abs(one - other) > 1e-2:
        raise DisagreementError(f"losses of {one:.4f} and {other:.4f}")
    return f"last losses {one:.4f} and {other:.4f}"


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    if options.cpu:
        torch.set_num_threads(1)
        yield from on_cpu(options)
    elif torch.cuda.is_available():
        yield from on_gpu(options)
    else:
        raise AbsentError("no GPU is here; add --cpu")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cpu", action="store_true", help="a small decoder on a CPU, beside its peers")
    parser.add_argument("--preset", help="one preset of the decoder alone")
    parser.add_argument("--compile", action="store_true", help="the compiled way alone")
    parser.add_argument("--rows", type=int, help="of a step")
    parser.add_argument("--length", type=int, default=2048, help="tokens of a row")
    parser.add_argument("--steps", type=int, default=10, help="that are timed")
