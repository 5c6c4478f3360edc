"""Published trainings by the arithmetic of a plan: what it gives beside what was printed, and by how much they differ.

Where a source has no error to show because it computed its figure the same way, that is still worth a line: it shows
what was multiplied. MFU is the one implied by the device hours that were published, restarts and idle time included.
"""

from typing import NamedTuple

from training.metrics.devices import accelerator
from training.parallel.sharded import shards_sent
from training.plan.energy import embodied, energy
from training.plan.laws import BESIROGLU

US_2021 = 0.429  # kg CO2e/kWh, mean of the USA, which Patterson et al. and the first Llama 3 card take
PATTERSON = "Patterson et al. 2021 (arXiv:2104.10350), table 4"
HOFFMANN = "Hoffmann et al. 2022 (arXiv:2203.15556), table A9"
LLAMA = "model card of Llama 3"
LLAMA_31 = "model card of Llama 3.1"
BLOOM = "Luccioni et al. 2022 (arXiv:2211.02001)"
ZERO = "Rajbhandari et al. 2020 (arXiv:1910.02054)"

NOTES = (
    "7 B on 8 x A100 with ZeRO-2, by the paper: 7e9 x (2 + 14 / 8) = 26.25 GB of 80 (or 40), and activations.",
    "ZeRO-3 sends 3 numbers a weight (the paper, section 7.2); 2, as is often printed, is what stages 1 and 2 send.",
    'Wrong, and in circulation: Llama 3 8B "more than 2 M GPU-hours"; its card says 1.3 M, and 390 t agrees with that.',
    "Llama 3.1 405B: 8,930 t over 30.84 M h x 700 W is 0.414 kg/kWh, not the 0.429 of the first Llama 3 card.",
)


class PublishedFigure(NamedTuple):
    """One figure, and its arithmetic."""

    case: str
    figure: str  # with its unit
    published: float
    computed: float
    arithmetic: str
    source: str

    @property
    def error(self) -> float:
        """Of what was computed, relative to what was published."""
        return self.computed / self.published - 1

    def record(self) -> dict[str, str | float]:
        """For JSON."""
        return {**self._asdict(), "error": self.error}


class ImpliedMfu(NamedTuple):
    """What device hours say of a training."""

    case: str
    mfu: float
    arithmetic: str


def flops(parameters: float, tokens: float) -> float:
    """6 N D. Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1."""
    return 6.0 * parameters * tokens


def figures() -> list[PublishedFigure]:
    """All cases, in the order of their years."""
    v100_hours = 3.14e23 / 24.6e12 / 3600
    gpt3 = energy(v100_hours, 330, 1.10) / 1000
    parameters, tokens, _ = BESIROGLU.optimum(5.76e23)
    life = (6.0, 0.85)
    bloom = 1_082_990
    rows = [
        ("GPT-3", "FLOPs", 3.14e23, flops(174.6e9, 300e9), "6 x 174.6e9 x 300e9", PATTERSON),
        ("GPT-3", "MWh", 1287, gpt3, "3.55 M h x 330 W x PUE 1.1", PATTERSON),
        ("GPT-3", "t CO2e", 552, gpt3 * US_2021, "MWh x 0.429 kg/kWh", PATTERSON),
        ("Chinchilla", "FLOPs", 5.76e23, flops(70e9, 1.4e12), "6 x 70e9 x 1.4e12", HOFFMANN),
        ("optimum, 5.76e23", "parameters", 72.2e9, parameters, "the refit, unrounded", "Besiroglu et al."),
        ("optimum, 5.76e23", "tokens", 1.33e12, tokens, "5.76e23 / 6 / parameters", "Besiroglu et al."),
        _llama("Llama 3 8B", 390, 1.3e6, LLAMA),
        _llama("Llama 3 70B", 1900, 6.4e6, LLAMA),
        _llama("Llama 3.1 405B", 8930, 30.84e6, LLAMA_31),
        ("BLOOM", "kWh", 433_196, energy(bloom, 400), "1,082,990 h x 400 W", f"{BLOOM}, table 1"),
        ("BLOOM", "t CO2e", 24.7, energy(bloom, 400) * 0.057 / 1000, "kWh x 57 g/kWh", f"{BLOOM}, table 1"),
        ("BLOOM", "t embodied", 3.64, embodied(bloom, 150, *life) / 1000, "150 kg, 6 years, 85 %", BLOOM),
        ("70 B in bf16", "GB", 140, 70e9 * 2 / 1e9, "70e9 x 2 bytes", "arithmetic"),
        ("7.5 B, ZeRO-2 / 64", "GB", 16.6, zero_2(7.5e9, 64) / 1e9, "2 + 14 / 64 bytes", f"{ZERO}, figure 1"),
        ("ZeRO-3 sends", "per weight", 3.0, _sent(3), "2 gathers + 1 sum", f"{ZERO}, section 7.2"),
        ("ZeRO-1 and 2 send", "per weight", 2.0, _sent(2), "1 gather + 1 sum", f"{ZERO}, section 7.1"),
    ]
    return [PublishedFigure(*row) for row in rows]


def zero_2(parameters: float, devices: int) -> float:
    """Bytes of a device at ZeRO's stage 2 in mixed precision, without activations: weights whole, 14 bytes in parts."""
    return parameters * (2 + 14 / devices)


def implied() -> list[ImpliedMfu]:
    """The MFU of cases that published device hours."""
    h100, a100, v100 = (accelerator(key).bf16 for key in ("h100", "a100", "v100"))
    return [
        ImpliedMfu("GPT-3, V100", 24.6e12 / v100, "24.6 TFLOP/s of 125"),
        _implied("BLOOM, A100", 176.2e9, 366e9, 1_082_990, a100),
        _implied("Llama 3 8B, H100", 8.03e9, 15e12, 1.3e6, h100),
        _implied("Llama 3 70B, H100", 70.6e9, 15e12, 6.4e6, h100),
        _implied("Llama 3.1 405B, H100", 405.9e9, 15.6e12, 30.84e6, h100),
    ]


def _llama(case: str, tonnes: float, hours: float, source: str) -> tuple[str, str, float, float, str, str]:
    arithmetic = f"{hours / 1e6:g} M h x 700 W x 0.429 kg/kWh"
    return case, "t CO2e", tonnes, energy(hours, 700) * US_2021 / 1000, arithmetic, source


def _sent(zero: int) -> float:
    """Numbers of a weight that many shards send in a step of one micro-batch, by the arithmetic of `winnow train`."""
    weights = 10**9
    return shards_sent(weights, 10**6, zero, 1, 4) / (4 * weights)


def _implied(case: str, parameters: float, tokens: float, hours: float, peak: float) -> ImpliedMfu:
    share = flops(parameters, tokens) / (hours * 3600 * peak)
    text = f"6 x {parameters / 1e9:g}e9 x {tokens / 1e12:g}e12 / ({hours:,.0f} h x {peak / 1e12:g} TFLOP/s)"
    return ImpliedMfu(case, share, text)
