"""Exports a run's figures to Prometheus through Ray, whose agent on each node serves them with the prefix `ray_`.

    http://NODE:PORT/metrics      PORT: MetricsExportPort in ray.nodes(), or ray start --metrics-export-port
    cluster/grafana.json          a dashboard of all of it          cluster/alerts.yaml     rules for Prometheus

On a Ray cluster with Ray's dashboard, the head lists all nodes in /tmp/ray/prom_metrics_service_discovery.json, for
Prometheus' `file_sd_configs`. These ports ask for no token: keep them inside the cluster's network. The Ray that winnow
starts itself exports nothing unless RAY_enable_metrics_collection=1 is in the environment; the log then tells its URL.

All come from the driver, with the label `run` (the run's folder), most also with `stage` and `step`. Counters count
the units that this driver ran, not those that it found done, and stay until the node's Ray ends. Gauges hold the
current state; Prometheus sees them until about 20 s after the driver has ended.
"""

import threading
import time

import ray
from ray.util.metrics import Counter, Gauge

from curation.core.credentials import masked
from curation.core.progress import Progress
from curation.core.threads import repeating

SECOND = 1.0  # between two updates; Ray 2.60 exports every 10 s, and forgets a gauge that was not set meanwhile
REASONS = 20  # of errors that have a series of their own in one run
OTHER = "error.other"

STEP = ("run", "stage", "step")
COUNTERS = {  # field of a Progress: name, and what it counts
    "documents": ("winnow_documents_total", "Documents of finished units, kept or dropped."),
    "kept": ("winnow_kept_documents_total", "Documents that were kept."),
    "text_bytes": ("winnow_text_bytes_total", "UTF-8 bytes of text that finished units wrote."),
    "done": ("winnow_units_total", "Finished units."),
    "retries": ("winnow_retries_total", "Failed attempts at units."),
}
ERRORS = ("winnow_error_documents_total", "Documents on which a component failed, by drop reason.")
WAITING = ("winnow_units_waiting", "Units of the step that are not finished; 0 once the run has ended.")
LOST = ("winnow_lost_units", "Units that failed in all attempts and were passed over.")
PROGRESS = ("winnow_progress_timestamp_seconds", "When a unit last finished or a step began (Unix time).")


def endpoint() -> str | None:
    """The URL of this node's metrics; None where Ray was started without them."""
    own = ray.get_runtime_context().get_node_id()
    for node in ray.nodes():  # type: ignore[no-untyped-call]
        if node["NodeID"] == own and node["MetricsExportPort"] > 0:
            return f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
    return None


class RunMetrics:
    """A context for the run in `folder`; called with each progress, which it hands to Ray once a second."""

    def __init__(self, folder: str) -> None:
        self._run = masked(folder)
        self._counters = {field: Counter(*metric, tag_keys=STEP) for field, metric in COUNTERS.items()}
        self._errors = Counter(*ERRORS, tag_keys=(*STEP, "reason"))
        self._waiting, self._lost = (Gauge(*metric, tag_keys=STEP) for metric in (WAITING, LOST))
        self._progressed = Gauge(*PROGRESS, tag_keys=("run",))
        self._steps: dict[tuple[str, str], tuple[Progress, Progress]] = {}  # as last counted, and now
        self._reasons: set[str] = set()
        self._heard = time.time()
        self._lock = threading.Lock()
        self._ticks = repeating(self._update, SECOND, "winnow-metrics")

    def __call__(self, now: Progress) -> None:
        with self._lock:
            self._heard = time.time()
            if now.units and now.step not in ("sealed", "note", "done"):  # "done" repeats what its steps have counted
                counted, _ = self._steps.get((now.stage, now.step), (now, now))  # the first includes units done before
                self._steps[now.stage, now.step] = (counted, now)

    def __enter__(self) -> "RunMetrics":
        self._ticks.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ticks.__exit__(None, None, None)
        self._update(ended=True)

    def _update(self, *, ended: bool = False) -> None:
        with self._lock:
            steps = list(self._steps.values())
            heard = self._heard
            self._steps = {step: (now, now) for step, (_, now) in self._steps.items()}
        self._progressed.set(heard, {"run": self._run})
        for counted, now in steps:
            tags = {"run": self._run, "stage": now.stage, "step": now.step}
            self._waiting.set(0 if ended else now.units - now.done, tags)
            self._lost.set(now.lost, tags)
            for field, counter in self._counters.items():
                _add(counter, getattr(now, field) - getattr(counted, field), tags)
            for reason, documents in now.reasons.items():
                _add(self._errors, documents - counted.reasons.get(reason, 0), {**tags, "reason": self._named(reason)})

    def _named(self, reason: str) -> str:
        """The reason, or OTHER once there are too many of them."""
        if len(self._reasons) < REASONS:
            self._reasons.add(reason)
        return reason if reason in self._reasons else OTHER


def _add(counter: Counter, more: int, tags: dict[str, str]) -> None:
    if more > 0:  # Ray 2.60 refuses 0
        counter.inc(more, tags)
