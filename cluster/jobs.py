"""Jobs of a Ray cluster through the server beside its dashboard: submitted, followed, cancelled, listed.

A token that the environment names (RAY_AUTH_MODE, RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH) goes with every request.
"""

import asyncio
import logging
import os
import re
import secrets
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import requests
from ray.exceptions import AuthenticationError
from ray.job_submission import JobDetails, JobStatus, JobSubmissionClient

from curation.core.errors import InputError, StageError

ADDRESS = "RAY_API_SERVER_ADDRESS"  # Ray's own name for the URL of its dashboard
# What runs first in a job, by the name that it has there: the first finds Ray's interpreter for the second.
START = "_winnow_job.sh"
ENTRY = "_winnow_job.py"
ENTRY_FILES = {START: Path(__file__).with_name("entry.sh"), ENTRY: Path(__file__).with_name("entry.py")}
# Ray kills a command 3 s after the signal unless the job says otherwise; winnow ends within 10.
ENVIRONMENT = {"RAY_JOB_STOP_WAIT_TIME_S": "15", "RAY_USAGE_STATS_ENABLED": "0"}
COMMAND = "winnow"  # key of a job's metadata: the command as the user gave it
QUIET = 120.0  # seconds without output after which the connection is renewed, because it may be dead
PATIENCE = 300.0  # seconds of trying to restore a lost connection
STARTING = 60.0  # seconds of waiting for the job server of a head that has just been started
LAST_LINES = 5  # of a job's log that are shown again where its command was killed …
LONGEST_END = 4000  # … characters in all
CANCELLED = 143  # exit code of a command that was ended by SIGTERM
_LOST = (requests.RequestException, aiohttp.ClientError, ConnectionError, RuntimeError, TimeoutError)


class LostJobError(StageError):
    """A job whose command was killed, or that Ray lost; `lines` are the last ones of its log."""

    def __init__(self, message: str, lines: Sequence[str] = (), exit_code: int = 1) -> None:
        super().__init__(message)
        self.lines = tuple(lines)
        self.exit_code = exit_code


@dataclass(frozen=True)
class SubmittedJob:
    """A job that winnow submitted. `ended` is empty while it runs; times are ISO 8601, UTC."""

    id: str
    status: str  # pending, running, stopped, succeeded or failed
    command: str
    started: str
    ended: str


def connect(url: str) -> JobSubmissionClient:
    """Raises InputError, which says what to give instead, if no job server answers at `url`."""
    if not re.match(r"https?://[^/\s]", url):
        raise InputError(
            f"{url} is not the URL of a Ray dashboard; jobs are sent to its HTTP port, e.g. http://HEAD:8265 (ray:// "
            "and HEAD:6379 are for `winnow curate --address` on a node of the cluster)"
        )
    for name in ("ray.dashboard.modules.dashboard_sdk", "ray.dashboard.modules.job.sdk"):
        logging.getLogger(name).setLevel(logging.WARNING)
    before = os.environ.get(ADDRESS)
    os.environ[ADDRESS] = url  # before any argument, Ray takes this and then RAY_ADDRESS
    try:
        return JobSubmissionClient(url)
    except AuthenticationError as error:
        raise InputError(
            f"{url} asks for a token, and this is not the right one or there is none: set RAY_AUTH_MODE=token, and "
            "RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH as on the cluster"
        ) from error
    except (requests.RequestException, OSError, RuntimeError, ValueError, KeyError) as error:
        raise InputError(
            f"no Ray dashboard answers at {url}; give the URL that `ray start --head` prints, or forward its port: "
            "ssh -L 8265:127.0.0.1:8265 HEAD"
        ) from error
    finally:
        if before is None:
            del os.environ[ADDRESS]
        else:
            os.environ[ADDRESS] = before


def new_id(command: str) -> str:
    """A job's id that says what it does, and when it was submitted."""
    return f"winnow-{command}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def submit(client: JobSubmissionClient, package: Path, expected: str, command: Sequence[str], job: str) -> None:
    """Starts `winnow COMMAND` as the job `job`, in the unpacked package.

    `expected` is the identity that the cluster's winnow must have (`cluster.entry`); empty if the package contains
    winnow. Raises InputError if the id is in use, StageError if the cluster does not accept the job.
    """
    deadline = time.monotonic() + STARTING
    while True:
        try:
            if any(details.submission_id == job for details in client.list_jobs()):
                raise InputError(f"there is a job {job} already; give another --id")
            client.submit_job(
                entrypoint=f"exec sh {START} {shlex.join([expected, *command])}",
                submission_id=job,
                runtime_env={"working_dir": str(package), "env_vars": ENVIRONMENT},
                metadata={COMMAND: shlex.join(["winnow", *command])},
            )
            return
        except (requests.RequestException, RuntimeError) as error:
            if "No available agent" not in str(error) or time.monotonic() > deadline:
                raise StageError(f"the cluster did not take the job: {error}") from error
        time.sleep(1.0)


