"""A git repository as documents with language and licence, beside `git cat-file --batch` and dulwich, which give bytes.

MB are those of the files that become documents, per CPU second, git's included. `git cat-file` is given the hashes of
all files. The texts of licences are known from the second round on.
"""

import argparse
import resource
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow.compute as pc
from dulwich.repo import Repo

from benchmarks.case import Case, DisagreementError
from curation.core.protocols import ReadTally
from curation.sources.documents.code import Code


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repository", type=Path, required=True, help="A git repository.")


def run(options: argparse.Namespace) -> Iterator[Case]:
    folder = str(options.repository.absolute())
    documents, size = _ours(folder)
    for called, peer in (("git cat-file", _git), ("dulwich", _dulwich)):
        yield Case(
            name=f"{documents:,} files",
            amounts={"MB": size / 1e6},
            ours=partial(_ours, folder),
            peer=partial(peer, folder),
            called=called,
            agree=_at_least,
            clock=_processor_time,
        )


def _processor_time() -> float:
    """Seconds of this process and of the git commands that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _ours(folder: str) -> tuple[int, int]:
    """Documents and bytes of their texts."""
    source = Code(paths=())
    units = source.split(source.list_inputs(folder), group_bytes=1, split_bytes=1)
    texts = [batch["text"] for unit in units for batch in source.read(unit, "benchmark", ReadTally())]
    return sum(map(len, texts)), sum(pc.sum(pc.binary_length(text)).as_py() or 0 for text in texts)


def _git(folder: str) -> tuple[int, int]:
    """All files and their bytes, with git's own lines between them."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--format=%(objectname)", "HEAD"], cwd=folder, capture_output=True, check=True
    ).stdout
    batch = subprocess.run(["git", "cat-file", "--batch"], cwd=folder, input=listed, capture_output=True, check=True)
    return listed.count(b"\n"), len(batch.stdout)


def _dulwich(folder: str) -> tuple[int, int]:
    with Repo(folder) as repository:
        tree = repository[repository.head()].tree
        sizes = [len(repository[entry.sha].data) for entry in repository.object_store.iter_tree_contents(tree)]
    return len(sizes), sum(sizes)


def _at_least(ours: tuple[int, int], theirs: tuple[int, int]) -> str:
    """Peers give every file, ours those that are kept."""
    if ours[0] > theirs[0] or ours[1] > theirs[1]:
        raise DisagreementError(f"{ours} and {theirs} files and bytes")
    return f"{theirs[0] - ours[0]:,} files passed over"
