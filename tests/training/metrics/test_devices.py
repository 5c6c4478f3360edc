"""The table of devices: those that are not in it are refused with what is, and what resembles them."""

import pytest

from training.metrics.devices import ACCELERATORS, NETWORKS, accelerator, network, of_name


def test_a_device_without_figures_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(ValueError, match=r"no figures of a device 'h10'.*h100.*mi300x.*; another one is a line in"):
        accelerator("h10")
    with pytest.raises(ValueError, match="no network 'lan'; known: hdr, ndr"):
        network("lan")


def test_figures() -> None:
    assert accelerator("H100").bf16 == 989e12
    assert network("NDR").rate == 400e9 / 8
    for device in ACCELERATORS.values():
        assert device.source
        assert device.fp8 is None or device.fp8 == pytest.approx(2 * device.bf16, rel=0.02)
    assert all(one.source for one in NETWORKS.values())


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("NVIDIA GB300", "gb300"),
        ("NVIDIA GB200", "gb200"),
        ("NVIDIA B300 SXM6 AC", "b300"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA GH200 480GB", "gh200"),
        ("NVIDIA GH200 144G HBM3e", "gh200-144gb"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA H20", "h20"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA H800", "h800"),
        ("NVIDIA A800-SXM4-80GB", "a800"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA A100-SXM4-40GB", "a100-40gb"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA L40", "l40"),
        ("NVIDIA L4", "l4"),
        ("NVIDIA A40", "a40"),
        ("NVIDIA A30", "a30"),
        ("NVIDIA A10", "a10"),
        ("NVIDIA A10G", "a10g"),
        ("NVIDIA RTX A6000", "rtx-a6000"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000"),
        ("NVIDIA GeForce RTX 5090", "rtx-5090"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("Tesla V100-SXM2-32GB", "v100"),
        ("Tesla V100-PCIE-16GB", "v100-pcie"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Instinct MI250X/MI250", "mi250x"),
    ],
)
def test_a_name_of_torch_finds_its_device(name: str, key: str) -> None:
    assert of_name(name) is ACCELERATORS[key]


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA RTX A1000",
        "NVIDIA RTX A1000 Laptop GPU",
        "NVIDIA RTX A400",
        "NVIDIA RTX A4000",
        "NVIDIA A16",
        "NVIDIA L400",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
        "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 3090 Ti",
        "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
        "NVIDIA RTX PRO 6000 Blackwell Server Edition",
        "Tesla T4",
    ],
)
def test_a_device_that_only_resembles_another_has_no_figures(name: str) -> None:
    assert of_name(name) is None
