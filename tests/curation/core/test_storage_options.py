"""The `storage:` section: known options, secrets by reference, nothing of them in a run's files or addresses."""

from collections.abc import Iterator
from pathlib import Path

import fsspec.config
import pytest

from curation.core import storage, storage_options
from curation.core.errors import InputError, RecipeError
from curation.core.storage_options import S3, Az, Gs, Secret, StorageOptions, configure
from curation.engine.recipe.recipe import parse

RECIPE = "version: 1\nsources: {web: [{read: {jsonl: {paths: [a.jsonl]}}}]}\n"


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(storage_options, "_configured", StorageOptions())
    before = {scheme: dict(values) for scheme, values in fsspec.config.conf.items()}
    fsspec.config.conf.clear()
    yield
    fsspec.config.conf.clear()
    fsspec.config.conf.update(before)
    storage.forget_stores()


def test_the_section_becomes_options_of_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    (tmp_path / "secret").write_text("xyz\n")
    s3 = S3(endpoint="http://s:1", region="r", key=Secret(env="MY_KEY"), secret=Secret(file=str(tmp_path / "secret")))
    gs = Gs(project="p", credentials=Secret(file=str(tmp_path / "secret")))
    configure(StorageOptions(s3=s3, gs=gs, az=Az(account="a", anonymous=True)))
    assert fsspec.config.conf["s3"] == {
        "endpoint_url": "http://s:1",
        "client_kwargs": {"region_name": "r"},
        "key": "abc",
        "secret": "xyz",
    }
    assert fsspec.config.conf["gs"] == {"project": "p", "token": str(tmp_path / "secret")}
    assert fsspec.config.conf["az"] == {"account_name": "a", "anon": True}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("{s3: {endpiont: x}}", "unknown option 'endpiont'; did you mean 'endpoint'"),
        ("{s4: {}}", "unknown option 's4'; known: az, commoncrawl, gs, s3"),
        ("{s3: {secret: hunter2}}", "expected `option: value` lines, got something else"),
        ("{s3: {secret: {}}}", "where the secret is, not the secret"),
        ("{gs: {credentials: {env: X}}}", "credentials is a file"),
    ],
)
def test_a_wrong_section_is_refused_in_one_line(section: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        parse(f"{RECIPE}storage: {section}\n", "r.yaml")


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        (
            Secret(env="NOT_THERE"),
            r"^storage.s3.key: the environment variable NOT_THERE is not set; export it on every",
        ),
        (Secret(file="/not/there"), "^storage.s3.key: cannot read /not/there"),
    ],
)
def test_a_secret_that_is_not_there(secret: Secret, message: str) -> None:
    with pytest.raises(InputError, match=message):
        configure(StorageOptions(s3=S3(key=secret)))


def test_the_recipe_as_resolved_names_where_secrets_are() -> None:
    assert "storage" not in parse(RECIPE, "r.yaml").resolved()
    text = RECIPE + "storage: {s3: {endpoint: 'http://me:pw@s', key: {env: MY_KEY}}}\n"
    assert parse(text, "r.yaml").resolved()["storage"] == {
        "s3": {"endpoint": "http://***@s", "key": {"env": "MY_KEY", "file": ""}}
    }


def test_a_package_that_is_missing_is_named() -> None:
    with pytest.raises(
        InputError, match=r"^gs:// paths need gcsfs, which is not installed here; run `pip install gcsfs`$"
    ):
        storage.exists("gs://bucket/a")


def test_a_profile_that_is_not_there() -> None:
    configure(StorageOptions(s3=S3(profile="nobody")))
    with pytest.raises((InputError, OSError), match="nobody"):
        storage.read_bytes("s3://bucket/a")
