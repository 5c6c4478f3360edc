"""Asking a real server about many texts: retries, limits, malformed answers, the ceiling on cost, and giving up."""

import threading
import time
from pathlib import Path

import pytest

from curation.account.annotate.budget import CHAT_TOKENS, MILLION, Prices
from curation.core.errors import StageError, UserError
from tests.chat_server import ANSWER_TOKENS, PROMPT_TOKENS, Reply, Request, chat_server
from tests.curation.account.annotate.examples import ask

TEXTS = [f"text {number}" for number in range(20)]


def scored(request: Request) -> Reply:
    return Reply(f"Because it is number {request.text}.\nScore: {int(request.text.split()[1]) % 6}")


SCORES = {text: int(text.split()[1]) % 6 for text in TEXTS}


def test_every_text_is_asked_about_once_and_a_second_run_pays_nothing(tmp_path: Path) -> None:
    prices = Prices(price_in=2, price_out=10)
    with chat_server(scored) as server:
        scores, unscored, progress, outcome = ask(server, tmp_path, TEXTS, prices=prices)
        assert (scores, unscored, outcome.stopped) == (SCORES, {}, False)
        assert len(server.requests) == progress.requests == 20
        assert server.requests[0].path == "/v1/chat/completions"
        assert server.requests[0].body["model"] == "m"
        assert progress.spend.paid == pytest.approx(20 * (2 * PROMPT_TOKENS + 10 * ANSWER_TOKENS) / MILLION)
        again, _, second, _ = ask(server, tmp_path, TEXTS, prices=prices)
        assert len(server.requests) == 20
    assert again == SCORES
    assert (second.requests, second.cached, second.spend.paid) == (0, 20, 0)
    assert second.spend.cached == pytest.approx(progress.spend.paid)


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        pytest.param(Reply(status=500), "HTTP 500", id="server error"),
        pytest.param(Reply(drop=True), "connection lost", id="dropped connection"),
        pytest.param(Reply(delay=1.5), "no reply within 0.5 s", id="slow"),
        pytest.param(Reply(raw=b"<html>busy</html>"), "the reply is not a chat completion", id="not JSON"),
    ],
)
def test_a_fault_that_passes_costs_one_retry(tmp_path: Path, fault: Reply, cause: str) -> None:
    def answer(request: Request) -> Reply:
        return fault if request.text in ("text 3", "text 0") and request.number == 1 else scored(request)

    with chat_server(answer) as server:
        scores, _, progress, _ = ask(server, tmp_path, TEXTS, timeout=0.5 if fault.delay else 5.0)
        assert scores == SCORES
        assert dict(progress.retries) == {cause: 2}
        assert len(server.requests) == 22


