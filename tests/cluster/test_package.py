"""What goes with a job and what does not, and what a package must not become."""

import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from cluster import package
from curation.core.errors import InputError
from curation.engine.recipe.recipe import parse
from curation.fit.tokenizer import Tokenizer
from tests.support import learned

RECIPE = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: [/x/*.jsonl]}}
    - tokenize: {tokenizer: %s}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as content:
        return content.namelist()


def test_the_same_files_are_the_same_package(here: Path) -> None:
    (here / "a.txt").write_text("a")
    for name in ("one.zip", "two.zip"):
        package.write_package(here / name, {"sub/a.txt": here / "a.txt"})
        (here / "a.txt").touch()
    assert names(here / "one.zip") == ["sub/a.txt"]
    assert (here / "one.zip").read_bytes() == (here / "two.zip").read_bytes()


def test_a_folder_goes_without_what_is_hidden_or_compiled(here: Path) -> None:
    for name in ("recipe.yaml", "sub/b.txt", ".env", ".git/config", "sub/__pycache__/b.pyc"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    assert sorted(package.folder_files(here)) == ["recipe.yaml", "sub/b.txt"]


def test_too_much_names_the_largest_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_BYTES", 3_000_000)
    files = {f"{size}.bin": here / f"{size}.bin" for size in (1, 2, 3)}
    for size, path in zip((1, 2, 3), files.values(), strict=True):
        path.write_bytes(bytes(size * 1_000_000))
    package.write_package(here / "few.zip", {name: files[name] for name in ("1.bin", "2.bin")})
    with pytest.raises(
        InputError, match=r"3 files of 6 MB would go .* at most 3 MB do; the largest is 3.bin with 3 MB"
    ):
        package.write_package(here / "all.zip", files)


def test_a_file_that_is_missing(here: Path) -> None:
    with pytest.raises(InputError, match=r"cannot send gone.yaml with the job: No such file"):
        package.write_package(here / "job.zip", {"gone.yaml": Path("gone.yaml")})


def test_a_wheel_that_is_not_there(here: Path) -> None:
    with pytest.raises(InputError, match=r"no file at .*mine\.whl"):
        package.write_package(here / "job.zip", {}, [here / "mine.whl"])


def test_a_wheel_is_unpacked(here: Path) -> None:
    with zipfile.ZipFile(here / "mine-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("mine/__init__.py", "")
        wheel.writestr("mine-1.dist-info/entry_points.txt", "")
    package.write_package(here / "job.zip", {}, [here / "mine-1-py3-none-any.whl"])
    assert names(here / "job.zip") == ["mine-1.dist-info/entry_points.txt", "mine/__init__.py"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("x-1-cp311-linux.whl", "no wheel of pure Python"), ("x-1-py3-none-any.whl", "is no wheel: File is not a zip")],
)
def test_what_is_no_wheel(here: Path, name: str, says: str) -> None:
    (here / name).write_text("no zip")
    with pytest.raises(InputError, match=says):
        package.write_package(here / "job.zip", {}, [here / name])


@pytest.mark.parametrize(
    ("tokenizer", "paths"),
    [
        pytest.param("files/tokenizer.json", ["files/tokenizer.json"], id="relative"),
        pytest.param("gone/tokenizer.json", [], id="not here: perhaps on the nodes"),
        pytest.param("'@tokenizer'", [], id="fitted by the recipe"),
    ],
)
def test_the_files_that_a_recipe_names(here: Path, tokenizer: str, paths: list[str]) -> None:
    (here / "files").mkdir()
    fitted = learned(Tokenizer(vocab_size=300), [pa.array(["words"])])
    (here / "files" / "tokenizer.json").write_bytes(fitted)
    assert package.asset_paths(parse(RECIPE % tokenizer, "mine.yaml")) == paths


def test_relative_files_travel() -> None:
    paths = ["a/b.json", "./c.bin", "/models/d.bin", "s3://bucket/e.bin"]
    assert package.travelling(paths) == {"a/b.json": Path("a/b.json"), "c.bin": Path("c.bin")}
    with pytest.raises(InputError, match=r"\.\./f.bin lies outside the folder that a job is sent from"):
        package.travelling(["../f.bin"])
