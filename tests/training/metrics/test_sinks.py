"""Sinks: what they are sent, that a resumed run repeats nothing there, and what is refused before it begins.

TensorBoard's files are read back; of the services, whose packages are not installed, small ones stand in.
"""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from threading import Event
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.run_lock import only_run
from tests.training.runs import read_metrics
from training.config.parse import parse
from training.metrics import sink_thread
from training.metrics.journal import Journal
from training.metrics.records import Record, describe
from training.metrics.sinks import Sinks, check_sinks, numbers_of

NORMS = {"hidden": {"gradient": 0.25, "weight": 4.0, "update": 0.5}}


def step(number: int) -> Record:
    rates = {"learning_rate": 0.5, "tokens": 8 * number, "mfu": None}
    return {"kind": "step", "step": number, "loss": 10.0 - number, **rates, "norms": NORMS, "parts": {"z_loss": 0.125}}


def validation(number: int) -> Record:
    return {"kind": "validation", "step": number, "loss": 7.0, "bits_per_byte": 1.5}


@contextmanager
def journal(folder: Path, sinks: list[str], *, done: int = 0) -> Iterator[Journal]:
    with only_run(str(folder)) as claim:
        yield Journal(parse({"sinks": sinks}), str(folder), claim, lambda record: None, done=done)


def train_and_resume(folder: Path, sink: str) -> None:
    """Updates 1 to 5 until the process is killed, 4 from the checkpoint of update 3, then 3 to 6 from that of 2."""
    with journal(folder, [sink]) as first:
        first.write({"kind": "start", "step": 0, "workers": 1})
        for number in range(1, 6):
            first.write(step(number))
        first.write(validation(5))
        first.close()
    with journal(folder, [sink], done=3) as second:
        second.write({"kind": "resume", "step": 3, "workers": 1})
        second.write(step(4))
        second.close()
    with journal(folder, [sink], done=2) as third, closing(third):
        third.write({"kind": "resume", "step": 2, "workers": 1})
        for number in range(3, 7):
            third.write(step(number))
            third.write(validation(number))
        third.write({"kind": "result", "step": 6, "validation_loss": 7.0})


def test_numbers_of_records() -> None:
    hidden = {f"norms/hidden/{name}": value for name, value in NORMS["hidden"].items()}
    numbers = {"loss": 8.0, "learning_rate": 0.5, "tokens": 16, **hidden, "parts/z_loss": 0.125}
    assert numbers_of(step(2)) == numbers
    assert numbers_of(validation(2)) == {"validation/loss": 7.0, "validation/bits_per_byte": 1.5}
    assert numbers_of({"kind": "checkpoint", "step": 2, "seconds": 3.5}) == {"checkpoint/seconds": 3.5}


def events(file: Path) -> Iterator[Any]:
    """The events of a file; each is between 12 bytes of length and checksum, and 4 of a checksum."""
    from tensorboardX.proto.event_pb2 import Event

    content = file.read_bytes()
    while content:
        length = int.from_bytes(content[:8], "little")
        yield Event.FromString(content[12 : 12 + length])
        content = content[16 + length :]


def test_tensorboard_shows_each_update_once(tmp_path: Path) -> None:
    train_and_resume(tmp_path, "tensorboard")
    shown: dict[str, dict[int, float]] = {}
    files = sorted((tmp_path / "tensorboard").iterdir(), key=lambda file: next(events(file)).wall_time)
    assert [file.suffix for file in files] == [".0", ".3", ".2"]
    for event in [event for file in files for event in events(file)]:
        if event.HasField("session_log"):  # of a process that goes on: TensorBoard forgets what lies behind its step
            shown = {
                name: {at: value for at, value in curve.items() if at < event.step} for name, curve in shown.items()
            }
        for value in event.summary.value:
            assert event.step not in shown.setdefault(value.tag, {})
            shown[value.tag][event.step] = value.simple_value
    assert shown["loss"] == {number: 10.0 - number for number in range(1, 7)}
    assert shown["validation/loss"] == dict.fromkeys(range(3, 7), 7.0)
    assert shown["norms/hidden/update"][6] == 0.5
    assert shown["parts/z_loss"][6] == 0.125
    assert "mfu" not in shown


