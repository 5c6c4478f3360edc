"""Variables of a launcher that are wrong, and others that never come, are one line."""

import socket
from contextlib import closing
from datetime import timedelta

import pytest

from curation.core.errors import InputError
from training.parallel import joining
from training.parallel.joining import join_group


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """One that nobody uses, in variables as torchrun sets them for the first of two processes."""
    with closing(socket.socket()) as some:
        some.bind(("127.0.0.1", 0))
        free = some.getsockname()[1]
    named = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free)}
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(joining, "PATIENCE", timedelta(seconds=1))
    return free


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "RANK",
            "abc",
            "RANK is 'abc' in the environment, not a number from 0 to 1; start the processes with torchrun",
        ),
        ("RANK", "2", "RANK is '2' in the environment, not a number from 0 to 1"),
        ("RANK", "", "RANK is '' in the environment"),
        ("WORLD_SIZE", "-3", "WORLD_SIZE is '-3' in the environment, not a number from 1 to"),
        ("WORLD_SIZE", "0", "WORLD_SIZE is '0'"),
        ("MASTER_PORT", "65536", "MASTER_PORT is '65536' in the environment, not a number from 1 to 65535"),
        ("MASTER_ADDR", "", "MASTER_ADDR is not set"),
    ],
)
def test_variables_that_are_wrong(
    port: int, monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=message):
        join_group("gloo")


def test_the_others_never_come(port: int) -> None:
    with pytest.raises(InputError, match=f"process 0 of 2 cannot join the others at 127.0.0.1:{port}: ") as caught:
        join_group("gloo")
    assert "\n" not in str(caught.value)


def test_waiting_is_told(port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(joining, "EVERY", 0.1)
    with caplog.at_level("INFO", "training"), pytest.raises(InputError):
        join_group("gloo")
    assert "waiting for the other processes" in caplog.messages


def test_another_program_uses_the_port(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "1")
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(InputError, match=r"process 0 of 1 cannot join .* another program uses the port"):
            join_group("gloo")
