"""Accelerators and what connects them: the one table of peaks, memory, power and rates, from the makers' data sheets.

Peaks are dense, without the factor of two of structured sparsity. Rates are in one direction: data sheets of NVLink
count both. A figure that no source has is None.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from curation.core.close_names import nearest
from curation.core.errors import InputError


@dataclass(frozen=True)
class Accelerator:
    """One device; `found` is whole words of the name by which torch knows it."""

    found: str
    bf16: float  # FLOP/s; of the V100, which has no bfloat16, in float16
    fp8: float | None
    memory: float  # bytes
    bandwidth: float  # bytes/s of its memory
    power: float  # W, thermal design power: the most
    link: float  # bytes/s to the others of its node
    source: str
    embodied: float | None = None  # kg CO2e of making it


class Network(NamedTuple):
    """What connects nodes."""

    rate: float  # bytes/s of one adapter; a device has one of its own
    source: str


# The first that fits a name counts. Embodied: NVIDIA's product carbon footprints of the HGX boards (2025), an eighth of
# 1,312 kg (H100) and 2,274 kg (B200); A100: Luccioni et al. 2022 (arXiv:2211.02001), section 4.1. Cards whose peak in
# bfloat16 depends on what sums are kept in have it for float32, from the papers on their architectures. torch shows
# each half of an MI250X as a device.
ACCELERATORS = {
    "gb300": Accelerator("GB300", 2500e12, 5000e12, 288e9, 8e12, 1400, 900e9, "GB300 NVL72 data sheet"),
    "gb200": Accelerator("GB200", 2500e12, 5000e12, 186e9, 8e12, 1200, 900e9, "GB200 NVL72 data sheet"),
    "b300": Accelerator("B300", 2250e12, 4500e12, 288e9, 8e12, 1100, 900e9, "HGX B300 data sheet"),
    "b200": Accelerator("B200", 2250e12, 4500e12, 180e9, 8e12, 1000, 900e9, "HGX B200 data sheet", 284),
    "gh200-144gb": Accelerator("GH200 144G", 990e12, 1979e12, 144e9, 4.9e12, 1000, 450e9, "GH200 data sheet"),
    "gh200": Accelerator("GH200", 990e12, 1979e12, 96e9, 4e12, 1000, 450e9, "GH200 data sheet"),
    "h200-nvl": Accelerator("H200 NVL", 835e12, 1671e12, 141e9, 4.8e12, 600, 450e9, "H200 data sheet"),
    "h200": Accelerator("H200", 989e12, 1979e12, 141e9, 4.8e12, 700, 450e9, "H200 data sheet"),
    "h100-nvl": Accelerator("H100 NVL", 835e12, 1671e12, 94e9, 3.9e12, 400, 300e9, "H100 data sheet"),
    "h100-pcie": Accelerator("H100 PCIe", 756e12, 1513e12, 80e9, 2e12, 350, 300e9, "H100 data sheet"),
    "h100": Accelerator("H100", 989e12, 1979e12, 80e9, 3.35e12, 700, 450e9, "H100 data sheet", 164),
    "h800-pcie": Accelerator("H800 PCIe", 756e12, 1513e12, 80e9, 2e12, 350, 200e9, "H800 data sheet"),
    "h800": Accelerator("H800", 989e12, 1979e12, 80e9, 3.35e12, 700, 200e9, "H800 data sheet"),
    "h20": Accelerator("H20", 148e12, 296e12, 96e9, 4e12, 400, 450e9, "H20 data sheet"),
    "a100-40gb": Accelerator("A100-SXM4-40GB", 312e12, None, 40e9, 1.555e12, 400, 300e9, "A100 data sheet", 150),
    "a100": Accelerator("A100-SXM4", 312e12, None, 80e9, 2.039e12, 400, 300e9, "A100 data sheet", 150),
    "a100-pcie-40gb": Accelerator("A100-PCIE-40GB", 312e12, None, 40e9, 1.555e12, 250, 300e9, "A100 data sheet"),
    "a100-pcie": Accelerator("A100 80GB PCIe", 312e12, None, 80e9, 1.935e12, 300, 300e9, "A100 data sheet"),
    "a800": Accelerator("A800", 312e12, None, 80e9, 2.039e12, 400, 200e9, "A800 data sheet"),
    "l40s": Accelerator("L40S", 362e12, 733e12, 48e9, 0.864e12, 350, 32e9, "L40S data sheet"),
    "l40": Accelerator("NVIDIA L40", 181e12, 362e12, 48e9, 0.864e12, 300, 32e9, "L40 data sheet"),
    "l4": Accelerator("NVIDIA L4", 121e12, 242.5e12, 24e9, 0.3e12, 72, 32e9, "L4 data sheet"),
    "a40": Accelerator("NVIDIA A40", 149.7e12, None, 48e9, 0.696e12, 300, 56.25e9, "A40 data sheet"),
    "a30": Accelerator("NVIDIA A30", 165e12, None, 24e9, 0.933e12, 165, 100e9, "A30 data sheet"),
    "a10g": Accelerator("A10G", 70e12, None, 24e9, 0.6e12, 300, 32e9, "A10G data sheet"),
    "a10": Accelerator("NVIDIA A10", 125e12, None, 24e9, 0.6e12, 150, 32e9, "A10 data sheet"),
    "rtx-pro-6000": Accelerator(
        "RTX PRO 6000 Blackwell", 503.8e12, 1007.6e12, 96e9, 1.792e12, 600, 64e9, "RTX PRO 6000 paper"
    ),
    "rtx-6000-ada": Accelerator("RTX 6000 Ada", 364.2e12, 728.5e12, 48e9, 0.96e12, 300, 32e9, "Ada paper"),
    "rtx-a6000": Accelerator("RTX A6000", 154.8e12, None, 48e9, 0.768e12, 300, 56.25e9, "GA102 paper"),
    "rtx-5090": Accelerator("RTX 5090", 209.5e12, 419e12, 32e9, 1.792e12, 575, 64e9, "RTX Blackwell paper"),
    "rtx-4090": Accelerator("RTX 4090", 165.2e12, 330.3e12, 24e9, 1.008e12, 450, 32e9, "Ada paper"),
    "rtx-3090": Accelerator("RTX 3090", 71e12, None, 24e9, 0.936e12, 350, 56.25e9, "GA102 paper"),
    "v100": Accelerator("V100-SXM2", 125e12, None, 32e9, 0.9e12, 300, 150e9, "V100 data sheet"),
    "v100-pcie": Accelerator("V100-PCIE", 112e12, None, 32e9, 0.9e12, 250, 16e9, "V100 data sheet"),
    "mi355x": Accelerator("MI355X", 2516.6e12, 5033.2e12, 288e9, 8e12, 1400, 537.6e9, "MI355X data sheet"),
    "mi325x": Accelerator("MI325X", 1307.4e12, 2614.9e12, 256e9, 6e12, 1000, 448e9, "MI325X data sheet"),
    "mi300x": Accelerator("MI300X", 1307.4e12, 2614.9e12, 192e9, 5.3e12, 750, 448e9, "MI300X data sheet"),
    "mi250x": Accelerator("MI250X", 191.5e12, None, 64e9, 1.6e12, 280, 200e9, "MI250X data sheet"),
}
# Words of a name that make another device of it: a part of one, or a card with fewer units or less power.
_OTHERS = {"MIG", "Laptop", "Max-Q", "Server", "D", "Ti", "SUPER"}
NETWORKS = {
    "hdr": Network(25e9, "InfiniBand HDR, 200 Gb/s"),
    "ndr": Network(50e9, "InfiniBand NDR, 400 Gb/s"),
    "xdr": Network(100e9, "InfiniBand XDR, 800 Gb/s"),
    "ethernet100": Network(12.5e9, "Ethernet, 100 Gb/s"),
}


def of_name(name: str) -> Accelerator | None:
    """The device that torch knows by this name; None for one without figures."""
    if _OTHERS & set(name.split()):
        return None
    known = ACCELERATORS.values()
    return next((one for one in known if re.search(rf"(?<!\w){re.escape(one.found)}(?!\w)", name)), None)


def accelerator(key: str) -> Accelerator:
    """Raises InputError for one that is not in the table."""
    if key.lower() not in ACCELERATORS:
        raise InputError(
            f"there are no figures of a device {key!r}{nearest(key, ACCELERATORS)}; known: {', '.join(ACCELERATORS)}; "
            "another one is a line in training/metrics/devices.py, with its data sheet"
        )
    return ACCELERATORS[key.lower()]


def network(key: str) -> Network:
    """Raises InputError for one that is not in the table."""
    if key.lower() not in NETWORKS:
        raise InputError(f"there is no network {key!r}; known: {', '.join(NETWORKS)}")
    return NETWORKS[key.lower()]
