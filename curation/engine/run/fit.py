"""Fit stages: small results that one task computes and seals, no matter how large the corpus is."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from curation.core import storage
from curation.core.commits import Commit
from curation.core.new_file import write_new
from curation.core.protocols import Fit
from curation.engine.run.sample import learn
from curation.engine.run.work import Needs, Unit, needs_of
from curation.fit.sample.shares import Shard

FITTED = "_fitted"


@dataclass(frozen=True)
class FitStep:
    """Learns from the kept text of the shards and writes the asset into the stage's folder.

    Its commit's `extra` has the asset's `file`, its SHA-256 (hex) and `sample`, which tells what it was learnt from:
    see `sample.learn`.
    """

    component: Fit
    shards: Sequence[Shard]
    folder: str

    @property
    def needs(self) -> Needs:
        return needs_of([self.component])

    def run(self, unit: Unit) -> Commit:
        content, sample = learn(self.component, self.shards)
        name = self.component.asset
        facts = write_new(storage.join(self.folder, name), content)
        asset = {"file": name, "sha256": hashlib.sha256(content).hexdigest(), "sample": sample}
        return Commit(unit.number, (), extra={"asset": asset, "files": {name: vars(facts)}})
