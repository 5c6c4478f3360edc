"""A Ray on this machine that only its user can enter: on loopback, behind a token, its files in a private folder.

Ray itself listens on every interface, and everyone may write to its folder under /tmp and to the sockets in it. It also
replaces a program's SIGTERM handler by ones that end it silently, with another exit code.
"""

import ctypes
import os
import secrets
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from ray._common.utils import get_default_system_temp_dir
from ray._private import ray_constants, utils
from ray._private.resource_and_label_spec import ResourceAndLabelSpec
from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

from curation.core.threads import repeating

START_SECONDS = 180  # Ray's own 30 are too few on a machine that is busy


@contextmanager
def own_sigterm() -> Iterator[None]:
    """A program that has a handler for SIGTERM keeps it while Ray starts in this context.

    Ray would set two of its own: one in Python, for good, and a compiled one, which aborts the process until Ray sets
    the one in Python. A thread undoes the compiled one at once.
    """
    if not callable(signal.getsignal(signal.SIGTERM)) or threading.current_thread() is not threading.main_thread():
        yield
        return
    before, library = utils.set_sigterm_handler, ctypes.CDLL(None)
    action = ctypes.create_string_buffer(1024)  # more than a struct sigaction holds anywhere
    library.sigaction(signal.SIGTERM, None, action)

    def restore() -> None:
        library.sigaction(signal.SIGTERM, action, None)

    utils.set_sigterm_handler = lambda handler: None
    try:
        with repeating(restore, 0.005, "winnow-sigterm"):
            yield
    finally:
        restore()
        utils.set_sigterm_handler = before


@contextmanager
def private_ray(**options: Any) -> Iterator[str]:
    """Starts it with `ray.init(**options)`, stops it at the end and leaves the environment as it was before.

    A token or RAY_AUTH_MODE that the user has set is used as it is; otherwise the token is made here and is known to
    this process and its children only. Gives Ray's folder; it stays, for the logs in it, only if the block raises an
    Exception.
    """
    before, changed, keep = dict(os.environ), set[str](), False
    folder = tempfile.mkdtemp(prefix="ray-", dir=get_default_system_temp_dir())  # type: ignore[no-untyped-call]
    try:
        try:
            os.environ.setdefault("RAY_raylet_start_wait_time_s", str(START_SECONDS))
            os.environ.setdefault("RAY_enable_metrics_collection", "0")  # its port asks for no token
            _require_token()
            with _loopback_only():
                ray.init(address="local", _temp_dir=f"{folder}/r", **options)  # Ray opens this folder to everyone
        finally:
            changed |= {name for name, value in os.environ.items() if before.get(name) != value}
        yield folder
    except Exception:
        keep = True
        raise
    finally:
        ray.shutdown()
        _restore(before, changed)
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def local_resources(**options: Any) -> dict[str, float]:
    """The `Resources` that a Ray on this machine would have with these options, as Ray itself counts them."""
    spec = ResourceAndLabelSpec(**options).resolve(is_head=True, node_ip_address="127.0.0.1")
    resources: dict[str, float] = spec.to_resource_dict()  # type: ignore[no-untyped-call]
    return resources


def _require_token() -> None:
    """Without one in the environment Ray would write a token into the home folder."""
    asked = os.environ.setdefault("RAY_AUTH_MODE", "token").lower() == "token"
    file = Path(os.environ.get("HOME", ""), ".ray", "auth_token")
    theirs = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH") or file.exists()
    if asked and not theirs:
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    _read_environment()


@contextmanager
def _loopback_only() -> Iterator[None]:
    """Ray replaces a 127.0.0.1 that it is given by the machine's address, unless it takes itself for a Ray without
    clusters, as on macOS and Windows; it asks for this only while it starts."""
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _restore(before: dict[str, str], changed: set[str]) -> None:
    for name in changed:
        if name in before:
            os.environ[name] = before[name]
        else:
            os.environ.pop(name, None)
    _read_environment()


def _read_environment() -> None:
    """Ray's compiled part otherwise keeps the mode and the token that it has read first."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
