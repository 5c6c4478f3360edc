"""Asks an endpoint about many texts at once, and bears what goes wrong.

A request without a usable reply is sent again after 1, 2, 4 … seconds, or when the server says, `retries` times. One
that is refused for being too many is sent again without end, but all requests slow down. An answer without a score is
asked for once more. The first text is asked about alone, so that an endpoint that never answers is noticed at once;
later, many texts in a row without an answer, or `patience` seconds without any, end the command.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

import aiohttp

from curation.account.annotate.answers import Answer, Answers
from curation.account.annotate.budget import Spend
from curation.account.annotate.endpoint import Endpoint, LimitedError, UnansweredError, UnavailableError
from curation.account.annotate.rubric import Rubric
from curation.account.annotate.throttle import Throttle
from curation.core.errors import StageError, WinnowError

FAILURES = 5  # texts in a row without an answer that end the command; after the first answer, two per request at once
FIRST_RETRIES = 2  # of the first text
LONGEST_WAIT = 60.0  # seconds between two requests about a text, unless the server says more
ASKED = 2  # times at most that an answer is paid for


class CeilingError(Exception):
    """The ceiling on cost leaves no room for a request."""


@dataclass
class TeacherProgress:
    """Figures while the endpoint is asked; `Teacher` changes them."""

    texts: int
    spend: Spend
    done: int = 0  # texts with an outcome
    cached: int = 0  # of them, without a request
    requests: int = 0
    malformed: int = 0  # answers without a score
    retries: Counter[str] = field(default_factory=Counter)  # further requests, by cause
    seconds: float = 0.0


@dataclass
class TeacherOutcome:
    """Of each text's hash, its score and reason, or why it has none; `stopped` where the ceiling left texts out."""

    scores: dict[str, tuple[int, str]] = field(default_factory=dict)
    unscored: dict[str, str] = field(default_factory=dict)
    stopped: bool = False


