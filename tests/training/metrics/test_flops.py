"""FLOPs of a row counted by hand, and the peaks of devices whose names resemble each other."""

import pytest
import torch
from torch import nn

from training.batch import ExampleShape
from training.metrics.flops import peak_flops, row_flops
from training.roles import AttentionSize, Purpose, Role
from training.trainable import Trainable


class Sized(Trainable):
    """A hidden matrix of 6 weights, a head of 10, an embedding of 20."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Parameter(torch.zeros(2, 3))
        self.head = nn.Parameter(torch.zeros(2, 5))
        self.embedding = nn.Parameter(torch.zeros(4, 5))

    def roles(self) -> dict[str, Role]:
        return {
            "hidden": Role(Purpose.HIDDEN, reads="inputs"),
            "head": Role(Purpose.OUTPUT, reads="labels"),
            "embedding": Role(Purpose.EMBEDDING),
        }

    def attentions(self) -> list[AttentionSize]:
        return [AttentionSize(2, 3, "inputs", "inputs", True), AttentionSize(1, 3, "labels", "inputs", False)]


def test_of_a_row_by_hand() -> None:
    shape = ExampleShape(inputs=8, labels=4)
    matrices = 6 * (6 * 8 + 10 * 4)
    assert row_flops(Sized(), shape, halved=False) == matrices + 12 * (2 * 3 * 8 * 8 + 3 * 4 * 8)
    assert row_flops(Sized(), shape, halved=True) == matrices + 12 * (3 * 8 * 8 + 3 * 4 * 8)


@pytest.mark.parametrize(
    ("name", "peak"),
    [
        ("NVIDIA H100 80GB HBM3", 989e12),
        ("NVIDIA H100 NVL", 835e12),
        ("NVIDIA H100 PCIe", 756e12),
        ("NVIDIA H200 NVL", 835e12),
        ("NVIDIA A10G", 70e12),
        ("Tesla T4", None),
    ],
)
def test_peaks(monkeypatch: pytest.MonkeyPatch, name: str, peak: float | None) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: name)
    assert peak_flops(torch.device("cuda")) == peak
    assert peak_flops(torch.device("cpu")) is None
