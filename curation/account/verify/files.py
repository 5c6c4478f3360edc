"""Checks that the files in a sealed stage's folder are those that its commits name, with their sizes and checksums.

To mend a damaged file, delete it and the stage's manifest. The stage is then no longer sealed, so the same command
makes the unit of the missing file again and keeps the others.
"""

from dataclasses import dataclass

from curation.account.sealed.sealed_stage import TOKENIZER_COPY
from curation.core import storage
from curation.core.commits import COMMITS, Commit, group_name, read_group
from curation.core.errors import InputError
from curation.core.json_files import find_whole
from curation.core.manifest import MANIFEST, ORIGINALS, TAKEN_DOWN, TAKEN_KEYS, Manifest
from curation.core.new_file import checksum_of
from curation.core.parquet_file import open_parquet
from curation.core.shard_table import ShardTable
from curation.core.threads import map_threads
from curation.tokens.around_documents import tokenizer_sha256
from curation.tokens.manifests import INDEX

# folders whose files no commit names
BLOOM = "bloom"
CAUGHT = "_caught"
LOOK_UP = "_buckets"  # folder of the look-up table


@dataclass(frozen=True)
class Problem:
    """`what` is wrong with a `file` of a stage's folder, or with the whole stage if `file` is empty. Deleting the paths
    in `delete` lets the same command make it again; there are none if that does not help."""

    stage: str  # the folder's name
    file: str
    what: str
    delete: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExpectedFile:
    """What the stage records of a file; -1 or an empty checksum: nothing."""

    bytes: int = -1
    blake2b: str = ""
    sha256: str = ""
    rows: int = -1  # of a part file