class Service(ModuleType):
    """A package with the functions that the three services have in common, or each of its own."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)
        self.begun: list[dict[str, Any]] = []
        self.sent: list[tuple[int, dict[str, float]]] = []
        self.axes: dict[str, str] = {}  # of W&B: over which number each one is drawn
        self.ended = 0
        self.info = SimpleNamespace(run_id="run-1")
        self.id = self.name = "run-1"
        self.parameters: list[dict[str, Any]] = []

    def init(self, *project: str, **options: Any) -> "Service":
        self.begun.append(options)
        return self

    start_run = init

    def define_metric(self, name: str, step_metric: str) -> None:
        self.axes[name] = step_metric

    def log(self, numbers: dict[str, float], step: int | None = None, synchronous: bool = False) -> None:
        """W&B drops what comes with a step before its last one, so it must get none."""
        if self.__name__ == "wandb":
            assert step is None
            (axis,) = {self.axes[name] for name in numbers if name in self.axes}
            step = int(numbers[axis])
        assert step is not None
        self.sent.append((step, numbers))

    log_metrics = log

    def log_params(self, parameters: dict[str, Any]) -> None:
        self.parameters.append(parameters)

    def is_tracking_uri_set(self) -> bool:
        return True

    def finish(self) -> None:
        self.ended += 1

    end_run = finish


@pytest.mark.parametrize(
    ("name", "new", "again"),
    [
        ("wandb", {"id": None, "resume": "allow"}, {"id": "run-1", "resume": "allow"}),
        ("trackio", {"resume": "never"}, {"name": "run-1", "resume": "allow"}),
        ("mlflow", {"run_id": None}, {"run_id": "run-1"}),
    ],
)
def test_a_service_goes_on_with_the_run_and_gets_each_update_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, new: dict[str, Any], again: dict[str, Any]
) -> None:
    service = Service(name)
    monkeypatch.setitem(sys.modules, name, service)
    train_and_resume(tmp_path, name)
    assert [number for number, numbers in service.sent if "loss" in numbers] == [1, 2, 3, 4, 5, 6]
    assert [number for number, numbers in service.sent if "validation/loss" in numbers] == [5, 6]
    assert len(service.sent) == 8
    assert new.items() <= service.begun[0].items()
    assert again.items() <= service.begun[1].items()
    assert again.items() <= service.begun[2].items()
    assert service.ended == 3
    settings = service.parameters[0] if name == "mlflow" else service.begun[0]["config"]
    assert settings["steps"] == 300
    assert len(service.parameters) == (name == "mlflow")


@pytest.mark.parametrize("name", ["wandb", "trackio", "mlflow"])
def test_what_comes_late_has_its_own_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A checkpoint is complete some steps after the one that it is of."""
    service = Service(name)
    monkeypatch.setitem(sys.modules, name, service)
    with journal(tmp_path, [name]) as first, closing(first):
        first.write(step(7))
        first.write(validation(6))
        first.write({"kind": "checkpoint", "step": 4, "seconds": 3.5})
        first.write(step(8))
    assert [number for number, _ in service.sent] == [7, 6, 4, 8]
    if name == "wandb":
        names = ("loss", "norms/hidden/update", "validation/loss", "checkpoint/seconds")
        assert [service.axes[one] for one in names] == ["step", "step", "validation/step", "checkpoint/step"]


def broken(service: Service, how: str) -> None:
    """Makes the service hang or fail when a run begins, at a number, or at the end."""

    def hangs(*_: Any, **__: Any) -> Any:
        Event().wait()

    def fails(*_: Any, **__: Any) -> Any:
        raise ConnectionError("500 Server Error for url: https://ann:pass-4711@service/api\nwith a page of 10 MB")

    at, what = how.split()
    setattr(service, {"begin": "init", "write": "log", "end": "finish"}[at], hangs if what == "hangs" else fails)


