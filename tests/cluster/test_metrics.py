"""Every metric that the dashboard and the alert rules name comes out of a real run's and a real training's Ray.

promtool, of Debian's package `prometheus`, checks the expressions and tries the rules, where it is installed.
"""

import json
import re
import shutil
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import ray
import yaml
from prometheus_client.parser import text_string_to_metric_families

from curation.account.run import Run
from curation.core import catalog
from curation.core.errors import InputError
from curation.engine.driver import runner
from curation.engine.executor import attempts, ray_metrics
from curation.engine.executor.on_ray import OnRay
from curation.engine.recipe.recipe import parse as parse_recipe
from tests.faults.harness import RECIPE, write_inputs
from tests.training.runs import TINY, read_metrics
from training import job
from training.config.parse import parse
from training.job import ray_metrics as train_metrics

CLUSTER = Path(__file__).resolve().parents[2] / "cluster"
NAME = re.compile(r"\bray_(winnow_[a-z_]+)")
GRAFANA_VARIABLES = {"$run": ".*", "$__rate_interval": "1m"}

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed: apt-get install prometheus"
)


def dashboard() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((CLUSTER / "grafana.json").read_text())
    return content


def panels() -> list[dict[str, Any]]:
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def dashboard_expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((CLUSTER / "alerts.yaml").read_text())["groups"]
    return list(group["rules"])


def names(expressions: list[str]) -> set[str]:
    return {name for expression in expressions for name in NAME.findall(expression)}


def exported() -> set[str]:
    curation = {name for name, _ in (*ray_metrics.COUNTERS.values(), ray_metrics.ERRORS)}
    curation |= {ray_metrics.WAITING[0], ray_metrics.LOST[0], ray_metrics.PROGRESS[0]}
    return curation | {train_metrics.TOKENS[0], train_metrics.NOT_FINITE[0], *train_metrics.GAUGES}


def test_the_dashboard_shows_what_there_is() -> None:
    assert names(dashboard_expressions()) == exported()
    assert names([rule["expr"] for rule in rules()]) <= exported()


def test_the_dashboard_is_one_that_grafana_imports() -> None:
    """The structure that Grafana 10 asks for; Grafana itself is in no registry that we may use."""
    content = dashboard()
    assert content["id"] is None  # else an import would look for that dashboard
    assert {variable["name"] for variable in content["templating"]["list"]} == {"datasource", "run"}
    numbers = [panel["id"] for panel in content["panels"]]
    assert len(set(numbers)) == len(numbers)
    taken: set[tuple[int, int]] = set()
    for panel in content["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
    for panel in panels():
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        for target in panel["targets"]:
            assert target["datasource"] == panel["datasource"]
            assert target["expr"].count('{run=~"$run"}') == len(NAME.findall(target["expr"]))


def test_every_rule_says_what_is_wrong_with_which_run() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules())
    for rule in rules():
        assert "{{ $labels.run }}" in rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
        assert rule["labels"]["severity"] in ("page", "warn")


