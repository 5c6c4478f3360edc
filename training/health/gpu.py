"""What NVIDIA's library says of a GPU: errors after which it should not be trained on, and why its clock is held back.

Sources: NVML API reference, "Clocks event reasons" and "Event types"; NVIDIA, "XID errors", R580: of these the
application is not the cause, and a reset of the GPU or a repair is advised.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

XIDS = {
    48: "an error in memory that could not be corrected",
    64: "a row of memory that could not be replaced",
    74: "an error of NVLink",
    79: "it has fallen off the bus",
    94: "an error in memory that was contained",
    95: "an error in memory that was not contained",
    119: "its system processor does not answer",
    120: "an error of its system processor",
}
SLOWED = {"HwThermalSlowdown": "heat", "SwThermalSlowdown": "heat", "HwPowerBrakeSlowdown": "its power supply"}


class GpuState(NamedTuple):
    """`broken` and `slowed` say why, or are empty."""

    broken: str = ""
    slowed: str = ""


def name_of(device: torch.device) -> str:
    """The library's name of a GPU."""
    return f"GPU-{torch.cuda.get_device_properties(device).uuid}"


class GpuWatch:
    """One device; of a CPU, or where the library cannot be asked, nothing is known."""

    def __init__(self, device: torch.device) -> None:
        self._nvml: Any = None
        if device.type != "cuda":
            return
        try:
            import pynvml
        except ImportError:
            return
        try:
            pynvml.nvmlInit()
            self._gpu = pynvml.nvmlDeviceGetHandleByUUID(name_of(device))
            self._nvml = pynvml
        except pynvml.NVMLError:
            return
        self._events = self._listen()
        self._uncorrected = self._memory_errors()

    @property
    def asks(self) -> bool:
        """Whether the library answers."""
        return self._nvml is not None

    def state(self) -> GpuState:
        """What happened since the last call."""
        if not self.asks:
            return GpuState()
        broken = [f"XID {xid}, {XIDS[xid]}" for xid in self._xids() if xid in XIDS]
        uncorrected = self._memory_errors()
        if uncorrected > self._uncorrected:
            broken.append(f"{uncorrected - self._uncorrected} errors in memory that could not be corrected")
        self._uncorrected = uncorrected
        return GpuState("; ".join(broken), self._slowed())

    def _listen(self) -> Any:
        nvml = self._nvml
        try:
            events = nvml.nvmlEventSetCreate()
            nvml.nvmlDeviceRegisterEvents(self._gpu, nvml.nvmlEventTypeXidCriticalError, events)
        except nvml.NVMLError:
            return None
        return events

    def _xids(self) -> Iterator[int]:
        """Since the last call."""
        while self._events and (event := self._ask("nvmlEventSetWait_v2", self._events, 0)):
            yield event.eventData

    def _memory_errors(self) -> int:
        """Since the driver was loaded; 0 where the memory cannot tell."""
        kinds = self._nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, self._nvml.NVML_VOLATILE_ECC
        return int(self._ask("nvmlDeviceGetTotalEccErrors", self._gpu, *kinds) or 0)

    def _slowed(self) -> str:
        reasons = self._ask("nvmlDeviceGetCurrentClocksEventReasons", self._gpu) or 0
        bits = {name: getattr(self._nvml, f"nvmlClocksThrottleReason{name}") for name in SLOWED}
        return " and ".join(dict.fromkeys(words for name, words in SLOWED.items() if reasons & bits[name]))

    def _ask(self, function: str, *arguments: Any) -> Any:
        """None where this GPU, or its driver, does not say."""
        try:
            return getattr(self._nvml, function)(*arguments)
        except self._nvml.NVMLError:
            return None
