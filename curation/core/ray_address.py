"""The address of a Ray cluster: whether anything listens there, which Ray itself takes minutes to find out."""

import socket

from curation.core.credentials import masked
from curation.core.errors import InputError

SECONDS = 10.0  # of waiting for a connection


def require_listener(ray_address: str) -> None:
    """Raises InputError if nothing accepts connections at HOST:PORT or ray://HOST:PORT; other forms, such as auto, are
    left to Ray."""
    host, colon, port = ray_address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(
            f"no Ray cluster answers at {masked(ray_address)}: {error}; give the address that `ray start --head` prints"
        ) from error
