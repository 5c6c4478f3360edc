"""The command line: exit codes, one clear line for a mistake, JSON with stable names."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curation.core.errors import InputError, StageError
from pipelines.cli import _write_failure, app
from tests.runs import COMMAND, ENVIRONMENT, python, winnow, winnow_here
from tests.support import refusal


def test_plan_of_a_finished_run(finished_run: Path) -> None:
    done = winnow_here("plan", finished_run / "small.yaml", "--output", finished_run / "run", "--json")
    assert done.returncode == 0, done.stderr
    stages = json.loads(done.stdout)
    assert {stage["status"] for stage in stages} == {"sealed"}
    assert [s["stage"] for s in stages][:3] == ["extract", "language", "gopher"]
    assert stages[2]["components"] == ["gopher_quality", "gopher_repetition"]
    assert all(stage["folder"].endswith(stage["address"][:8]) for stage in stages)


def test_plan_says_what_a_cluster_would_take(finished_run: Path) -> None:
    recipe = finished_run / "small.yaml"
    run = finished_run / "run"
    options = ("--like", run, "--nodes", "100", "--cpus", "32", "--price", "1.5", "--times", "1e6")
    sized = json.loads(winnow_here("plan", recipe, *options, "--json").stdout)
    assert {"hours", "cost", "core_hours", "file_bytes", "requests", "memory", "warnings", "assumed"} <= set(sized)
    assert [stage["name"] for stage in sized["stages"]][:3] == ["extract", "language", "gopher"]
    assert sized["stages"][0]["documents"] == 120 * 10**6
    shown = winnow_here("plan", recipe, *options).stdout
    assert "hours on 100 nodes of 32 cores" in shown
    fit = next(stage for stage in sized["stages"] if stage["name"] == "tokenizer")
    assert [step["name"] for step in fit["steps"]] == ["draw", "learn"]
    learn = fit["steps"][1]
    assert learn["units"] == 1
    assert learn["waiting_seconds"] > 0
    assert sized["warnings"]
    assert f"warning: {sized['warnings'][0]}"[:60] in shown


def test_a_plan_for_a_cluster_wants_a_sample(finished_run: Path, tmp_path: Path) -> None:
    done = winnow_here("plan", finished_run / "small.yaml", "--nodes", "100", "--cpus", "32")
    assert done.returncode == 2
    assert "make one with: winnow curate RECIPE --input SOME_FILES --output RUN" in done.stderr
    options = ("--like", tmp_path, "--nodes", "100", "--cpus", "32")
    done = winnow_here("plan", finished_run / "small.yaml", *options)
    assert (done.returncode, "is not a run" in done.stderr) == (2, True)


def test_plan_before_the_run_writes_nothing(finished_run: Path, tmp_path: Path) -> None:
    done = winnow_here("plan", finished_run / "small.yaml", "--output", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert [stage["status"] for stage in json.loads(done.stdout)] == ["will run"] * 5 + ["waits for a fit"] * 3
    assert not (tmp_path / "run").exists()


def test_funnel_why_and_show(finished_run: Path) -> None:
    run = finished_run / "run"
    found = json.loads(winnow_here("funnel", run, "--json").stdout)
    assert found["complete"] is True
    assert {"name", "rows", "kept", "dropped", "tokens", "warnings"} <= set(found["stages"][0])
    assert "packed tokens" in winnow_here("funnel", run).stdout
    (story,) = json.loads(winnow_here("why", run, "--url", "http://town.example/0-0", "--json").stdout)
    assert {"doc_id", "url", "decisions", "fate", "reason", "dropped_by", "tokens"} <= set(story)
    assert "gopher_quality.words =" in winnow_here("why", run, "--url", "http://town.example/0-0").stdout
    rows = json.loads(winnow_here("show", run, "gopher", "--limit", "2", "--json").stdout)
    assert len(rows) == 2


def test_files(finished_run: Path) -> None:
    run = finished_run / "run"
    globs = winnow_here("files", run).stdout.splitlines()
    assert json.loads(winnow_here("files", run, "--json").stdout) == globs
    assert len(globs) == 5
    (gopher,) = winnow_here("files", run, "gopher").stdout.splitlines()
    assert gopher in globs
    assert winnow_here("files", run, "gopher", "--sql").stdout == f"['{gopher}']\n"
    refused = winnow_here("files", run, "--sql", "--json")
    assert (refused.returncode, refused.stderr) == (2, "error: give either --sql or --json\n")


def test_tune(finished_run: Path) -> None:
    run = finished_run / "run"
    words: list[str | Path] = ["tune", run, "--set", "gopher_quality.min_words=400"]
    (found,) = json.loads(winnow_here(*words, "--json").stdout)
    assert {"stage", "rows", "kept_before", "kept_after", "won", "lost", "limits", "histograms", "notes"} <= set(found)
    assert found["stage"] == "gopher"
    assert found["options"] == {"gopher_quality": {"min_words": 400}}
    assert found["lost"]["documents"] > 0
    assert {"low", "high", "documents"} == set(found["histograms"][0]["bins"][0])
    shown = winnow_here(*words, "--by-language").stdout
    assert "50 → 400" in shown
    assert "┃" in shown
    assert [one["stage"] for one in json.loads(winnow_here("tune", run, "--sigma", "3", "--json").stdout)] == [
        "language",
        "gopher",
    ]


def test_tune_fits_languages(finished_run: Path, tmp_path: Path) -> None:
    fitted = json.loads(winnow_here("tune", finished_run / "run", "--fit-languages", tmp_path / "k", "--json").stdout)
    assert {kit["file"] for kit in fitted["kits"]} == {str(path) for path in (tmp_path / "k").iterdir()} != set()


BEFORE_WORK = 2  # lines that a command says of what it does before it can know of a mistake
SLOW = {"numba", "scipy", "ray", "torch", "matplotlib", "pyarrow.dataset", "tokenizers"}
SLOW |= {"curation.engine.driver", "curation.engine.run"}


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        pytest.param(["--help"], set(), id="help"),
        pytest.param(["funnel", "RUN"], set(), id="funnel"),
        pytest.param(["files", "RUN"], set(), id="files"),
        pytest.param(["list"], set(), id="list"),
        pytest.param(["show", "RUN", "gopher"], {"pyarrow.dataset"}, id="show"),
        pytest.param(["why", "RUN", "--url", "http://town.example/0-0"], {"numba", "scipy"}, id="why"),
        pytest.param(["tune", "RUN"], {"numba", "scipy", "pyarrow.dataset"}, id="tune"),
        pytest.param(["plan", "demo", "--input", "INPUT"], SLOW - {"ray", "torch", "matplotlib"}, id="plan"),
    ],
)
def test_a_command_imports_nothing_slow_that_it_does_not_run(
    finished_run: Path, arguments: list[str], allowed: set[str]
) -> None:
    paths = {"RUN": str(finished_run / "run"), "INPUT": str(next(finished_run.rglob("*.warc*")))}
    given = [paths.get(argument, argument) for argument in arguments]
    code = (
        "import sys, pipelines.cli as cli\n"
        f"try: cli.app({given!r}, standalone_mode=False)\n"
        f"finally: print(*{SLOW!r} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout
    assert set(done.stderr.split()) <= allowed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["curate", "nowhere"], 2, "no recipe named 'nowhere' is shipped", id="recipe name"),
        pytest.param(["curate", "nowhere.yaml"], 2, "no file at nowhere.yaml", id="recipe file"),
        pytest.param(["curate", "demo", "--input", "/none/*.gz"], 2, "no input matches /none/*.gz", id="input"),
        pytest.param(["curate", "demo"], 2, "no paths: give them here or with --input", id="no input"),
        pytest.param(["curate", "demo", "--input", "zz://a/b"], 2, "winnow cannot read zz:// paths", id="scheme"),
        pytest.param(["funnel", "/none"], 2, "/none is not a run", id="run"),
        pytest.param(["why", "/none"], 2, "say which document: give one of --url URL", id="which document"),
        pytest.param(
            ["why", "/none", "--id", "1", "--url", "u"], 2, "give one of --url URL, --doc-id", id="two of them"
        ),
        pytest.param(["why", "/none", "--id", "1"], 2, "/none is not a run", id="an id of a data set"),
        pytest.param(
            ["why", "/none", "--doc-id", "xyz"], 2, "'xyz' is not a doc_id: expected 32 hex digits", id="doc_id"
        ),
        pytest.param(["funnel", b"/none/caf\xe9"], 2, r"/none/caf\xe9 is not a run", id="no UTF-8"),
        pytest.param(["curate", "gopher", "--input", ""], 2, "'' is no path", id="empty input"),
        pytest.param(["tune", "/none", "--set", "a.b=&x [*x]"], 2, "is not a YAML value", id="endless setting"),
        pytest.param(["tune", "/none", "--set", "a.b=" + "9" * 5000], 2, "is not a YAML value", id="long number"),
        pytest.param(
            ["describe", "exat"], 2, "no component or key is named 'exat'; did you mean 'exact'?", id="component"
        ),
        pytest.param(["tune", "/none", "--set", "words=3"], 2, "expected KEY.OPTION=VALUE", id="setting"),
        pytest.param(["tune", "/none"], 2, "/none is not a run", id="tuned run"),
        pytest.param(
            ["tune", "/none", "--fit-languages", "k", "--sigma", "3"], 2, "--quantile alone", id="fitted kits"
        ),
        pytest.param(
            ["tune", "/none", "--fit-languages", "k", "--set", "a.b=1"],
            2,
            "--quantile alone",
            id="fitted kits, a limit",
        ),
        pytest.param(["train", "demo", "--data", "/none", "--output", "/none/o"], 2, "/none", id="training data"),
    ],
)
def test_mistakes(arguments: list[str | bytes], code: int, message: str) -> None:
    done = winnow_here(*(os.fsdecode(one) for one in arguments))
    assert done.returncode == code
    said, error = done.stderr.strip().rsplit("\n", 1) if "\n" in done.stderr.strip() else ("", done.stderr)
    assert message in error
    assert "error" not in said
    assert "Traceback" not in done.stderr
    assert len(said.splitlines()) <= BEFORE_WORK


def test_a_long_error_is_cut_in_its_middle() -> None:
    """The name of a file may be as long as 64 KiB."""
    done = winnow_here("curate", "gopher", "--input", "a" * 60_000)
    assert done.returncode != 0
    assert len(done.stderr.splitlines()[-1]) < 10_100
    assert "aaa … aaa" in done.stderr


def test_a_stage_outside_its_bounds_stops_the_run(finished_run: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "strict.yaml"
    text = (finished_run / "small.yaml").read_text()
    recipe.write_text(text.replace("      name: gopher", "      name: gopher\n      expect_kept: [0.0, 0.01]"))
    shutil.copytree(finished_run / "run", tmp_path / "run")
    done = winnow("curate", recipe, "--output", tmp_path / "run")
    assert done.returncode == 1
    assert "gopher kept" in done.stderr
    assert "outside expect_kept [0.0, 0.01]" in done.stderr


@pytest.mark.parametrize(
    ("given", "workers", "verify", "steps"),
    [([], None, False, 320), (["--workers", "3", "steps=100", "--verify"], 3, True, 100)],
)
def test_train_hands_on_what_it_is_given(
    monkeypatch: pytest.MonkeyPatch, given: list[str], workers: int | None, verify: bool, steps: int
) -> None:
    job = pytest.importorskip("training.job")
    asked: dict[str, object] = {}
    result = {"steps": 1, "validation_loss": 2.0}
    monkeypatch.setattr(job, "train", lambda config, *_, **given: asked.update(given, steps=config.steps) or result)
    done = CliRunner().invoke(app, ["train", "demo", "--data", "d", "--output", "o", "--json", *given])
    assert done.exit_code == 0, done.output
    assert (asked["workers"], asked["verify"], asked["steps"]) == (workers, verify, steps)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_with_its_code_and_one_line(number: int, code: int) -> None:
    script = (
        "import os, signal, sys, typer, pipelines.cli as cli; app = typer.Typer()\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which a shell's background job has not
        f"@app.command()\ndef stop() -> None: os.kill(os.getpid(), {int(number)})\n"
        "cli.app = app; sys.argv = ['winnow']; cli.main()"
    )
    done = python(script)
    assert done.returncode == code
    assert done.stderr == "stopped\n"


def test_sigterm_keeps_its_code_where_ray_makes_another_of_it() -> None:
    script = (
        "import os, signal, sys, typer, pipelines.cli as cli; app = typer.Typer()\n"
        "@app.command()\ndef stop() -> None:\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    except SystemExit: sys.exit(1)\n"  # as ray.get does
        "cli.app = app; sys.argv = ['winnow']; cli.main()"
    )
    done = python(script)
    assert (done.returncode, done.stderr) == (143, "stopped\n")


def test_words_that_the_terminal_cannot_show_are_escaped(finished_run: Path) -> None:
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    for arguments in (["tune", "--sigma", "3"], ["funnel", "--json"]):
        command = [*COMMAND, arguments[0], str(finished_run / "run"), *arguments[1:]]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()


def test_a_traceback_that_cannot_be_kept_hides_no_failure(tmp_path: Path) -> None:
    (tmp_path / "failure.txt").mkdir()
    assert refusal(_write_failure, str(tmp_path), StageError("a task failed", "its traceback")) is None
    assert list(tmp_path.iterdir()) == [tmp_path / "failure.txt"]


def test_what_is_kept_of_a_failure(tmp_path: Path) -> None:
    _write_failure(
        str(tmp_path), StageError("gopher: unit 1 failed", "unit 1, a.warc\nattempt 4 on node h: OSError\n…")
    )
    when, *lines = (tmp_path / "failure.txt").read_text().splitlines()
    assert when.startswith("20")
    assert lines == ["gopher: unit 1 failed", "", "unit 1, a.warc", "attempt 4 on node h: OSError", "…"]


def test_only_a_failure_that_is_no_bad_input_points_to_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write_failure(str(tmp_path), InputError("no item has 5 tokens", "its traceback"))
    assert "its traceback" in (tmp_path / "failure.txt").read_text()
    assert capsys.readouterr().err == ""
    _write_failure(str(tmp_path), StageError("a task failed", "its traceback"))
    assert "failure.txt" in capsys.readouterr().err.replace("\n", "")


def test_inline_has_no_cores_of_a_ray() -> None:
    done = winnow_here("curate", "demo", "--inline", "--cpus", "2")
    assert (
        done.returncode,
        "--cpus applies to a local Ray only and cannot be combined with --inline" in done.stderr,
    ) == (2, True)
