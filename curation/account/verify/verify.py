"""Whether a run is whole: its files, and that no document or token was lost from one stage to the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curation.account.run.run_folder import RunFolder
from curation.account.verify.files import Problem, StageFiles
from curation.core import storage
from curation.core.commits import COMMITS
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, Manifest, read_manifest


@dataclass(frozen=True)
class StageCheck:
    """A sealed stage that was looked at. `without_checksum` counts the files of which only the size is known."""

    name: str
    folder: str
    units: int
    files: int
    bytes: int
    without_checksum: int
    problems: int


@dataclass(frozen=True)
class Verification:
    """What was found; `deep`: all files were read. A run without problems is whole."""

    run: str
    deep: bool
    stages: tuple[StageCheck, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class _Counts:
    """What the stages after this one must have read, by shard."""

    kept: tuple[int, ...]
    tokens: int


def verify(run: RunFolder, *, deep: bool = False) -> Verification:
    """Checks every sealed stage in the run's folder, those of earlier recipes too: that each file its commits name is
    there with its size, with `deep` its checksum and, of part files, its rows; and that a stage read what the stages
    before it kept. Changes nothing."""
    problems = [] if run.record.takedowns_finished else [_cut_off(run)]
    sealed, unreadable = _sealed(run)
    problems += unreadable
    counts: dict[str, _Counts] = {}  # by address
    stages: list[StageCheck] = []
    for folder, manifest in sealed:
        files = StageFiles(folder, manifest)
        files.check(deep=deep)
        own = [*files.problems, *_unbalanced(files, counts)]
        if COMMITS not in files.lost:
            counts[manifest.address] = _Counts(
                tuple(p.kept for c in files.commits for p in c.parts), manifest.total("tokens")
            )
        problems += own
        there = [files.sizes[name] for name in files.expected if name in files.sizes]
        units = manifest.shards.units
        checked = StageCheck(manifest.name, files.name, units, len(there), sum(there), files.without_checksum, len(own))
        stages.append(checked)
    return Verification(run.record.name, deep, tuple(stages), tuple(problems))


def _sealed(run: RunFolder) -> tuple[list[tuple[str, Manifest]], list[Problem]]:
    """The sealed stages, none before one that it reads; and the problems with what should be one."""
    sealed: list[tuple[str, Manifest]] = []
    problems: list[Problem] = []
    current = {entry.folder for entry in run.record.stages}
    for name in storage.list_names(run.folder):
        folder = storage.join(run.folder, name)
        try:
            manifest = read_manifest(folder)
        except InputError as error:
            problems.append(Problem(name, MANIFEST, str(error), (storage.join(folder, MANIFEST),)))
            continue
        if manifest is not None:
            sealed.append((folder, manifest))
        elif name in current:
            problems.append(Problem(name, MANIFEST, "is missing or damaged: the stage counts as not done"))
        current.discard(name)
    gone = [
        Problem(name, "", "is gone, and run.json names it") for name in sorted(current - {p.stage for p in problems})
    ]
    return sorted(sealed, key=lambda one: (one[1].number, one[0])), problems + gone


def _unbalanced(files: StageFiles, counts: dict[str, _Counts]) -> Iterator[Problem]:
    """Where the stage has not read what the stages before it kept, and lost what it says that it lost."""
    manifest = files.manifest
    upstream: Sequence[str] = manifest.address_parts["upstream"]
    if not all(address in counts for address in upstream):
        return  # an earlier recipe's, deleted since
    lost = {entry["unit"] for entry in manifest.shards.lost}
    whole = (files.folder,)
    if manifest.verb.maps_rows and not files.problems:
        kept = [kept for address in upstream for kept in counts[address].kept]
        rows = [sum(part.rows for part in commit.parts) for commit in files.commits]
        if len(rows) != len(kept):
            yield Problem(files.name, "", f"has {len(rows)} units, the stages before it {len(kept)} shards", whole)
            return
        for unit, (read, given) in enumerate(zip(rows, kept, strict=True)):
            if read != (0 if unit in lost else given):
                what = f"unit {unit} has {read:,} rows, the shard before it kept {given:,}"
                yield Problem(files.name, files.commits[unit].parts[0].file, what, whole)
    if manifest.tokens is not None:
        read = sum(counts[address].tokens for address in upstream)
        packed = sum(part["tokens"] for part in manifest.tokens["parts"])
        if packed > read or (packed < read and not lost):
            yield Problem(files.name, "", f"packed {packed:,} tokens, the stages before it have {read:,}", whole)


def _cut_off(run: RunFolder) -> Problem:
    what = "a takedown was cut off, so files and commits may disagree; run the same `winnow takedown` again first"
    return Problem("", "", what)
