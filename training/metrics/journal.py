"""What a process writes into the folder of its run beside checkpoints: only the first one does."""

from collections.abc import Callable

from curation.core import storage
from curation.core.lease import Claim
from curation.core.run_lock import check_claim
from training.config.run import TrainConfig
from training.metrics.records import MetricsFile, Record
from training.metrics.sinks import Sinks


class Journal:
    """metrics.jsonl and sinks, and the claim that the run has on its folder."""

    def __init__(
        self,
        config: TrainConfig,
        output: str,
        claim: Claim | None,
        on_record: Callable[[Record], None],
        *,
        done: int,
    ) -> None:
        """`done`: finished steps; `claim`: None in all processes but the first."""
        self._output = output
        self._claim = claim
        self._on_record = on_record
        self._sinks = Sinks(config, output, done=done) if claim else None  # before the file forgets what is repeated
        self._file = MetricsFile(storage.join(output, "metrics.jsonl"), resumed_at=done) if claim else None

    def write(self, record: Record) -> None:
        if self._file and self._sinks:
            self._file.write(record)
            self._sinks.write(record)
            self._on_record(record)
            for line in self._sinks.news():
                told = {"kind": "sink", "step": record["step"], "line": line}
                self._file.write(told)
                self._on_record(told)

    def before_writing(self) -> None:
        """Before files that a resumed run relies on: `check`, and what is written so far stays."""
        self.check()
        if self._file:
            self._file.sync()

    def check(self) -> None:
        """Raises StageError in the first process, which ends the others too, if another run has taken the folder over.
        Any thread may call it."""
        if self._claim:
            check_claim(self._output, self._claim)

    def close(self) -> None:
        if self._file and self._sinks:
            self._file.close()
            self._sinks.close()
