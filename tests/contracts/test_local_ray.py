"""The two copies of the local Ray, curation's and training's: what the user has set, what they leave behind."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import ray

from curation.engine.run import local_ray as curations
from training.job import local_ray as trainings

PrivateRay = Callable[[], AbstractContextManager[str | None]]
both = pytest.mark.parametrize(
    "private_ray", [curations.private_ray, trainings.private_ray], ids=["curation", "training"]
)
NAMES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


@both
@pytest.mark.parametrize(
    "theirs",
    [
        pytest.param({"RAY_AUTH_MODE": "disabled"}, id="no authentication"),
        pytest.param({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "f" * 64}, id="token"),
        pytest.param({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "theirs"}, id="file"),
    ],
)
def test_what_the_user_has_set_stays(
    private_ray: PrivateRay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, theirs: dict[str, str]
) -> None:
    assert settings_of_ray(private_ray, monkeypatch, tmp_path, theirs) == theirs


@both
def test_a_token_in_the_home_folder_is_used(
    private_ray: PrivateRay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("f" * 64)
    assert settings_of_ray(private_ray, monkeypatch, tmp_path, {}) == {"RAY_AUTH_MODE": "token"}


@both
@pytest.mark.parametrize("theirs", [{}, {"RAY_AUTH_MODE": "token"}], ids=["nothing set", "mode without a token"])
def test_each_session_has_a_token_of_its_own(
    private_ray: PrivateRay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, theirs: dict[str, str]
) -> None:
    first, second = (settings_of_ray(private_ray, monkeypatch, tmp_path, theirs) for _ in range(2))
    assert first["RAY_AUTH_MODE"] == second["RAY_AUTH_MODE"] == "token"
    assert len(first["RAY_AUTH_TOKEN"]) == len(second["RAY_AUTH_TOKEN"]) == 64
    assert first["RAY_AUTH_TOKEN"] != second["RAY_AUTH_TOKEN"]


@both
@pytest.mark.parametrize(("error", "kept"), [(ValueError, True), (KeyboardInterrupt, False)])
def test_logs_stay_after_a_failure_only(
    private_ray: PrivateRay, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: type[BaseException], kept: bool
) -> None:
    monkeypatch.setattr(ray, "init", lambda **_: None)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(error), private_ray():
        raise error
    assert bool(list(tmp_path.iterdir())) is kept


def settings_of_ray(
    private_ray: PrivateRay, monkeypatch: pytest.MonkeyPatch, home: Path, theirs: dict[str, str]
) -> dict[str, str]:
    """Settings of authentication with which Ray is started in that environment, which must stay as it was."""
    seen: dict[str, str] = {}

    def init(**_: Any) -> None:
        seen.update({name: os.environ[name] for name in NAMES if name in os.environ})

    monkeypatch.setattr(ray, "init", init)
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {**theirs, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with private_ray():
        pass
    assert dict(os.environ) == before
    return seen
