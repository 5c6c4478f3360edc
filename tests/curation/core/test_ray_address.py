"""An address at which nothing listens is refused at once."""

import socket

import pytest

from curation.core.errors import InputError
from curation.core.ray_address import require_listener


def test_a_listener_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.settimeout(10)
        for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}"):
            require_listener(address)
            connection, _ = server.accept()
            connection.close()
            assert connection.fileno() == -1, "a connection was made and ended"


@pytest.mark.parametrize("address", ["auto", "local", "ray://somewhere"])
def test_other_forms_are_left_to_ray(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "create_connection", asked.append)
    require_listener(address)
    assert not asked


@pytest.mark.parametrize("host", ["127.0.0.1", "ray://127.0.0.1", "[::1]", "no-such-host.invalid", "a" * 70])
def test_nothing_listens(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(
        InputError, match=r"no Ray cluster answers at .*; give the address that `ray start --head` prints"
    ):
        require_listener(f"{host}:{port}")


def test_a_port_that_is_none() -> None:
    with pytest.raises(InputError, match=r"no Ray cluster answers at 127.0.0.1:99999"):
        require_listener("127.0.0.1:99999")
