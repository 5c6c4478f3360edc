"""What a training uses of energy, over all of its attempts: OUTPUT/energy.json has a total for each of them.

Every process counts its own GPU, and all of them the processors of their machine, which are merged by their counters'
names: so those of a machine count once, however many processes it has.
"""

import json
import time
from collections.abc import Iterable

import torch

from curation.core import storage
from curation.core.energy import Energy, Reading, energy_of, total
from curation.core.energy_meter import EnergyMeter
from curation.core.json_files import find_shape
from training.health.gpu import name_of
from training.metrics.records import STORE_SECONDS

FILE = "energy.json"


class EnergyLog:
    """Every process makes one; the first one, which `writes`, knows what earlier attempts used."""

    def __init__(self, output: str, device: torch.device, *, writes: bool) -> None:
        self._path = storage.join(output, FILE)
        self._meter = EnergyMeter([name_of(device)] if device.type == "cuda" else []).__enter__()
        self._began = time.perf_counter()
        self._written = 0.0
        self._writes = writes
        self._earlier = (find_shape(self._path, list[Energy]) if writes else None) or []

    def read(self) -> Reading:
        """Of this process, since its beginning."""
        return self._meter.read()

    def add(self, readings: Iterable[Reading], *, last: bool = False) -> Energy:
        """Of all processes in the order of their ranks; gives the total, of earlier attempts only in the first one. In
        a store the file is written every STORE_SECONDS, and the `last` time."""
        merged = {meter: used for reading in readings for meter, used in reading.items()}
        now = time.perf_counter()
        attempts = [*self._earlier, energy_of(merged, now - self._began)]
        due = last or not storage.in_store(self._path) or now - self._written > STORE_SECONDS
        if self._writes and due:
            self._written = now
            storage.replace_bytes(self._path, json.dumps([one.record() for one in attempts], indent=1).encode() + b"\n")
        return total(attempts)

    def close(self) -> None:
        self._meter.__exit__()
