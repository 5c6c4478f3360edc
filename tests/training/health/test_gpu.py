"""What a GPU's library says is read; the library is pretended here. tests/training/test_on_gpu.py asks a real one."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch

from training.health.gpu import GpuState, GpuWatch

CUDA = torch.device("cuda")


class Library(ModuleType):
    """Answers as NVML's does; `xids`, `errors` and `reasons` are what happens."""

    NVMLError = ValueError
    NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1
    NVML_VOLATILE_ECC = 0
    nvmlEventTypeXidCriticalError = 8  # noqa: N815
    nvmlClocksThrottleReasonSwThermalSlowdown = 0x20  # noqa: N815
    nvmlClocksThrottleReasonHwThermalSlowdown = 0x40  # noqa: N815
    nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80  # noqa: N815

    def __init__(self) -> None:
        super().__init__("pynvml")
        self.xids: list[int] = []
        self.errors: int | None = 2
        self.reasons = 0x4  # at its limit of power, as a busy GPU is

    def nvmlInit(self) -> None:  # noqa: N802
        pass

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802
        assert uuid == "GPU-1234"
        return uuid

    def nvmlEventSetCreate(self) -> str:  # noqa: N802
        return "events"

    def nvmlDeviceRegisterEvents(self, gpu: str, kinds: int, events: str) -> None:  # noqa: N802
        assert (gpu, kinds, events) == ("GPU-1234", 8, "events")

    def nvmlEventSetWait_v2(self, events: str, milliseconds: int) -> SimpleNamespace:  # noqa: N802
        assert (events, milliseconds) == ("events", 0)
        if not self.xids:
            raise self.NVMLError("timeout")
        return SimpleNamespace(eventData=self.xids.pop(0))

    def nvmlDeviceGetTotalEccErrors(self, gpu: str, kind: int, counter: int) -> int:  # noqa: N802
        if self.errors is None:
            raise self.NVMLError("not supported")
        return self.errors

    def nvmlDeviceGetCurrentClocksEventReasons(self, gpu: str) -> int:  # noqa: N802
        return self.reasons


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setitem(sys.modules, "pynvml", made)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: SimpleNamespace(uuid="1234"))
    return made


def test_errors_since_the_last_time(library: Library) -> None:
    watch = GpuWatch(CUDA)
    assert watch.state() == GpuState()
    library.xids = [13, 79, 31]  # of these only 79 is not a program's doing
    library.errors = 5
    broken = "XID 79, it has fallen off the bus; 3 errors in memory that could not be corrected"
    assert watch.state() == GpuState(broken=broken)
    assert watch.state() == GpuState()


def test_why_a_clock_is_held_back(library: Library) -> None:
    watch = GpuWatch(CUDA)
    library.reasons = 0x4 | 0x20 | 0x40 | 0x80
    assert watch.state() == GpuState(slowed="heat and its power supply")


def test_what_the_library_does_not_know_is_left_out(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(library, "nvmlDeviceRegisterEvents", refuse)
    monkeypatch.setattr(library, "nvmlDeviceGetCurrentClocksEventReasons", refuse)
    library.errors = None
    assert GpuWatch(CUDA).state() == GpuState()
    monkeypatch.setattr(library, "nvmlInit", refuse)
    assert GpuWatch(CUDA).state() == GpuState()


def test_a_cpu_has_no_gpu() -> None:
    assert GpuWatch(torch.device("cpu")).state() == GpuState()
