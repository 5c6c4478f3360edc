"""`winnow submit`: what it refuses before it speaks to a cluster, and what it would send."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cluster import entry, jobs
from curation.fit.tokenizer import Tokenizer
from pipelines.ending import StopSignal
from tests.runs import winnow_here
from tests.support import learned

RECIPE = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: [/crawl/*.jsonl]}}
    - filter: {gopher_quality: {min_words: 10}}
    - tokenize: {tokenizer: %s}
    - pack: {sequence_length: 8}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with a recipe that names a file by a relative path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(RECIPE % "files/tokenizer.json")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "tokenizer.json").write_bytes(learned(Tokenizer(vocab_size=300), [pa.array(["words"])]))
    (tmp_path / "large.bin").write_bytes(bytes(100))
    return tmp_path


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What reaches the cluster: the names in the package, the expected winnow, the command and the id."""
    seen: dict[str, Any] = {}

    def submit(client: object, package: Path, expected: str, command: Sequence[str], job: str) -> None:
        with zipfile.ZipFile(package) as content:
            seen.update(names=content.namelist(), expected=expected, command=list(command))

    monkeypatch.setattr(jobs, "connect", lambda url: seen.update(url=url))
    monkeypatch.setattr(jobs, "submit", submit)
    monkeypatch.setattr(jobs, "new_id", lambda command: "made")
    return seen


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["funnel", "/runs/a"], "'funnel' cannot be submitted; submit `-- curate RECIPE"),
        (["curate", "mine.yaml"], "--output: give an absolute path that every node of the cluster sees, or a URI"),
        (["curate", "mine.yaml", "--output", "runs/a"], "--output runs/a: give an absolute path"),
        (["curate", "mine.yaml", "--output", "/r", "--input", "a/*"], "the input a/*: give an absolute path"),
        (["curate", "mine.yaml", "--output", "/r", "--cpus", "2"], "leave --cpus of curate out"),
        (["curate", "mine.yaml", "--output", "/r", "--inline"], "leave --inline of curate out"),
        (["curate", "mine.yaml", "--output", "/r", "--address", "auto"], "leave --address of curate out"),
        (["curate", "gone.yaml", "--output", "/r"], "no file at gone.yaml"),
        (["curate", "mine.yaml", "--output", "ftp://h/r"], "winnow cannot read ftp:// paths"),
        (["curate", "mine.yaml", "--output", "hf://datasets/a/b"], "no run can be kept at hf://datasets/a/b"),
        (["curate", "demo", "--output", "s3://KEY:SECRET@b/r"], "has credentials in it, which Ray would show"),
        (["train", "demo", "--data", "runs/a", "--output", "/m"], "--data runs/a: give an absolute path"),
        (
            ["train", "demo", "--data", "/a", "--output", "/m", "--from", "runs/m"],
            "--from runs/m: give an absolute path",
        ),
        (["train", "demo", "--data", "/a", "--output", "/m", "--init", "m"], "--init m: give an absolute path"),
        (["train", "gone.yaml", "--data", "/a", "--output", "/m"], "no file at gone.yaml"),
        (["train", "demo", "setps=3", "--data", "/a", "--output", "/m"], "setps=3: unknown option 'setps'"),
    ],
)
def test_what_cannot_be_submitted(arguments: list[str], says: str) -> None:
    done = winnow_here("submit", "--address", "http://127.0.0.1:1", "--", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "SECRET" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("min_words", "min_wrds", "mine.yaml:6: sources.web.1.filter.gopher_quality"),
        ("files/tokenizer.json", "files/gone.json", "mine.yaml:7: sources.web.2.tokenize"),
    ],
)
def test_a_mistake_in_the_recipe_shows_before_anything_is_sent(here: Path, old: str, new: str, says: str) -> None:
    (here / "mine.yaml").write_text((here / "mine.yaml").read_text().replace(old, new))
    done = winnow_here("submit", "--address", "http://127.0.0.1:1", "--", "curate", "mine.yaml", "--output", "/r")
    assert done.returncode == 2
    assert says in done.stderr


