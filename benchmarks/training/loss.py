"""The loss of a step and its gradients: time and memory beside all logits at once, and beside liger's fused loss.

    python -m benchmarks training.loss             32,768 labels on a GPU, 2,048 on a CPU
    python -m benchmarks training.loss --labels 65536

Width 2,048 and a vocabulary of 32,768, in bfloat16 on a GPU and float32 on a CPU, where liger does not run. Times are
the median of ten; memory is what a call needs beside what it is given. Gradients must differ from those of all logits
by less than the format's steps.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.case import AbsentError, DisagreementError, Figures, package
from training.batch import Batch
from training.models.blocks.cross_entropy import losses

WIDTH = 2048
VOCABULARY = 32_768
ROUNDS = 10
Loss: TypeAlias = Callable[[Tensor, Tensor, Tensor], Tensor]  # hidden [N, D], weight [V, D], labels [N] -> their sum


def ours(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    weights = torch.ones_like(labels, dtype=torch.float32)[None]
    return losses(
        hidden[None], weight, Batch(inputs=labels[None], labels=labels[None], weights=weights, segments=None)
    ).total


def plain(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy((hidden @ weight.T).float(), labels, reduction="sum")


def liger(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    if not hidden.is_cuda:
        raise AbsentError("liger's loss needs a GPU")
    peer = package("liger_kernel.transformers", "liger-kernel").LigerFusedLinearCrossEntropyLoss
    total: Tensor = peer(reduction="sum", accum_dtype=torch.float32)(weight, hidden, labels)
    return total


def measured(loss: Loss, hidden: Tensor, weight: Tensor, labels: Tensor) -> tuple[dict[str, Any], list[Tensor]]:
    """Figures, and the gradients by the hidden states and by the weight."""
    seconds = []
    before = 0
    for _ in range(ROUNDS):
        hidden.grad = weight.grad = None
        _wait(hidden)
        if hidden.is_cuda:
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
        began = time.perf_counter()
        torch.autograd.backward(loss(hidden, weight, labels) / len(labels))
        _wait(hidden)
        seconds.append(time.perf_counter() - began)
    figures = {"ms": 1000 * statistics.median(seconds)}
    if hidden.is_cuda:
        figures["GiB"] = (torch.cuda.max_memory_allocated() - before) / 2**30
    return figures, [one.grad for one in (hidden, weight) if one.grad is not None]


def difference(found: list[Tensor], expected: list[Tensor]) -> float:
    """The largest relative one; raises DisagreementError where the format does not explain it."""
    errors = [float((a - b).float().norm() / b.float().norm()) for a, b in zip(found, expected, strict=True)]
    if max(errors) > (2e-2 if found[0].is_cuda else 1e-5):
        raise DisagreementError(f"gradients differ by {max(errors):.1e}")
    return max(errors)


def _wait(tensor: Tensor) -> None:
    if tensor.is_cuda:
        torch.cuda.synchronize()


def run(options: argparse.Namespace) -> Iterator[Figures]:
    gpu = torch.cuda.is_available()
    count = options.labels or (32_768 if gpu else 2048)
    how: dict[str, Any] = {"device": "cuda" if gpu else "cpu", "dtype": torch.bfloat16 if gpu else torch.float32}
    generator = torch.Generator(how["device"]).manual_seed(0)
    hidden = torch.randn(count, WIDTH, generator=generator, **how).requires_grad_()
    weight = (0.02 * torch.randn(VOCABULARY, WIDTH, generator=generator, **how)).requires_grad_()
    labels = torch.randint(0, VOCABULARY, (count,), generator=generator, device=how["device"])
    rows: dict[str, Any] = {}
    rows["all logits"], expected = measured(plain, hidden, weight, labels)
    for name, loss in {"ours": ours, "liger": liger}.items():
        try:
            rows[name], found = measured(loss, hidden, weight, labels)
            rows[name]["gradients differ by"] = f"{difference(found, expected):.0e}"
        except AbsentError as error:
            rows[name] = {"ms": f"skipped: {error}"}
    device = torch.cuda.get_device_name() if gpu else "CPU"
    yield Figures(f"Loss of {count:,} labels and its gradients", rows, (f"{device}, torch {torch.__version__}",))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--labels", type=int, help="how many")