class StageFiles:
    """One sealed stage's folder: the `sizes` of all its files, and what is `expected` of those that it must have."""

    def __init__(self, folder: str, manifest: Manifest) -> None:
        self.folder = folder.rstrip("/")
        self.manifest = manifest
        self.name = self.folder.rpartition("/")[2]
        self.sizes = _sizes(self.folder)
        self.problems: list[Problem] = []
        self.lost: set[str] = set()  # steps with a missing or damaged group of commits
        self.steps = self._commits()
        self.commits = self.steps.get(COMMITS, [])
        self.expected = self._expected()

    def check(self, *, deep: bool) -> None:
        """Fills `problems`; with `deep` also reads every file."""
        self._check_table()
        for name, expected in sorted(self.expected.items()):
            if name not in self.sizes:
                self._problem(name, "is missing")
            elif expected.bytes not in (-1, self.sizes[name]):
                self._problem(name, f"has {self.sizes[name]:,} bytes, its commit says {expected.bytes:,}")
        if deep:
            names = sorted(self.expected.keys() & self.sizes.keys() - {problem.file for problem in self.problems})
            for name, problem in zip(names, map_threads(self._wrong_content, names), strict=True):
                if problem:
                    self._problem(name, problem)
        if self.manifest.mix is not None and INDEX in self.sizes and self._index() != self.manifest.mix:
            self._problem(INDEX, "is not the index that the manifest holds")
        self._check_bloom(deep=deep)
        for name in sorted(self.sizes):
            if self._is_stray(name):
                self.problems.append(
                    Problem(self.name, name, "is a stray file: no commit names it", (self._path(name),))
                )

    @property
    def without_checksum(self) -> int:
        """Files of which only the size is known."""
        return sum(not expected.blake2b and not expected.sha256 for expected in self.expected.values())

    def _index(self) -> dict[str, object] | None:
        """The index beside the manifest of a mix; None where it is no JSON."""
        try:
            return find_whole(self._path(INDEX), dict[str, object])
        except InputError:
            return None

    def _commits(self) -> dict[str, list[Commit]]:
        """The commits of each step, by their folder. A damaged file of commits is a problem."""
        steps: dict[str, list[Commit]] = {}
        for name in sorted(self.sizes):
            if _is_group(name):
                commits = steps.setdefault(name.rpartition("/")[0], [])
                try:
                    commits += read_group(self._path(name))
                except InputError:
                    self._lose(name, "is damaged: its units' commits cannot be read")
        return steps

    def _expected(self) -> dict[str, ExpectedFile]:
        files: dict[str, ExpectedFile] = {}
        for commit in (commit for commits in self.steps.values() for commit in commits):
            files |= {part.file: ExpectedFile(part.file_bytes, part.blake2b, rows=part.rows) for part in commit.parts}
            for name, facts in commit.extra.get("files", {}).items():
                files[name] = ExpectedFile(facts["bytes"], facts.get("blake2b", ""))
        manifest = self.manifest
        if manifest.asset is not None:
            files[manifest.asset["file"]] = ExpectedFile(sha256=manifest.asset["sha256"])
        if manifest.tokens is not None:
            tokenizer = manifest.tokens["tokenizer"]
            files[tokenizer["file"]] = ExpectedFile(blake2b=tokenizer["blake2b"])
        if manifest.mix is not None:
            files[INDEX] = ExpectedFile()
        changes = [change for entry in manifest.audit for change in entry["files"].items()]
        for name, change in changes:  # keys of documents taken down, which may be deleted
            if name.startswith(f"{TAKEN_KEYS}/") and name in self.sizes:
                files[name] = ExpectedFile(blake2b=change["after"])
        if manifest.verb.encodes:  # its copy of the tokenizer, which pack takes on
            known = [name for name in self.sizes if name.startswith(TOKENIZER_COPY)]
            files[(known or [f"{TOKENIZER_COPY}json"])[0]] = ExpectedFile(sha256=tokenizer_sha256(manifest))
        return files

    def _check_table(self) -> None:
        """Checks that all groups of commits are there and add up to the manifest's totals."""
        for step in {COMMITS, *self.steps}:
            groups = {int(name[-11:-6]) for name in self.sizes if _is_group(name) and name.rpartition("/")[0] == step}
            count = len(self.manifest.shards.groups) if step == COMMITS else max(groups, default=-1) + 1
            for group in sorted(set(range(count)) - groups):
                self._lose(f"{step}/{group_name(group)}", "is missing: its units' commits are lost")
        if self.manifest.verb.begins and LOOK_UP not in self.steps:
            self._problem(LOOK_UP, "is missing: `winnow why` finds no document without it")
        if COMMITS in self.lost:
            return
        recorded = self.manifest.shards
        table = ShardTable.of(self.commits, source=self.manifest.chain)
        if (recorded.units, recorded.groups, recorded.totals) != (table.units, table.groups, table.totals):
            self._problem("", "has a manifest whose totals are not those of its commits")

    def _wrong_content(self, name: str) -> str:
        """What is wrong with the bytes of a file; empty if nothing is."""
        expected = self.expected[name]
        path = self._path(name)
        try:
            if expected.blake2b and checksum_of(path) != expected.blake2b:
                return "has the size that its commit says, but another checksum"
            if expected.sha256 and storage.sha256(path) != expected.sha256:
                return "has another checksum than the one that is recorded"
            if expected.rows >= 0:
                with open_parquet(path) as file:
                    rows = file.metadata.num_rows
                if rows != expected.rows:
                    return f"has {rows:,} rows, its commit says {expected.rows:,}"
        except (OSError, InputError) as error:
            return f"cannot be read: {error}"
        return ""

    def _check_bloom(self, *, deep: bool) -> None:
        if "bloom" not in (self.manifest.dedup or {}):
            return
        from curation.models.bloom import filter_folder  # compiles kernels, and few stages have one

        try:
            bloom = filter_folder.BloomFilter.open(self._path(BLOOM))
        except InputError as error:
            self._problem(f"{BLOOM}/{filter_folder.MANIFEST}", str(error))
            return
        for number in range(len(bloom.partitions) if deep else 0):
            try:
                bloom.partition(number)
            except InputError as error:
                self._problem(f"{BLOOM}/part-{number:05d}.bloom", str(error))

    def _is_stray(self, name: str) -> bool:
        """Whether a unit may have written the file although no commit names it. The driver's own files begin with
        "_"."""
        folder, _, file = name.rpartition("/")
        if file.startswith("_partial."):
            return True
        if (folder or COMMITS) in self.lost:
            return False
        own = _is_group(name) or folder.partition("/")[0] in (BLOOM, CAUGHT) or (not folder and file.startswith("_"))
        return not own and name not in self.expected

    def _lose(self, name: str, what: str) -> None:
        self.lost.add(name.rpartition("/")[0])
        self._problem(name, what)

    def _problem(self, name: str, what: str) -> None:
        delete = (self._path(MANIFEST), *([self._path(name)] if name in self.sizes else []))
        self.problems.append(Problem(self.name, name, what, delete))

    def _path(self, name: str) -> str:
        return storage.join(self.folder, name)


def _sizes(folder: str) -> dict[str, int]:
    """Bytes of every file below a folder, by its path in it, without those that are to replace others."""
    fs, path = storage.resolve(folder)
    files = {info.path[len(path) + 1 :]: info.size for info in storage.listed(fs, path, recursive=True) if info.is_file}
    return {name: size for name, size in files.items() if name.partition("/")[0] not in (ORIGINALS, TAKEN_DOWN)}


def _is_group(name: str) -> bool:
    file = name.rpartition("/")[2]
    digits = file.removeprefix("group-").removesuffix(".arrow")
    return digits.isdecimal() and file == group_name(int(digits))