def test_what_a_recipe_needs_goes_with_it_and_nothing_else(sent: dict[str, Any]) -> None:
    arguments = ("curate", "mine.yaml", "--input", "s3://b/*.jsonl", "--output", "s3://b/run", "--json")
    done = winnow_here("submit", "--no-follow", "--id", "one", "--address", "http://h:1", "--", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "one\n"
    assert (
        "winnow job follow one --address http://h:1; end it: winnow job cancel one --address http://h:1" in done.stderr
    )
    assert sent == {
        "url": "http://h:1",
        "names": ["_winnow_job.py", "_winnow_job.sh", "files/tokenizer.json", "mine.yaml"],
        "expected": entry.identity(),
        "command": ["curate", "./mine.yaml", "--input", "s3://b/*.jsonl", "--output", "s3://b/run", "--json"],
    }


def test_a_recipe_from_elsewhere_and_a_shipped_one(
    here: Path, sent: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "sub").mkdir()
    monkeypatch.chdir(here / "sub")
    (here / "plain.yaml").write_text(
        RECIPE.replace("    - tokenize: {tokenizer: %s}\n", "").replace("    - pack", "    #")
    )
    for recipe, command, files in (("../plain.yaml", "./plain.yaml", ["plain.yaml"]), ("demo", "demo", [])):
        done = winnow_here("submit", "--no-follow", "--", "curate", recipe, "--input", "/a/*", "--output", "/r")
        assert done.returncode == 0, done.stderr
        assert sent["command"][:2] == ["curate", command]
        assert sent["names"] == ["_winnow_job.py", "_winnow_job.sh", *files]


def test_a_secret_that_the_user_allows_is_allowed_in_the_job(here: Path, sent: dict[str, Any]) -> None:
    text = (here / "mine.yaml").read_text()
    (here / "mine.yaml").write_text(text + "storage: {s3: {key: {env: MY_ID}, secret: {file: /home/ann/s3}}}\n")
    command = ["curate", "mine.yaml", "--output", "/r"]
    done = winnow_here("submit", "--no-follow", "--", *command)
    assert done.returncode == 2
    assert "mine.yaml:9: storage.s3.key: the variable MY_ID is none of those" in done.stderr
    assert not sent
    allowed = ["--allow-env", "MY_ID", "--allow-file", "/home/ann/s3"]
    done = winnow_here("submit", "--no-follow", "--", *command, *allowed)
    assert done.returncode == 0, done.stderr
    assert sent["command"] == ["curate", "./mine.yaml", "--output", "/r", *allowed]


def test_a_whole_folder(here: Path, sent: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    arguments = ("--", "curate", "mine.yaml", "--output", "/r")
    done = winnow_here("submit", "--no-follow", "--working-dir", here, *arguments)
    assert done.returncode == 0, done.stderr
    assert sent["names"] == ["_winnow_job.py", "_winnow_job.sh", "files/tokenizer.json", "large.bin", "mine.yaml"]
    assert winnow_here("submit", "--working-dir", here / "none", *arguments).returncode == 2


def test_a_file_that_may_be_on_the_nodes(here: Path, sent: dict[str, Any]) -> None:
    (here / "mine.yaml").write_text(RECIPE % "/models/tokenizer.json")
    done = winnow_here("submit", "--no-follow", "--", "curate", "mine.yaml", "--output", "/r")
    assert done.returncode == 0
    assert "warning: not checked here, but before work on the cluster: mine.yaml:7:" in done.stderr
    assert sent["names"] == ["_winnow_job.py", "_winnow_job.sh", "mine.yaml"]


def test_the_path_of_a_recipe_is_no_file_that_may_be_on_the_nodes(here: Path, sent: dict[str, Any]) -> None:
    (here / "bad.yaml").write_text(RECIPE % '"@tokeniser"')
    for recipe, says in (
        ("demo", "no paths: give them here or with --input"),
        (here / "bad.yaml", "no fit stage before named 'tokeniser'"),
    ):
        done = winnow_here("submit", "--no-follow", "--", "curate", recipe, "--output", "/r")
        assert done.returncode == 2
        assert says in done.stderr
    assert not sent


def test_a_wheel_of_winnows_brings_its_own_version(here: Path, sent: dict[str, Any]) -> None:
    arguments = ("--", "train", "demo", "seed=3", "--verify", "steps=99", "--data", "/a", "--output", "/m")
    for name, expected in (("winnow_corpus-9-py3-none-any.whl", ""), ("other-9-py3-none-any.whl", entry.identity())):
        with zipfile.ZipFile(here / name, "w") as wheel:
            wheel.writestr("some.py", "")
        assert winnow_here("submit", "--no-follow", "--wheel", here / name, *arguments).returncode == 0
        assert sent["expected"] == expected
        assert sent["names"] == ["_winnow_job.py", "_winnow_job.sh", "some.py"]
        given = ["train", "demo", "seed=3", "steps=99", "--data", "/a", "--output", "/m", "--verify"]
        assert sorted(sent["command"]) == sorted(given)
        assert sent["command"][:2] == given[:2]


def test_ctrl_c_while_a_job_is_sent_says_how_to_end_it(
    sent: dict[str, Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise SystemExit(130)

    monkeypatch.setattr(jobs, "submit", interrupted)
    given = ("--address", "http://h:1", "--", "curate", "mine.yaml", "--output", "/r")
    with pytest.raises(StopSignal, match=r"if the job was sent already.*winnow job cancel made --address http://h:1"):
        winnow_here("submit", *given)
