"""The figures that a run hands to Ray: what its units did, once, and how far it is. What Ray makes of them is seen in
tests/cluster/test_metrics.py."""

from collections.abc import Mapping

import pytest

from curation.core.progress import Progress
from curation.engine.executor import ray_metrics
from curation.engine.executor.ray_metrics import OTHER, REASONS, RunMetrics

Series = dict[tuple[str, ...], float]


@pytest.fixture
def series(monkeypatch: pytest.MonkeyPatch) -> Series:
    """Name and labels, without the run: the value. In place of Ray, which nobody has started."""
    values: Series = {}

    class Metric:
        def __init__(self, name: str, description: str, tag_keys: tuple[str, ...]) -> None:
            assert description
            self.name = name
            self.keys = tag_keys

        def key(self, tags: Mapping[str, str]) -> tuple[str, ...]:
            assert tags.keys() == set(self.keys)
            assert tags["run"] == "s3://***@bucket/run"
            return (self.name.removeprefix("winnow_"), *(tags[key] for key in self.keys if key != "run"))

        def inc(self, value: float, tags: Mapping[str, str]) -> None:
            assert value > 0
            values[self.key(tags)] = values.get(self.key(tags), 0) + value

        def set(self, value: float, tags: Mapping[str, str]) -> None:
            values[self.key(tags)] = value

    monkeypatch.setattr(ray_metrics, "Counter", Metric)
    monkeypatch.setattr(ray_metrics, "Gauge", Metric)
    return values


def metrics() -> RunMetrics:
    return RunMetrics("s3://KEY:SECRET@bucket/run")


def test_counters_count_what_this_driver_did(series: Series) -> None:
    with metrics() as told:
        told(Progress("gopher", "start"))
        told(Progress("gopher", "filter", 2, 5, 100, kept=50, text_bytes=1000))  # what a run before had done
        told(Progress("gopher", "filter", 3, 5, 160, kept=80, text_bytes=1600, retries=1))
        told(Progress("gopher", "note", 3, 5, 160, note="unit 4 is slow"))
        told(Progress("gopher", "filter", 4, 5, 170, kept=85, text_bytes=1700, retries=2, lost=1))
        told._update()
        assert series["units_waiting", "gopher", "filter"] == 1
        told(Progress("gopher", "done", 5, 5, 170, kept=85, text_bytes=1700))
        told(Progress("dedup", "keys", 0, 5))
        told(Progress("dedup", "keys", 1, 5, 10))
    step = ("gopher", "filter")
    names = ("documents_total", "kept_documents_total", "text_bytes_total", "units_total", "retries_total")
    assert [series[name, *step] for name in names] == [70, 35, 700, 2, 2]
    assert series["lost_units", *step] == 1
    assert (series["documents_total", "dedup", "keys"], series["units_total", "dedup", "keys"]) == (10, 1)
    assert series["progress_timestamp_seconds",] > 1.7e9
    assert {key[1:] for key in series} == {(), step, ("dedup", "keys")}


def test_nothing_waits_once_the_run_has_ended(series: Series) -> None:
    told = metrics()

    def fail() -> None:
        with told:
            told(Progress("gopher", "filter", 1, 5))
            told._update()
            assert series["units_waiting", "gopher", "filter"] == 4
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert series["units_waiting", "gopher", "filter"] == 0


def test_reasons_of_errors_are_bounded(series: Series) -> None:
    with metrics() as told:
        told(Progress("gopher", "filter", 0, 2))
        told(Progress("gopher", "filter", 1, 2, 10, reasons={"error.a.ValueError": 2}))
        told._update()
        many = {f"error.b.Error{number:02}": 1 for number in range(REASONS + 5)}
        told(Progress("gopher", "filter", 2, 2, 20, reasons={"error.a.ValueError": 3, **many}))
    errors = {key[-1]: value for key, value in series.items() if key[0] == "error_documents_total"}
    assert (len(errors), errors["error.a.ValueError"], errors[OTHER]) == (REASONS + 1, 3, 6)
