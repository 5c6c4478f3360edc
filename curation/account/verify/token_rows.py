"""Checks the rows of token shards by the rules of `shard_checks`, and what a mix counts against its packs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from curation.account.verify.files import Problem, StageFiles
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, read_manifest
from curation.core.token_shapes import MixIndex, Section, TokenPart
from curation.tokens.encoders.never_text import never_text_in
from curation.tokens.manifests import INDEX
from curation.tokens.mixing.streams import read_streams
from curation.tokens.row_check_kernels import Rules
from curation.tokens.shard_checks import BrokenRow, broken_rows, rules_of

READ_BYTES = 2 << 30  # of a run's rows that are read where not every file is; none in a store


@dataclass
class RowChecks:
    """Checks stage by stage; `left` are bytes of rows that may still be read, None = all."""

    left: int | None

    @classmethod
    def of(cls, folder: str, *, deep: bool) -> "RowChecks":
        """The checks of the run in a folder."""
        return cls(None if deep else 0 if storage.in_store(folder) else READ_BYTES)

    def check(self, files: StageFiles) -> int:
        """Adds to the problems of a stage. Returns the number of token files whose rows were not read."""
        if files.manifest.mix is not None:
            files.problems += _miscounted(files, cast(MixIndex, files.manifest.mix))
        return self._check_rows(files, cast(Section, files.manifest.tokens)) if files.manifest.tokens is not None else 0

    def _check_rows(self, files: StageFiles, section: Section) -> int:
        unread = 0
        rules = rules_of(section, never_text_in(storage.join(files.folder, section["tokenizer"]["file"])))
        for part in section["parts"]:
            size = part["files"][f"{part['name']}.bin"]["bytes"]
            if self.left is not None and size > self.left:
                unread += bool(size)
                continue
            self.left = None if self.left is None else self.left - size
            _add(files, part, list(_broken(files, section, part, rules)))
        return unread


def _broken(files: StageFiles, section: Section, part: TokenPart, rules: Rules) -> Iterator[BrokenRow]:
    """The broken rows of a part; none of one that cannot be read, or has other sizes, which other checks name."""
    names = part["files"].keys()
    if any(files.sizes.get(name) != part["files"][name]["bytes"] for name in names):
        return
    try:
        yield from broken_rows(storage.join(files.folder, part["name"]), part, section, rules)
    except (InputError, OSError) as error:
        if not any(problem.file in names for problem in files.problems):
            yield BrokenRow(-1, f"cannot be read: {error}")


def _add(files: StageFiles, part: TokenPart, broken: list[BrokenRow]) -> None:
    """Adds a problem for the rows of a part, or says in one that its file has already which row it is."""
    if not broken:
        return
    name = f"{part['name']}.bin"
    told = "; ".join(str(row) for row in broken)
    for at, problem in enumerate(files.problems):
        if problem.file in part["files"]:
            files.problems[at] = replace(problem, what=f"{problem.what}; {told}")
            return
    delete = tuple(storage.join(files.folder, one) for one in (MANIFEST, *part["files"]))
    files.problems.append(Problem(files.name, name, told, delete))


def _miscounted(files: StageFiles, index: MixIndex) -> Iterator[Problem]:
    """Leaves of which the mix counts other labels than the rows hold that it takes. Not of packs out of which documents
    were taken since: their labels have become padding, and the mix stays as it was."""
    run = files.folder.rpartition("/")[0]
    packs: Mapping[str, Section] = {}
    for pack in index["packs"]:
        manifest = read_manifest(storage.join(run, pack))
        if manifest is None or manifest.tokens is None or manifest.audit:
            return
        packs = {**packs, pack: cast(Section, manifest.tokens)}
    try:
        streams = read_streams(list(packs.items()), folder=run, runs=index["runs"], seed=index["seed"])
    except (InputError, OSError):  # of a damaged file, which the checks of its pack name
        return
    for line in index["report"]:
        phase = next(number for number, one in enumerate(index["phases"]) if one["name"] == line["phase"])
        taken = [one for one in index["entries"] if (one["source"], one["phase"]) == (line["source"], phase)]
        stream = streams[line["source"]]
        labels = sum(stream.total(entry["first"], entry["first"] + entry["rows"]) for entry in taken)
        if (labels, stream.tokens) != (line["tokens"], line["available_tokens"]):
            what = (
                f"counts {line['tokens']:,} of {line['available_tokens']:,} labels of {line['source']} in phase "
                f"{line['phase']}, and its rows train {labels:,} of {stream.tokens:,}"
            )
            yield Problem(files.name, INDEX, what, (storage.join(files.folder, MANIFEST),))
