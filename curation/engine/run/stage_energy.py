"""What a stage used of energy until it is sealed, over all attempts: those that did not seal it leave a file."""

import threading
from contextlib import suppress
from time import perf_counter

from curation.core import storage
from curation.core.energy import Energy, energy_of, since, total
from curation.core.json_files import find_whole
from curation.core.manifest import replace_json
from curation.core.threads import repeating
from curation.engine.executor.executor import Executor

ENERGY = "_energy.json"  # in the stage's folder; deleted where the manifest takes its figures
EVERY = 30.0  # seconds between two looks; so much is lost of an attempt that is killed


class StageEnergy:
    """A context for an attempt, once the executor has started. `gpus`: whether the stage works on GPUs; those of a
    machine count all together."""

    def __init__(self, folder: str, executor: Executor, *, gpus: bool) -> None:
        self._uri = storage.join(folder, ENERGY)
        self._executor = executor
        self._gpus = gpus
        earlier = find_whole(self._uri, Energy)
        self._earlier = [earlier] if earlier else []
        self._lock = threading.Lock()
        self._began = perf_counter()
        self._before = executor.energy()
        self._ticks = repeating(self._keep, EVERY, "winnow-stage-energy")

    def total(self) -> Energy:
        with self._lock:
            used = since(self._before, self._executor.energy())
        own = {meter: joules for meter, joules in used.items() if self._gpus or meter.part != "gpu"}
        return total([*self._earlier, energy_of(own, perf_counter() - self._began)])

    def forget(self) -> None:
        """The manifest has the total from here on."""
        storage.delete_file(self._uri)

    def __enter__(self) -> "StageEnergy":
        self._ticks.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ticks.__exit__(None, None, None)
        if kind is not None:
            self._keep()

    def _keep(self) -> None:
        with suppress(OSError):  # a full disk is reported by what cannot do without it
            replace_json(self._uri, self.total())