@needs_promtool
def test_promtool_accepts_the_dashboards_expressions(tmp_path: Path) -> None:
    expressions = dashboard_expressions()
    for variable, value in GRAFANA_VARIABLES.items():
        expressions = [expression.replace(variable, value) for expression in expressions]
    recorded = [{"record": f"panel:{i}", "expr": expression} for i, expression in enumerate(expressions)]
    (tmp_path / "panels.yaml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}))
    _promtool("check", "rules", str(tmp_path / "panels.yaml"))


@needs_promtool
def test_rules_speak_past_their_limits_and_not_before() -> None:
    _promtool("check", "rules", str(CLUSTER / "alerts.yaml"))
    _promtool("test", "rules", str(Path(__file__).with_name("alerts_test.yaml")))


def _promtool(*arguments: str) -> None:
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Scraper:
    """Reads this node's endpoint all the time, as gauges go when their process ends. `last`: by name and labels."""

    def __init__(self) -> None:
        url = ray_metrics.endpoint()
        assert url is not None
        self.url = url
        self.last = dict[tuple[str, ...], float]()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def value(self, name: str, *labels: str) -> float:
        """Over all processes that had this series."""
        return sum(value for key, value in self.last.items() if key[:-1] == (name, *labels))

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._ended.wait(0.3):
            with urllib.request.urlopen(self.url, timeout=30) as answer:
                text = answer.read().decode()
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    if sample.name.startswith("ray_winnow_"):
                        labels = [sample.labels.get(key, "") for key in ("run", "stage", "step", "reason")]
                        key = (sample.name, *filter(None, labels), sample.labels["WorkerId"])
                        self.last[key] = sample.value


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Scraper]:
    """A local Ray that was asked for metrics, and what is read from it."""
    environment = {"enable_metrics_collection": "1", "metrics_report_interval_ms": "1000"}
    for name, value in environment.items():
        monkeypatch.setenv(f"RAY_{name}", value)
    monkeypatch.setenv("RAY_TRAIN_HEALTH_CHECK_INTERVAL_S", "0.2")
    monkeypatch.setenv("FAULT", "error")
    monkeypatch.setenv("FAULT_SLOW", "0")
    faulty = EntryPoint("faulty", "tests.faults.faulty:Faulty", catalog.GROUP)
    monkeypatch.setattr(catalog, "_installed", lambda: {"faulty": faulty})
    monkeypatch.setattr(attempts, "PAUSE", 0.1)
    with OnRay(cpus=2) as own:
        own.start()
        scraper = Scraper()
        try:
            yield scraper
        finally:
            scraper.end()


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_and_a_training_export_all_that_is_named(session: Scraper, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    _curate(tmp_path / "inputs", folder)
    _train(folder, tmp_path / "model")
    _train(folder, tmp_path / "wild", optimizer={"adamw": {"learning_rate": 1e30, "max_gradient_norm": 1e30}})
    with train_metrics.exported("gpu") as record:  # no CPU has a peak rate
        step = {"kind": "step", "step": 1, "loss": 3.0, "gradient_norm": 1.0, "tokens": 64, "tokens_per_second": 9.0}
        record({**step, "mfu": 0.4})
        threading.Event().wait(3.0)  # until Ray has exported it, which it does every second here
    session.end()

    named = names([*dashboard_expressions(), *(rule["expr"] for rule in rules())])
    assert {f"ray_{name}" for name in named} - {name for name, *_ in session.last} == set()

    def figure(name: str, *labels: str) -> float:
        return session.value(f"ray_winnow_{name}", *labels)

    for line in Run.open(folder).funnel().stages:
        steps = {key[2:4] for key in session.last if key[0] == "ray_winnow_units_total" and key[2] == line.name}
        if line.rows is not None and steps:
            assert sum(figure("documents_total", folder, *step) for step in steps) == line.rows, line.name
            assert sum(figure("kept_documents_total", folder, *step) for step in steps) == line.kept, line.name
    faulty = (folder, "faulty", "filter")
    assert figure("documents_total", *faulty) == 200  # 40 of 6 files, but one file is lost
    assert figure("error_documents_total", *faulty, "error.faulty.ValueError") == 1
    assert figure("retries_total", *faulty) == attempts.ATTEMPTS
    assert figure("lost_units", *faulty) == 1
    assert {key[1:4] for key in session.last if key[0] == "ray_winnow_units_waiting"} > {faulty}
    waiting = {value for key, value in session.last.items() if key[0] == "ray_winnow_units_waiting"}
    assert waiting == {0}

    model = str(tmp_path / "model")
    last = [one for one in read_metrics(tmp_path / "model" / "metrics.jsonl") if one["kind"] == "step"][-1]
    assert figure("train_loss", model) == last["loss"]
    assert (figure("train_step", model), figure("train_tokens_total", model)) == (last["step"], last["tokens"])
    assert figure("train_not_finite_total", str(tmp_path / "wild")) == 1
    assert figure("train_mfu_ratio", "gpu") == 0.4


def _curate(inputs: Path, folder: str) -> None:
    write_inputs(inputs)
    options = "      max_failed_units: 1"
    runner.curate(parse_recipe(RECIPE.format(inputs=inputs, options=options), "faults.yaml"), folder, OnRay())


def _train(data: str, output: Path, **settings: Any) -> None:
    config = parse({**TINY, "steps": 4, "batch_rows": 2, "max_failures": 0, **settings})
    if "optimizer" not in settings:
        job.train(config, data, str(output), workers=1)
        return
    with pytest.raises(InputError, match="lower the optimizer's learning_rate"):
        job.train(config, data, str(output), workers=1)


@pytest.mark.slow
def test_a_local_ray_opens_no_port_for_metrics_unless_asked() -> None:
    with OnRay(cpus=1) as own:
        own.start()
        assert ray_metrics.endpoint() is None
        assert ray.nodes()[0]["MetricsExportPort"] <= 0