class Teacher:
    """One use of an endpoint. `ask` is called once."""

    def __init__(
        self,
        endpoint: Endpoint,
        rubric: Rubric,
        answers: Answers,
        progress: TeacherProgress,
        on_progress: Callable[[TeacherProgress], None],
    ) -> None:
        self._endpoint = endpoint
        self._rubric = rubric
        self._answers = answers
        self._progress = progress
        self._on_progress = on_progress
        self._spend = progress.spend
        self._outcome = TeacherOutcome()
        self._begun = self._heard = monotonic()
        self._failures = 0  # texts in a row without an answer
        self._answered = False
        self._error: WinnowError | OSError | None = None  # that ends the command

    async def ask(self, keys: Sequence[str], text_of: Callable[[str], str]) -> TeacherOutcome:
        """`keys` are hashes of different texts. First all stored answers are used and counted, without the endpoint.

        Raises UserError or StageError in one line where the endpoint answers nobody. Requests that are under way then
        are waited for: they may have been paid.
        """
        waiting = iter([key for key in keys if not self._use_stored(key, text_of(key))])
        self._throttle = Throttle(self._endpoint.concurrency)
        self._returned = asyncio.Condition()
        self._heard = monotonic()
        async with self._endpoint.session() as session:
            while not self._answered and not self._error and (key := next(waiting, None)):
                await self._settle(session, key, text_of(key))
            async with asyncio.TaskGroup() as group:
                for _ in range(self._endpoint.concurrency):
                    group.create_task(self._work(session, waiting, text_of))
        if self._error is not None:
            raise self._error
        return self._outcome

    def _use_stored(self, key: str, text: str) -> bool:
        """Whether the stored answers are enough for a text."""
        answers = self._answers.of(key)
        for number, answer in enumerate(answers):
            self._spend.use_cached(answer, self._spend.most(len(self._request(text, again=number > 0))))
        if not self._conclude(key, answers):
            return False
        self._progress.cached += 1
        self._report()
        return True

    def _conclude(self, key: str, answers: Sequence[Answer]) -> bool:
        """Notes a text's score, or that it has none after all answers; False if it must be asked about."""
        scores = (scored for answer in answers if (scored := self._rubric.read(answer.answer)))
        if scored := next(scores, None):
            self._outcome.scores[key] = scored
        elif len(answers) >= ASKED:
            self._outcome.unscored[key] = _why(answers[-1])
        else:
            return False
        self._progress.done += 1
        return True

    async def _work(
        self, session: aiohttp.ClientSession, waiting: Iterator[str], text_of: Callable[[str], str]
    ) -> None:
        while not (self._error or self._outcome.stopped) and (key := next(waiting, None)):
            await self._settle(session, key, text_of(key))

    async def _settle(self, session: aiohttp.ClientSession, key: str, text: str) -> None:
        """Asks about one text until it has a score or none will come."""
        answers = self._answers.of(key)
        try:
            while not self._conclude(key, answers):
                answers.append(await self._answer(session, key, text, again=bool(answers)))
        except CeilingError:
            self._outcome.stopped = True
        except (UnavailableError, UnansweredError) as error:
            self._fail(key, error)
        except (WinnowError, OSError) as error:
            self._error = self._error or error
        self._report()

    def _request(self, text: str, *, again: bool) -> bytes:
        return self._endpoint.request(self._rubric.messages(text, again=again))

    async def _answer(self, session: aiohttp.ClientSession, key: str, text: str, *, again: bool) -> Answer:
        """A new answer, stored. Raises what `Endpoint.ask` raises when all retries have failed, and CeilingError."""
        request = self._request(text, again=again)
        retries = self._endpoint.retries if self._answered else min(FIRST_RETRIES, self._endpoint.retries)
        jitter = random.Random(key)
        failed = 0
        while True:
            try:
                answer = await self._send(session, request)
                break
            except UnavailableError as error:
                limited = isinstance(error, LimitedError)
                failed += not limited
                if failed > retries:
                    raise
                wait = min(self._endpoint.backoff * 2 ** max(failed - 1, 0), LONGEST_WAIT)
                wait = max(wait, error.after or 0.0)
                self._check_patience(error, wait)
                self._progress.retries[str(error)] += 1
                self._report()
                if limited:
                    self._throttle.slow_down(wait)
                else:
                    await asyncio.sleep(wait * (1 + jitter.random() / 4))
        self._answers.add(key, answer)
        self._answered = True
        self._heard = monotonic()
        self._failures = 0
        self._throttle.speed_up()
        self._progress.malformed += self._rubric.read(answer.answer) is None
        self._report()
        return answer

    async def _send(self, session: aiohttp.ClientSession, request: bytes) -> Answer:
        """One request, once there is room for it below the ceiling. Raises CeilingError where there will be none."""
        most = self._spend.most(len(request))
        async with self._throttle.turn():
            async with self._returned:
                await self._returned.wait_for(lambda: self._spend.fits(most) or not self._spend.under_way)
            if self._error is not None:
                raise self._error
            if self._outcome.stopped or not self._spend.fits(most):
                raise CeilingError
            self._spend.reserve(most)
            self._progress.requests += 1
            try:
                answer = await self._endpoint.ask(session, request)
                self._spend.pay(answer, most)
                return answer
            except UnavailableError as error:
                self._spend.uncertain += most if error.billed else 0.0
                raise
            finally:
                self._spend.release(most)
                async with self._returned:
                    self._returned.notify_all()

    def _fail(self, key: str, error: UnavailableError | UnansweredError) -> None:
        """Notes that a text got no answer; ends the command where no text does."""
        cause = str(error)
        self._failures += 1
        most = FAILURES + (2 * self._endpoint.concurrency if self._answered else 0)
        if self._failures >= most:
            self._end(f"gave no answer about {most} documents in a row; the last failure: {cause}")
        elif not self._answered and isinstance(error, UnavailableError):
            self._end(f"does not answer: {cause}; check --endpoint, and that the server runs")
        self._progress.done += 1
        self._outcome.unscored[key] = f"{'refused' if isinstance(error, UnansweredError) else 'no answer'}: {cause}"

    def _check_patience(self, error: UnavailableError, wait: float) -> None:
        """Raises StageError where the next request would come too long after the last answer."""
        silent = monotonic() - self._heard
        if silent + wait > max(self._endpoint.patience, 2 * self._endpoint.timeout):
            asked = f", and asks to wait for {wait:,.0f} s" if error.after else ""
            self._end(f"has given no answer for {silent:,.0f} s{asked}; the last failure: {error}")
            raise StageError(str(self._error))

    def _end(self, problem: str) -> None:
        kept = f"; answers so far are kept in {self._answers.path}, and the same command goes on from there"
        self._error = self._error or StageError(
            f"{self._endpoint.address} {problem}{kept if self._answered or self._progress.cached else ''}"
        )

    def _report(self) -> None:
        self._progress.seconds = monotonic() - self._begun
        self._on_progress(self._progress)


def _why(answer: Answer) -> str:
    """Why a text has no score after its last answer."""
    if not answer.answer.strip():
        return f"empty answer ({answer.finish})" if answer.finish == "content_filter" else "empty answer"
    return "no score in the answer, which was cut off" if answer.finish == "length" else "no score in the answer"
