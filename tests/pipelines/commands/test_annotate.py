"""`winnow annotate`: its output, its mistakes, and what a crash or Ctrl-C leaves."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.account.annotate.endpoint import Endpoint
from pipelines import api
from tests.chat_server import ChatServer, Reply, Request, chat_server
from tests.runs import COMMAND, ENVIRONMENT, hear_sigint, winnow_here

RUBRIC = "name: short\nversion: 1\nscore: 'Score: ([0-5])'\nprompt: |\n  Rate it.\n  Text: {text}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"text": f"text {number}", "source": "ab"[number % 2]} for number in range(60)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "r.yaml").write_text(RUBRIC)
    return tmp_path


def arguments(folder: Path, server: ChatServer, *more: str) -> list[str]:
    options = {
        "--rubric": folder / "r.yaml",
        "--endpoint": server.url,
        "--model": "m",
        "--output": folder / "s.parquet",
    }
    return [
        "annotate",
        str(folder / "d.jsonl"),
        *(str(word) for option in options.items() for word in option),
        *more,
    ]


def scored(request: Request) -> Reply:
    return Reply(f"Why not.\nScore: {int(request.text.split()[1]) % 3}")


def test_scores_and_their_cost(folder: Path) -> None:
    prices = ("--price-in", "1", "--price-out", "5", "--max-cost", "1")
    with chat_server(scored) as server:
        done = winnow_here(*arguments(folder, server, "--documents", "30", *prices))
        assert done.returncode == 0, done.stderr
        assert "30 requests; 3,000 prompt tokens and 600 answer tokens in" in done.stdout
        assert "; spent 0.0060\n" in done.stdout
        assert "30 scores in" in done.stdout
        result = json.loads(winnow_here(*arguments(folder, server, "--documents", "40", *prices, "--json")).stdout)
        assert len(server.requests) == 40
    assert (result["requests"], result["cached"], result["scored"]) == (10, 30, 40)
    assert result["paid_before"] == pytest.approx(0.006)
    assert result["asked"]["rubric"] == "short 1"
    assert [(cell["source"], cell["sampled"]) for cell in result["cells"]] == [("a", 20), ("b", 20)]
    assert len(pq.read_table(folder / "s.parquet")) == 40


def test_the_key_comes_from_the_named_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OTHER_KEY", "sk-other ")
    with chat_server(scored) as server:
        assert winnow_here(*arguments(folder, server, "--documents", "1")).returncode == 0
        assert winnow_here(*arguments(folder, server, "--documents", "2", "--api-key-env", "OTHER_KEY")).returncode == 0
        monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
        assert winnow_here(*arguments(folder, server, "--documents", "3")).returncode == 0
    keys = [request.headers.get("Authorization") for request in server.requests]
    assert keys == [None, "Bearer sk-other", "Bearer sk-usual"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--max-cost", "0", "--price-in", "1", "--price-out", "1"], "--max-cost is 0, which pays for no answer"),
        (["--max-cost", "1"], "--max-cost needs --price-in and --price-out above 0"),
        (["--api-key-env", "NO_SUCH_KEY"], "--api-key-env NO_SUCH_KEY: there is no such variable"),
        (["--body", "{"], "--body is not JSON"),
        (["--body", '{"stream": true}'], "--body must be a JSON object of request fields, without messages"),
        (
            ["--rubric", "educationl"],
            "no rubric named 'educationl' is shipped; give a path to a .yaml file, or one of:",
        ),
        (["--strata", "score"], "has no field 'score'; did you mean 'source'?"),
    ],
)
def test_mistakes_are_one_line_before_any_request(folder: Path, more: list[str], message: str) -> None:
    with chat_server(scored) as server:
        done = winnow_here(*arguments(folder, server, *more))
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert not server.requests


def test_no_server_is_one_line(folder: Path) -> None:
    with chat_server() as server:
        pass
    done = winnow_here(*arguments(folder, server))
    assert done.returncode == 1
    assert "does not answer: no connection; check --endpoint, and that the server runs" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "s.parquet").exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_was_paid_outlives_the_command(folder: Path, number: signal.Signals) -> None:
    with chat_server(lambda request: Reply(scored(request).content, delay=0.1)) as server:
        command = [*COMMAND, *arguments(folder, server, "--concurrency", "3")]
        process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, preexec_fn=hear_sigint)
        until = time.monotonic() + 120
        while len(server.requests) < 12 and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
        assert number == signal.SIGKILL or "stopped; what is finished stays. Continue with: " in err
        paid = len((folder / "s.parquet.answers").read_text().splitlines())
        asked = len(server.requests)
        assert 6 <= asked - 3 <= paid <= asked
        done = winnow_here(*arguments(folder, server, "--json"))
        assert json.loads(done.stdout)["cached"] == paid
        assert len(server.requests) - asked == 60 - paid


def test_from_python(folder: Path) -> None:
    with chat_server(scored) as server:
        result = api.annotate(
            folder / "d.jsonl",
            folder / "s.jsonl",
            rubric=folder / "r.yaml",
            endpoint=Endpoint(url=server.url, model="m"),
            documents=7,
        )
    assert (result.scored, len((folder / "s.jsonl").read_text().splitlines())) == (7, 7)
