"""Metrics of a training for Prometheus, through Ray: each node's agent exports them, with the prefix `ray_`.

    http://NODE:PORT/metrics      PORT: MetricsExportPort in ray.nodes(), or ray start --metrics-export-port
    cluster/grafana.json          a dashboard of all of it          cluster/alerts.yaml     rules for Prometheus

All come from the first worker, with the label `run` (the training's output folder). Counters count the work of this
worker's group, including steps repeated after a loss, and stay until the node's Ray ends. Gauges hold the last record
of metrics.jsonl; Prometheus sees them until about 20 s after the worker has ended. Ray does not export NaN, so a loss
or gradient that is not finite is a count. The Ray that winnow starts itself exports nothing unless
RAY_enable_metrics_collection=1 is in the environment, because that port asks for no token.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ray.util.metrics import Counter, Gauge

from curation.core.threads import repeating
from training.metrics.records import Record

SECOND = 1.0  # between two updates; Ray exports every 10 s, and forgets a gauge that was not set meanwhile

TOKENS = ("winnow_train_tokens_total", "Tokens of finished steps, padding included.")
NOT_FINITE = ("winnow_train_not_finite_total", "Ends because the loss or the gradient was not finite.")
GAUGES = {
    "winnow_train_step": "Finished steps.",
    "winnow_train_loss": "Nats per token of the last step that was logged.",
    "winnow_train_validation_loss": "Nats per token.",
    "winnow_train_gradient_norm": "Before clipping.",
    "winnow_train_mfu_ratio": "Share of the peak FLOP/s in bfloat16; absent for devices whose peak is not known.",
    "winnow_train_step_seconds": "Per step, without checkpoints and validation.",
    "winnow_train_checkpoint_seconds": "That the last checkpoint took.",
    "winnow_train_checkpoint_timestamp_seconds": "When the last checkpoint was complete, or training began.",
    "winnow_train_progress_timestamp_seconds": "When the last record came, or training began.",
}


@contextmanager
def exported(run: str) -> Iterator[Callable[[Record], None]]:
    """Gives the function that takes each record of metrics.jsonl (see `training.metrics`); called by one process."""
    metrics = TrainMetrics(run)
    try:
        with repeating(metrics.update, SECOND, "winnow-metrics"):
            yield metrics.record
    except FloatingPointError:
        metrics.not_finite()
        raise
    finally:
        metrics.update()


class TrainMetrics:
    """The figures of one training; `update` hands them to Ray."""

    def __init__(self, run: str) -> None:
        self._tags = {"run": run}
        self._tokens, self._not_finite = (Counter(*metric, tag_keys=("run",)) for metric in (TOKENS, NOT_FINITE))
        self._gauges = {name: Gauge(name, text, tag_keys=("run",)) for name, text in GAUGES.items()}
        self._step = 0
        now = time.time()
        self._values = {f"winnow_train_{event}_timestamp_seconds": now for event in ("checkpoint", "progress")}

    def record(self, record: Record) -> None:
        kind = record["kind"]
        now = time.time()
        values: dict[str, float | None] = {"progress_timestamp_seconds": now, "step": record["step"]}
        if kind == "step":
            tokens_per_step = record["tokens"] / record["step"]
            self._tokens.inc((record["step"] - self._step) * tokens_per_step, self._tags)
            values |= {name: record[name] for name in ("loss", "gradient_norm")}
            values["mfu_ratio"] = record["mfu"]
            values["step_seconds"] = tokens_per_step / record["tokens_per_second"]
        elif kind == "validation":
            values["validation_loss"] = record["loss"]
        elif kind == "checkpoint":
            values |= {"checkpoint_seconds": record["seconds"], "checkpoint_timestamp_seconds": now}
        if kind in ("step", "start", "resume", "branch"):
            self._step = record["step"]
        known = {f"winnow_train_{name}": value for name, value in values.items() if value is not None}
        self._values = {**self._values, **known}  # replaced, because another thread reads them

    def not_finite(self) -> None:
        """The training ended with a FloatingPointError."""
        self._not_finite.inc(1, self._tags)

    def update(self) -> None:
        for name, value in self._values.items():
            self._gauges[name].set(value, self._tags)
