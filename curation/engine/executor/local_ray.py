"""A Ray on this machine that only its user can enter: on loopback, behind a token, its files in a private folder.

Ray 2.60 itself listens on every interface, and everyone may write to its folder under /tmp and to the sockets in it.
"""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray

from curation.core.errors import InputError
from curation.core.wording import size
from curation.engine.executor import ray_private
from curation.engine.executor.worker_imports import own_packages

LEAST_SPACE = 16 << 20  # bytes that Ray's sockets, logs and settings take at first


@contextmanager
def private_ray(**options: Any) -> Iterator[str]:
    """Starts it with `ray.init(**options)`, stops it at the end and leaves the environment as it was before.

    A token or RAY_AUTH_MODE that the user has set is used as it is; otherwise the token is made here and is known to
    this process and its children only. Gives Ray's folder; it stays, for the logs in it, only if the block raises an
    Exception. Raises InputError where there is no space for it.
    """
    _require_space(ray_private.temporary_folder())
    before = dict(os.environ)
    changed = set[str]()
    keep = False
    folder = tempfile.mkdtemp(prefix="ray-", dir=ray_private.temporary_folder())
    try:
        try:
            for name, value in ray_private.LOCAL_SETTINGS.items():
                os.environ.setdefault(name, value)
            _require_token()
            with ray_private.loopback_only(), own_packages() as own:
                # Ray opens the folder that it is given to everyone.
                ray.init(address="local", _temp_dir=f"{folder}/r", **options, **own)
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


def _require_space(folder: str) -> None:
    """On a full disk Ray only times out."""
    left = shutil.disk_usage(folder).free
    if left < LEAST_SPACE:
        raise InputError(
            f"TMPDIR {folder} is full ({size(left)} left, and Ray needs {size(LEAST_SPACE)}); free space there, or set "
            "TMPDIR to a folder on another disk"
        )


def _require_token() -> None:
    """Without one in the environment Ray would write a token into the home folder."""
    asked = os.environ.setdefault("RAY_AUTH_MODE", "token").lower() == "token"
    file = Path(os.environ.get("HOME", ""), ".ray", "auth_token")
    theirs = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH") or file.exists()
    if asked and not theirs:
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    ray_private.read_environment()


def _restore(before: dict[str, str], changed: set[str]) -> None:
    for name in changed:
        if name in before:
            os.environ[name] = before[name]
        else:
            os.environ.pop(name, None)
    ray_private.read_environment()