@pytest.mark.parametrize(
    ("how", "lines"),
    [
        ("begin hangs", ["did not begin within 0.2 s; the training goes on without it", "lacks 9 records, which me"]),
        ("begin fails", ["has failed: ConnectionError: 500 Server Error for url: https://***@service/api; the tra"]),
        ("write hangs", ["is 3 records behind; what finds no room is left out", "lacks "]),
        ("write fails", ["has failed: ConnectionError: 500 Server Error for url: https://***@service/api; the tra"]),
        ("end hangs", ["did not end within 0.2 s; the training goes on without it"]),
        ("end fails", ["has failed: ConnectionError: 500 Server Error for url: https://***@service/api; the tra"]),
    ],
)
def test_a_service_that_fails_or_hangs_ends_no_training(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    how: str,
    lines: list[str],
) -> None:
    monkeypatch.setattr(sink_thread, "OPENING", 0.2)
    monkeypatch.setattr(sink_thread, "CLOSING", 0.2)
    monkeypatch.setattr(sink_thread, "WAITING", 3)
    service = Service("wandb")
    broken(service, how)
    monkeypatch.setitem(sys.modules, "wandb", service)
    with journal(tmp_path, ["wandb"]) as made, closing(made):
        for number in range(1, 10):
            made.write(step(number))
    for line in lines:
        assert f"the sink wandb {line}" in caplog.text
    assert "pass-4711" not in caplog.text
    records = [record for record in read_metrics(tmp_path / "metrics.jsonl") if record["kind"] == "step"]
    assert [record["step"] for record in records] == list(range(1, 10))


def test_a_trouble_stands_in_the_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service("wandb")
    broken(service, "begin fails")
    monkeypatch.setitem(sys.modules, "wandb", service)
    told: list[Record] = []
    with only_run(str(tmp_path)) as claim:
        made = Journal(parse({"sinks": ["wandb"]}), str(tmp_path), claim, told.append, done=0)
        made.write(step(1))
        made.write(step(2))
        made.close()
    assert [record["kind"] for record in told] == ["step", "sink", "step"]
    assert told == read_metrics(tmp_path / "metrics.jsonl")
    assert describe(told[1]).startswith("step 1: the sink wandb has failed: ConnectionError: 500")


def test_a_sink_that_comes_later_gets_what_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service("wandb")
    monkeypatch.setitem(sys.modules, "wandb", service)
    with journal(tmp_path, []) as first, closing(first):
        for number in range(1, 5):
            first.write(step(number))
    with journal(tmp_path, ["wandb", "wandb"], done=2) as second, closing(second):
        second.write(step(3))
    assert [number for number, _ in service.sent] == [3]
    assert [record["step"] for record in read_metrics(tmp_path / "metrics.jsonl")] == [1, 2, 3]


def test_only_the_first_process_writes(tmp_path: Path) -> None:
    with closing(Journal(parse({"sinks": ["tensorboard"]}), str(tmp_path), None, lambda record: None, done=0)) as other:
        other.write(step(1))
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused(tmp_path: Path) -> None:
    config = parse({"sinks": ["trackio", "tensorboard", "wandb"]})
    with pytest.raises(
        InputError, match=r"sinks: trackio, wandb must be installed: run `pip install trackio wandb`, or"
    ):
        check_sinks(config, str(tmp_path))
    with pytest.raises(InputError, match="sinks: trackio, wandb must be"):
        Sinks(config, str(tmp_path), done=0)
    with pytest.raises(InputError, match="tensorboard writes to a disk only, and s3://a/b is in a store"):
        check_sinks(parse({"sinks": ["tensorboard"]}), "s3://a/b")
    with pytest.raises(ValueError, match="expected 'tensorboard', 'wandb', 'trackio' or 'mlflow', got 'tensorbord'"):
        parse({"sinks": ["tensorbord"]})
