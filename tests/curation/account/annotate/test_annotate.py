"""The whole way: documents in, scores out, as Parquet and JSON lines, with nothing paid twice and nothing shown."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curation.account.annotate.annotate import COLUMNS, Annotations, Cell, annotate, prompt_hash, text_hash
from curation.account.annotate.budget import Prices
from curation.account.annotate.endpoint import Endpoint
from curation.core.errors import StageError, UserError
from tests.chat_server import ChatServer, Reply, Request, chat_server
from tests.curation.account.annotate.examples import KEY, RUBRIC, endpoint
from tests.curation.account.corpus import curate


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = [{"text": f"text {number % 30}", "doc_id": f"d{number}", "n": number} for number in range(40)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scored(request: Request) -> Reply:
    return Reply(f"Why not.\nScore: {int(request.text.split()[1]) % 6}")


def run(server: ChatServer, source: Path | str, output: Path, **options: Any) -> Annotations:
    keywords = {"rubric": RUBRIC, "endpoint": endpoint(server), "prices": Prices(), "documents": 40, **options}
    return annotate(str(source), str(output), **keywords)


def test_equal_texts_are_paid_for_once_and_all_have_rows(texts: Path, tmp_path: Path) -> None:
    with chat_server(scored) as server:
        result = run(server, texts, tmp_path / "s.parquet", signal="n")
    table = pq.read_table(tmp_path / "s.parquet")
    assert (result.requests, result.scored, result.sampled) == (30, 40, 40)
    assert table.schema.equals(COLUMNS)
    assert all(row["score"] == int(row["text"].split()[1]) % 6 for row in table.to_pylist())
    assert {row["text_hash"] for row in table.to_pylist()} == {text_hash(f"text {number}") for number in range(30)}
    assert sum(cell.sampled for cell in result.cells) == 40


def test_json_lines_without_text_are_the_same_rows(texts: Path, tmp_path: Path) -> None:
    with chat_server(scored) as server:
        run(server, texts, tmp_path / "s.parquet")
        result = run(server, texts, tmp_path / "s.jsonl", with_text=False, cache=str(tmp_path / "s.parquet.answers"))
        assert (result.requests, result.cached) == (0, 30)
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert rows == pq.read_table(tmp_path / "s.parquet").drop_columns("text").to_pylist()


def test_a_second_run_needs_no_endpoint_and_writes_the_same_bytes(texts: Path, tmp_path: Path) -> None:
    with chat_server(scored) as server:
        run(server, texts, tmp_path / "s.parquet")
    before = (tmp_path / "s.parquet").read_bytes()
    assert run(server, texts, tmp_path / "s.parquet").requests == 0
    assert (tmp_path / "s.parquet").read_bytes() == before


def test_rows_and_cells(tmp_path: Path) -> None:
    """Two of one source share a text; one has no answer with a score."""
    source = tmp_path / "texts.jsonl"
    texts = [("same", "web"), ("same", "books"), ("bad", "books"), ("zero", "web")]
    rows = [{"text": text, "doc_id": str(k), "source": name} for k, (text, name) in enumerate(texts)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    replies = {"same": Reply("good\nScore: 3"), "zero": Reply("Score: 0"), "bad": Reply("")}

    def answer(request: Request) -> Reply:
        failed = request.number == 1 and request.text == "zero"
        return Reply(status=500) if failed else replies[request.text]

    with chat_server(answer) as server:
        result = run(server, source, tmp_path / "s.parquet")
    found = {row["doc_id"]: row for row in pq.read_table(tmp_path / "s.parquet").to_pylist()}
    shown = {doc_id: (row["score"], row["reason"], row["unscored"]) for doc_id, row in found.items()}
    assert shown == {
        "0": (3, "good", None),
        "1": (3, "good", None),
        "2": (None, None, "empty answer"),
        "3": (0, "", None),
    }
    assert (found["0"]["rubric"], found["0"]["model"], found["0"]["source"]) == ("short 1", "m", "web")
    assert {cell.source: cell for cell in result.cells} == {
        "web": Cell("web", "", 2, 2, 0, {0: 1, 3: 1}),
        "books": Cell("books", "", 2, 2, 1, {3: 1}),
    }
    assert (result.scored, result.not_asked, result.unscored) == (3, 0, {"empty answer": 1})
    assert (result.malformed, result.retries) == (2, {"HTTP 500": 1})
    assert (result.paid, result.uncertain, result.paid_before, result.max_cost) == (None, None, None, None)


def test_where_an_event_loop_runs_already(texts: Path, tmp_path: Path) -> None:
    async def cell(server: ChatServer) -> Annotations:
        return run(server, texts, tmp_path / "s.parquet")

    with chat_server(scored) as server:
        assert asyncio.run(cell(server)).scored == 40


def test_a_run(corpus: Path, tmp_path: Path) -> None:
    folder = curate(corpus).folder
    with chat_server(lambda request: Reply(f"Score: {len(request.text) % 6}")) as server:
        result = run(server, folder, tmp_path / "s.parquet", signal="language.label", documents=12)
    assert [(cell.stratum, cell.sampled, sum(cell.scores.values())) for cell in result.cells] == [
        ("en", 6, 6),
        ("de", 6, 6),
    ]
    assert all(cell.available > 6 for cell in result.cells)


def test_the_ceiling_leaves_documents_out_and_says_so(texts: Path, tmp_path: Path) -> None:
    """512 are set aside for each request and 20 are paid: one at a time, until 188 are paid."""
    prices = Prices(price_in=0, price_out=1_000_000, max_cost=700)
    with chat_server(scored) as server:
        result = run(server, texts, tmp_path / "s.parquet", prices=prices)
        assert server.at_once == 1
    assert (result.requests, result.paid, result.uncertain, result.paid_before) == (10, 200, 0, 0)
    assert result.not_asked == 40 - result.scored > 0
    assert len(pq.read_table(tmp_path / "s.parquet")) == result.scored


def test_another_prompt_or_model_is_asked_anew(texts: Path, tmp_path: Path) -> None:
    output = tmp_path / "s.parquet"
    with chat_server(scored) as server:
        run(server, texts, output)
        for changed in ({"model": "n"}, {"max_tokens": 100}, {"body": {"seed": 1}}):
            other = Endpoint(**{**vars(endpoint(server)), **changed})
            assert run(server, texts, output, endpoint=other).requests == 30
        assert run(server, texts, output).requests == 0


def test_the_prompt_hash_does_not_depend_on_how_answers_are_read() -> None:
    asked = Endpoint(url="http://a", model="m")
    assert prompt_hash(RUBRIC, asked) == prompt_hash(RUBRIC, Endpoint(url="http://b", model="n", timeout=3, key="k"))
    assert prompt_hash(RUBRIC, asked) != prompt_hash(RUBRIC, Endpoint(url="http://a", model="m", temperature=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output": "s.csv"}, r"s.csv: scores are written as .parquet or .jsonl"),
        ({"documents": 0}, "--documents is 0"),
        ({"output": "s3://b/s.parquet"}, "answers are kept on a local disk; name a file there with --cache"),
        ({"source": "nowhere.jsonl"}, "no input matches"),
        ({"signal": "m"}, "has no field 'm'; known: doc_id, n, text"),
    ],
)
def test_mistakes_are_found_before_any_request(
    texts: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    source = options.pop("source", texts)
    name = options.pop("output", "s.parquet")
    with chat_server(scored) as server:
        with pytest.raises(UserError, match=message):
            run(server, source, name if "://" in name else tmp_path / name, **options)
        assert not server.requests


def test_a_ceiling_needs_a_limit_of_the_answer(texts: Path, tmp_path: Path) -> None:
    prices = Prices(price_in=1, price_out=1, max_cost=1)
    with chat_server(scored) as server:
        unlimited = endpoint(server, body={"max_tokens": None})
        with pytest.raises(UserError, match="--max-cost needs max_tokens in the request"):
            run(server, texts, tmp_path / "s.parquet", prices=prices, endpoint=unlimited)


def test_no_key_in_any_file_and_neither_key_nor_text_in_any_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every failure repeats the key and the document, and so does every answer."""
    private = "a private letter"
    source = tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps({"text": f"{private} {number}"}) + "\n" for number in range(12)))
    echo = f"{KEY} {private}"
    errors = [
        Reply(status=500, raw=json.dumps({"error": {"message": echo, "code": echo, "type": echo}}).encode()),
        Reply(status=429, raw=echo.encode(), headers={"Retry-After": echo}),
        Reply(raw=json.dumps({"choices": echo}).encode()),
        Reply(f"No idea: {echo}"),
    ]

    def answer(request: Request) -> Reply:
        if request.number <= len(errors):
            return errors[request.number - 1]
        refused = Reply(status=400, raw=json.dumps({"error": {"message": echo, "code": KEY}}).encode())
        return refused if request.text.endswith("7") else Reply(f"{echo}\nScore: 2")

    caplog.set_level(logging.DEBUG)
    with chat_server(answer) as server:
        asked = endpoint(server, key=KEY)
        result = run(server, source, tmp_path / "s.parquet", endpoint=asked)
        assert (result.scored, result.malformed) == (11, 12)
        assert list(result.unscored) == ["refused: HTTP 400"]
        server.answer = lambda _: Reply(status=401, raw=echo.encode())
        with pytest.raises(UserError) as fatal:
            run(server, source, tmp_path / "t.parquet", endpoint=asked)
        server.answer = lambda _: Reply(status=422, raw=echo.encode())
        with pytest.raises(StageError) as down:
            run(server, source, tmp_path / "t.parquet", endpoint=asked)
    printed = capfd.readouterr()
    shown = f"{caplog.text}{printed.out}{printed.err}{fatal.getrepr(chain=True)}"
    said = f"{fatal.value}{down.value}{result.retries}{result.unscored}"
    assert KEY not in shown + said
    assert private not in caplog.text + printed.out + printed.err + said
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes(), path
    assert all(KEY not in str(row) for row in pq.read_table(tmp_path / "s.parquet").to_pylist())