def test_a_text_that_fails_every_time_is_left_unscored_and_asked_again_by_the_next_run(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return Reply(status=500) if request.text == "text 7" else scored(request)

    with chat_server(answer) as server:
        scores, unscored, progress, _ = ask(server, tmp_path, TEXTS, retries=2)
        assert unscored == {"text 7": "no answer: HTTP 500"}
        assert len(scores) == 19
        assert progress.requests == 22
        server.answer = scored
        again, _, second, _ = ask(server, tmp_path, TEXTS)
        assert (again, second.requests) == (SCORES, 1)


def test_a_refused_text_is_not_asked_about_again(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        refused = Reply(status=400, raw=b'{"error": {"message": "text 0 is bad", "code": "content_filter"}}')
        return refused if request.text in ("text 0", "text 9") else scored(request)

    with chat_server(answer) as server:
        scores, unscored, progress, _ = ask(server, tmp_path, TEXTS)
    assert unscored == dict.fromkeys(("text 0", "text 9"), "refused: HTTP 400 (content_filter)")
    assert (len(scores), progress.requests, dict(progress.retries)) == (18, 20, {})


def test_too_many_requests_slow_all_down_and_lose_nothing(tmp_path: Path) -> None:
    refused = []
    lock = threading.Lock()
    sent = list[float]()

    def answer(request: Request) -> Reply:  # one request per 40 ms
        now = time.monotonic()
        with lock:
            if sent and now - sent[-1] < 0.04:
                refused.append(now)
                return Reply(status=429, headers={"Retry-After": "0.05"})
            sent.append(now)
        return scored(request)

    with chat_server(answer) as server:
        scores, unscored, progress, _ = ask(server, tmp_path, TEXTS, retries=0, concurrency=8)
    assert (scores, unscored) == (SCORES, {})
    assert progress.retries["HTTP 429"] == len(refused) > 0
    assert len(refused) < 60  # 8 at once would be refused about 140 times


def test_retry_after_is_waited_for(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return Reply(status=429, headers={"Retry-After": "0.6"}) if request.number == 1 else scored(request)

    with chat_server(answer) as server:
        begun = time.monotonic()
        assert ask(server, tmp_path, TEXTS[:1])[0] == {"text 0": 0}
        assert 0.6 <= time.monotonic() - begun < 5


def test_at_most_so_many_at_once(tmp_path: Path) -> None:
    with chat_server(lambda request: Reply(delay=0.05)) as server:
        ask(server, tmp_path, TEXTS, concurrency=3)
        assert server.at_once == 3


def test_a_malformed_answer_is_asked_for_once_more(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if request.text == "text 4" and request.number == 1:
            return Reply("I would say three.")
        if request.text == "text 5":
            return Reply("Score: 9", finish="length")
        if request.text == "text 6":
            return Reply(None, finish="content_filter")
        return scored(request)

    with chat_server(answer) as server:
        scores, unscored, progress, _ = ask(server, tmp_path, TEXTS)
        assert scores == {text: score for text, score in SCORES.items() if text not in ("text 5", "text 6")}
        assert unscored == {
            "text 5": "no score in the answer, which was cut off",
            "text 6": "empty answer (content_filter)",
        }
        assert (progress.malformed, progress.requests) == (5, 23)
        second = [request for request in server.requests if request.text == "text 4"][1]
        assert second.body["messages"][-1]["content"].endswith(
            "End your answer with the score, exactly in the form asked for above."
        )
        assert ask(server, tmp_path, TEXTS)[2].requests == 0  # what is malformed twice was paid for twice, and no more


def test_the_ceiling_is_never_passed(tmp_path: Path) -> None:
    """Every answer costs the most that it may: its tokens are all that were set aside."""
    prices = Prices(price_in=1_000_000, price_out=1_000_000, max_cost=10_000)

    def answer(request: Request) -> Reply:
        size = len(request.body["messages"][-1]["content"])
        tokens = b'{"prompt_tokens": %d, "completion_tokens": 512}' % (size + CHAT_TOKENS)
        return Reply(raw=b'{"choices":[{"message":{"content":"Score: 1"}}],"usage":' + tokens + b"}", delay=0.01)

    with chat_server(answer) as server:
        scores, unscored, progress, outcome = ask(server, tmp_path, TEXTS, prices=prices, concurrency=8)
        assert outcome.stopped
        assert not unscored
        assert 9_000 < progress.spend.paid <= 10_000
        assert len(scores) == len(server.requests) == 12  # 796 or 797 each
        again = ask(server, tmp_path, TEXTS, prices=prices)  # what was paid before counts
        assert again[3].stopped
        assert again[2].requests <= 1
        assert again[2].spend.cached == progress.spend.paid
        assert again[2].spend.total <= 10_000


def test_a_request_that_may_have_been_billed_counts_at_its_most(tmp_path: Path) -> None:
    prices = Prices(price_in=1, price_out=1)

    def answer(request: Request) -> Reply:
        return Reply(drop=request.number == 1, usage=False)

    with chat_server(answer) as server:
        spend = ask(server, tmp_path, TEXTS[:1], prices=prices)[2].spend
        size = len(server.requests[0].body["messages"][-1]["content"])
    assert spend.paid == 0
    assert 2 * (size + CHAT_TOKENS + 512) < spend.uncertain * MILLION < 2 * (size + CHAT_TOKENS + 512 + 200)


@pytest.mark.parametrize(
    ("fault", "options", "message"),
    [
        pytest.param(Reply(delay=30), {"timeout": 0.2}, "does not answer: no reply within 0.2 s; check", id="never"),
        pytest.param(Reply(status=502), {}, "does not answer: HTTP 502; check --endpoint", id="bad gateway"),
        pytest.param(
            Reply(status=422), {}, "gave no answer about 5 documents in a row; the last failure: HTTP 422", id="422"
        ),
        pytest.param(
            Reply(status=429, headers={"Retry-After": "3600"}),
            {},
            "has given no answer for 0 s, and asks to wait for 3,600 s; the last failure: HTTP 429",
            id="quota of an hour",
        ),
        pytest.param(
            Reply(status=429), {"patience": 0.5, "timeout": 0.1}, "has given no answer for", id="always too many"
        ),
    ],
)
def test_an_endpoint_that_never_answers_is_given_up(
    tmp_path: Path, fault: Reply, options: dict[str, float], message: str
) -> None:
    with chat_server(lambda _: fault) as server:
        begun = time.monotonic()
        with pytest.raises(StageError, match=message):
            ask(server, tmp_path, TEXTS, **options)
        assert time.monotonic() - begun < 5
        assert len({request.text for request in server.requests}) <= 5


def test_an_endpoint_that_stops_answering_keeps_what_was_paid(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        return scored(request) if int(request.text.split()[1]) < 10 else Reply(status=500)

    with chat_server(answer) as server:
        with pytest.raises(
            StageError,
            match=r"no answer about 7 documents in a row; .* HTTP 500; answers so far are kept in .*answers",
        ):
            ask(server, tmp_path, TEXTS, retries=0, concurrency=1)
        server.answer = scored
        scores, _, progress, _ = ask(server, tmp_path, TEXTS)
        assert (scores, progress.requests) == (SCORES, 10)


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (401, "invalid_api_key", "does not accept the key; set OPENAI_API_KEY .* \\(HTTP 401 \\(invalid_api_key\\)\\)"),
        (404, "model_not_found", "does not have the model 'm'; check --endpoint and --model"),
        (402, "payment_required", "says that the account cannot pay"),
        (429, "insufficient_quota", "says that the account cannot pay"),
        (308, "moved_permanently", "sends requests on to another address"),
    ],
)
def test_what_no_retry_can_mend_ends_at_once(tmp_path: Path, status: int, code: str, message: str) -> None:
    with chat_server(lambda _: Reply(status=status, raw=b'{"error": {"code": "%s"}}' % code.encode())) as server:
        with pytest.raises(UserError, match=message):
            ask(server, tmp_path, TEXTS)
        assert len(server.requests) == 1
