"""The recipes that are run, with the files of each: those that ship, without ready corpora, and two made ones."""

from collections.abc import Mapping
from pathlib import Path

import pipelines

HERE = Path(__file__).parent
SHIPPED = Path(pipelines.__file__).parent / "curate"
WEB = ("web-*.warc.gz",)
MADE = ("sieve", "judges")  # beside this file; they name their files themselves
MIXED = {  # sources of a mixture whose files have other names
    "llama3_mix": ("general", "maths", "code", "multilingual"),
    "llama_mix": ("common_crawl", "c4", "github", "wikipedia", "books", "arxiv", "stackexchange"),
}
LAID_OUT = "read: {corpus:"  # in a recipe that reads layouts which no file here has


def all_recipes() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Name -> the recipe as `winnow curate` takes it, and its `--input`s."""
    names = [file.stem for file in sorted(SHIPPED.glob("*.yaml")) if LAID_OUT not in file.read_text()]
    shipped = {name: (name, _inputs(name)) for name in names}
    return {name: (str(HERE / f"{name}.yaml"), ()) for name in MADE} | shipped


def _inputs(name: str) -> tuple[str, ...]:
    return tuple(f"{source}={source}.jsonl" for source in MIXED[name]) if name in MIXED else WEB
