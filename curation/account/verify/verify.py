"""Checks that a run is whole: that its files are intact, and that no document or token was lost between stages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curation.account.sealed.run_folder import RunFolder
from curation.account.verify.files import Problem, StageFiles
from curation.account.verify.token_rows import RowChecks
from curation.core import storage
from curation.core.commits import COMMITS
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, ORIGINALS, Manifest, read_manifest

MOVING = "originals were being replaced, so files and commits may disagree; run the same `winnow curate` again first"
CUT_OFF = "a takedown was cut off, so files and commits may disagree; run the same `winnow takedown` again first"


@dataclass(frozen=True)
class StageCheck:
    """A checked stage. `without_checksum` counts the files of which only the size is known, `unread_rows` the files of
    token rows that only a deep check reads."""

    name: str
    folder: str
    units: int
    files: int
    bytes: int
    without_checksum: int
    problems: int
    unread_rows: int = 0


@dataclass(frozen=True)
class Verification:
    """The result; `deep`: all files were read. A run without problems is whole."""

    run: str
    deep: bool
    stages: tuple[StageCheck, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class _Counts:
    """What the stages after this one must have read: `kept` documents by shard, and tokens."""

    kept: tuple[int, ...]
    tokens: int


def verify(run: RunFolder, *, deep: bool = False) -> Verification:
    """Checks every sealed stage in the run's folder, also those of earlier recipes; changes nothing.

    Each file that the commits name must have its size; with `deep` also its checksum and, for part files, its rows.
    Each stage must have read what the stages before it kept. The rows of token shards must keep the rules of
    `tokens/shard_checks`: of all with `deep`, else of the first that are read in seconds.
    """
    problems = [] if run.record.takedowns_finished else [Problem("", "", CUT_OFF)]
    sealed, unreadable = _sealed(run)
    problems += unreadable
    moving = [manifest.name for folder, manifest in sealed if storage.exists(storage.join(folder, ORIGINALS))]
    problems += [Problem(name, "", MOVING) for name in moving]
    counts: dict[str, _Counts] = {}  # by address
    rows = RowChecks.of(run.folder, deep=deep)
    stages: list[StageCheck] = []
    for folder, manifest in sealed:
        files = StageFiles(folder, manifest)
        files.check(deep=deep)
        unread = rows.check(files)
        own = [*files.problems, *_unbalanced(files, counts)]
        if COMMITS not in files.lost:
            kept = tuple(part.kept for commit in files.commits for part in commit.parts)
            counts[manifest.address] = _Counts(kept, manifest.total("tokens"))
        problems += own
        sizes = [files.sizes[name] for name in files.expected if name in files.sizes]
        stages.append(
            StageCheck(
                name=manifest.name,
                folder=files.name,
                units=manifest.shards.units,
                files=len(sizes),
                bytes=sum(sizes),
                without_checksum=files.without_checksum,
                problems=len(own),
                unread_rows=unread,
            )
        )
    return Verification(run.record.name, deep, tuple(stages), tuple(problems))


def _sealed(run: RunFolder) -> tuple[list[tuple[str, Manifest]], list[Problem]]:
    """The sealed stages, each after those that it reads, and the problems with folders that should be one."""
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
    return sorted(sealed, key=lambda stage: (stage[1].number, stage[0])), problems + gone


def _unbalanced(files: StageFiles, counts: dict[str, _Counts]) -> Iterator[Problem]:
    """The places where the stage did not read what the stages before it kept, apart from units recorded as lost."""
    manifest = files.manifest
    upstream: Sequence[str] = manifest.address_parts["upstream"]
    if not all(address in counts for address in upstream):
        return  # a stage of an earlier recipe was deleted
    lost = {entry["unit"] for entry in manifest.shards.lost}
    if manifest.verb.maps_rows and not files.problems:
        kept = [kept for address in upstream for kept in counts[address].kept]
        rows = [sum(part.rows for part in commit.parts) for commit in files.commits]
        if len(rows) != len(kept):
            yield Problem(
                files.name, "", f"has {len(rows)} units, the stages before it {len(kept)} shards", (files.folder,)
            )
            return
        for unit, (read, before) in enumerate(zip(rows, kept, strict=True)):
            if read != (0 if unit in lost else before):
                difference = f"unit {unit} has {read:,} rows, the shard before it kept {before:,}"
                yield Problem(files.name, files.commits[unit].parts[0].file, difference, (files.folder,))
    if manifest.tokens is not None:
        read = sum(counts[address].tokens for address in upstream)
        packed = sum(part["tokens"] for part in manifest.tokens["parts"])
        if packed > read or (packed < read and not lost):
            difference = f"packed {packed:,} tokens, the stages before it have {read:,}"
            yield Problem(files.name, "", difference, (files.folder,))
