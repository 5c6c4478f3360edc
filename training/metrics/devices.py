"""Accelerators and what connects them: the one table of peaks, memory, power and rates, from the makers' data sheets.

Peaks are dense, without the factor of two of structured sparsity. Rates are in one direction: data sheets of NVLink
count both. A figure that no source has is None.
"""

from dataclasses import dataclass
from typing import NamedTuple

from curation.core.close_names import nearest
from curation.core.errors import InputError


@dataclass(frozen=True)
class Accelerator:
    """One device; `found` is a part of the name by which torch knows it."""

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
# 1,312 kg (H100) and 2,274 kg (B200); A100: Luccioni et al. 2022 (arXiv:2211.02001), section 4.1.
ACCELERATORS = {
    "b200": Accelerator("B200", 2250e12, 4500e12, 180e9, 8e12, 1000, 900e9, "HGX B200 data sheet", 284),
    "h200-nvl": Accelerator("H200 NVL", 835e12, 1671e12, 141e9, 4.8e12, 600, 450e9, "H200 data sheet"),
    "h200": Accelerator("H200", 989e12, 1979e12, 141e9, 4.8e12, 700, 450e9, "H200 data sheet"),
    "h100-nvl": Accelerator("H100 NVL", 835e12, 1671e12, 94e9, 3.9e12, 400, 300e9, "H100 data sheet"),
    "h100-pcie": Accelerator("H100 PCIe", 756e12, 1513e12, 80e9, 2e12, 350, 300e9, "H100 data sheet"),
    "h100": Accelerator("H100", 989e12, 1979e12, 80e9, 3.35e12, 700, 450e9, "H100 data sheet", 164),
    "a100-40gb": Accelerator("A100-SXM4-40GB", 312e12, None, 40e9, 1.555e12, 400, 300e9, "A100 data sheet", 150),
    "a100": Accelerator("A100", 312e12, None, 80e9, 2.039e12, 400, 300e9, "A100 data sheet", 150),
    "l40s": Accelerator("L40S", 362e12, 733e12, 48e9, 0.864e12, 350, 32e9, "L40S data sheet"),
    "a10g": Accelerator("A10G", 70e12, None, 24e9, 0.6e12, 300, 32e9, "A10G data sheet"),
    "a10": Accelerator("A10", 125e12, None, 24e9, 0.6e12, 150, 32e9, "A10 data sheet"),
    "v100": Accelerator("V100", 125e12, None, 32e9, 0.9e12, 300, 150e9, "V100 data sheet"),
    "mi300x": Accelerator("MI300X", 1307.4e12, 2614.9e12, 192e9, 5.3e12, 750, 448e9, "MI300X data sheet"),
}
NETWORKS = {
    "hdr": Network(25e9, "InfiniBand HDR, 200 Gb/s"),
    "ndr": Network(50e9, "InfiniBand NDR, 400 Gb/s"),
    "xdr": Network(100e9, "InfiniBand XDR, 800 Gb/s"),
    "ethernet100": Network(12.5e9, "Ethernet, 100 Gb/s"),
}


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
