"""The only step of a fit that indexes files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.fits import Indexes
from curation.core.input_files import InputFile
from curation.core.needs import Needs
from curation.core.protocols import Piece
from curation.engine.executor.work import Unit
from curation.engine.fit.asset import sealed
from curation.engine.run.read_step import check_unchanged


@dataclass(frozen=True)
class IndexStep:
    """Writes the asset's files into the stage's folder; its commit's `asset` is what `sealed` says, with the number of
    files by name. Raises InputError for a file that has changed since the plan."""

    fit: Indexes
    folder: str
    files: Mapping[str, Sequence[InputFile]]

    @property
    def needs(self) -> Needs:
        return needs_of([self.fit])

    def run(self, unit: Unit) -> Commit:
        for files in self.files.values():
            for file in files:
                check_unchanged(Piece.of(file))
        content = self.fit.index({name: [file.path for file in files] for name, files in self.files.items()})
        sample = {"files": {name: len(files) for name, files in self.files.items()}}
        return sealed(unit.number, self.folder, self.fit, content, sample)