def follow(client: JobSubmissionClient, job: str, write: Callable[[str], None]) -> int:
    """Writes the job's log from the beginning until the job has ended. Returns the exit code of its command.

    A lost connection is restored, and the log continues where it broke off. Raises InputError for an unknown job,
    LostJobError, with the log's last lines, if the command was killed or could not start, StageError if the cluster is
    out of reach for PATIENCE seconds or has forgotten the job.
    """
    find(client, job)
    log = _Log(client, job, write)
    since = time.monotonic()
    while True:
        try:
            asyncio.run(log.tail())
            details = client.get_job_info(job)
            if details.status.is_terminal():
                return exit_code(details, log.last_lines())
            since = time.monotonic()
        except _LOST as error:
            if _is_forgotten(client, job):
                raise StageError(
                    f"the cluster no longer knows the job {job}, because its head was started again; submit the same "
                    "command again to resume"
                ) from error
            if time.monotonic() - max(since, log.heard) > PATIENCE:
                raise StageError(f"lost the connection to the job {job}, which may go on: {error}") from error
        time.sleep(1.0)


def _is_forgotten(client: JobSubmissionClient, job: str) -> bool:
    """Whether the job server answers that there is no such job."""
    try:
        client.get_job_info(job)
    except _LOST as error:
        return "status code 404" in str(error)
    return False


def exit_code(details: JobDetails, lines: Sequence[str] = ()) -> int:
    """The exit code of a job that has ended. Raises LostJobError, with these lines, if a signal killed its command, or
    Ray lost it or could not start it."""
    if details.status is JobStatus.SUCCEEDED:
        return 0
    if details.status is JobStatus.STOPPED:
        return CANCELLED
    code = details.driver_exit_code
    if not code:  # it never ran, or Ray lost it
        said = " ".join(str(details.message).split())[:500]
        raise LostJobError(f"the job {details.submission_id} has failed: {said}", lines)
    if code > 0:
        return int(code)
    cause = ", as happens where its node is out of memory" if -code == signal.SIGKILL else ""
    raise LostJobError(
        f"the command of the job {details.submission_id} was killed on the cluster by {_name(-code)}{cause}; submit "
        "the same command again to resume",
        lines,
        128 - int(code),
    )


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def cancel(client: JobSubmissionClient, job: str) -> bool:
    """Sends SIGTERM to a job's command and waits for its end. False if the job had already ended."""
    if find(client, job).status.is_terminal():
        return False
    try:
        client.stop_job(job)
        while not client.get_job_info(job).status.is_terminal():
            time.sleep(0.5)
    except _LOST as error:
        raise StageError(f"lost the connection while the job {job} was ending: {error}") from error
    return True


def find(client: JobSubmissionClient, job: str) -> JobDetails:
    """Raises InputError for an unknown job."""
    try:
        return client.get_job_info(job)
    except RuntimeError as error:
        raise InputError(f"there is no job {job} on this cluster; `winnow job list` shows them") from error


def winnows(client: JobSubmissionClient) -> list[SubmittedJob]:
    """The jobs that winnow has submitted and the cluster still remembers, by the time of their start."""
    jobs = (details for details in client.list_jobs() if COMMAND in (details.metadata or {}))
    return [
        SubmittedJob(
            id=str(details.submission_id),
            status=details.status.value.lower(),
            command=(details.metadata or {})[COMMAND],
            started=_time(details.start_time),
            ended=_time(details.end_time),
        )
        for details in sorted(jobs, key=lambda details: details.start_time or 0)
    ]


def _time(milliseconds: int | None) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds") if milliseconds else ""


class _Log:
    """A job's log. Each connection sends it from the beginning; what was written before is skipped."""

    def __init__(self, client: JobSubmissionClient, job: str, write: Callable[[str], None]) -> None:
        self._client = client
        self._job = job
        self._write = write
        self._written = 0  # characters
        self._end = ""
        self.heard = 0.0  # time of the last output

    def last_lines(self) -> list[str]:
        """At most LAST_LINES of them, the last one last."""
        return [line for line in self._end.splitlines() if line.strip()][-LAST_LINES:]

    async def tail(self) -> None:
        """Writes until the job has ended. Raises one of _LOST if the connection ends first."""
        chunks: Any = self._client.tail_job_logs(self._job)
        passed = 0
        try:
            while True:
                chunk = await asyncio.wait_for(anext(chunks), QUIET)
                passed += len(chunk)
                fresh = chunk[len(chunk) - (passed - self._written) :] if passed > self._written else ""
                if fresh:
                    self._write(fresh)
                    self._end = (self._end + fresh)[-LONGEST_END:]
                self._written = max(passed, self._written)
                self.heard = time.monotonic()
        except StopAsyncIteration:
            return
        finally:
            await chunks.aclose()
