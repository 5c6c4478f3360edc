"""A branch: a run that goes on from a checkpoint of another one, its parent, in an output of its own.

    winnow train CONFIG --from RUN[@STEP] --output NEW

Weights, optimizer, loss scale and the position in the data continue. Steps count from the beginning of the first run,
in schedules and `batch_stages` too, so a branch in which nothing differs computes what its parent would have. Its
config.json says where it began and what differs, and has in `batch_stages` the rows of all steps: nobody needs the
parent to know which rows a step has read, and it may be deleted once the branch has a checkpoint.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.tokens.step_rows import RunSegment, read_skipped, segments_before
from training.checkpoint.manifest import CHECKPOINTS, digest_of, folder_of
from training.checkpoint.run_record import differences, read_run_file, shown
from training.checkpoint.run_shapes import RunFile
from training.config.arithmetic import rate_of, step_rows
from training.config.branches import ParentRecord, what_helps
from training.config.components import OPTIMIZER
from training.config.parse import key_of, parse
from training.config.run import BatchStage, TrainConfig
from training.data.check import PreparedData, prepare
from training.evaluate.trained import TrainedRun

# A checkpoint's folder, or RUN@STEP.
_NAMED = re.compile(rf"(?P<run>.+)(?:/{CHECKPOINTS}/step_|@)(?P<step>\d+)")


@dataclass(frozen=True)
class Branch:
    """Where a run branches off. `before` is the config.json of the parent, or that of the branch once it has one."""

    parent: ParentRecord
    before: RunFile

    @property
    def settings(self) -> TrainConfig:
        """The config in `before`."""
        return parse(self.before["config"], "config.json")

    def continued(self, config: TrainConfig) -> TrainConfig:
        """The config with the initial weights of the parent, and the numbers of rows of all steps. Raises ValueError if
        it has other initial weights, or no step is left."""
        before = self.settings
        done = self.parent["step"]
        if config.init not in (None, before.init):
            raise ValueError(
                f"init {config.init} and a branch do not go together: it goes on with the weights of "
                f"{masked(self.parent['run'])}; leave out init, or --from"
            )
        if config.steps <= done:
            raise ValueError(
                f"steps {config.steps:,} count from the beginning, and the branch begins after {done:,}; give more "
                "steps, or an earlier checkpoint: --from RUN@STEP"
            )
        rows = step_rows(before).until(done, step_rows(config))
        stages = tuple(BatchStage(steps=steps, rows=each) for steps, each in rows.stages)
        return replace(config, init=before.init, batch_stages=stages)

    def compared(self, config: TrainConfig, data: str, appended: Sequence[str]) -> ParentRecord:
        """The parent, with what differs from it. `config` as resolved by `training.data.check`; `data`: fingerprint of
        the token data; `appended`: the tokens that the objective has beyond the tokenizer's.

        Raises ValueError for a difference that makes no sense."""
        if "parent" in self.before and self.before["parent"] == self.parent:
            return self.parent
        run = masked(self.parent["run"])
        done = self.parent["step"]
        before = self.settings
        rows = step_rows(config)
        changes = differences(self.before, replace(config, batch_stages=before.batch_stages), data)
        if rows != step_rows(before).until(done, replace(step_rows(before), rows=rows.rows)):
            changes["config.batch_stages"] = [self.before["config"]["batch_stages"], [*rows.stages]]
        optimizer = f"versions.{key_of(config, OPTIMIZER)}"
        for name, change in changes.items():
            if remedy := what_helps("config.optimizer" if name == optimizer else name):
                raise ValueError(f"a branch of {run} cannot have another {shown(name, change)}: {remedy}")
        known = self.before.get("appended", [])
        if known != list(appended[: len(known)]):
            raise ValueError(
                f"the objective of {run} has added the tokens {', '.join(known)}, and that of the branch adds "
                f"{', '.join(appended) or 'none'}, so ids would change their meaning; keep the objective, or --init"
            )
        return {
            **self.parent,
            "skipped": [window._asdict() for window in rows.widened(read_skipped(self.parent["run"]))],
            "changes": changes,
            "learning_rates": [rate_of(before, done - 1), rate_of(config, done)],
        }


def prepare_run(config: TrainConfig, data: str, workers: int, branch: Branch | None) -> PreparedData:
    """As `training.data.check.prepare`, also of a branch, with the absolute path of initial weights. Raises ValueError
    for one that makes no sense."""
    config = replace(config, init=config.init and storage.absolute(config.init))
    if branch is None:
        return prepare(config, data, workers)
    prepared = prepare(config, data, workers, branch.continued)
    return replace(prepared, parent=branch.compared(prepared.config, prepared.fingerprint, prepared.appended))


def find_branch(output: str, source: str | None) -> Branch | None:
    """The branch that `output` holds, or would if it went on from `source`: RUN@STEP, RUN for its newest checkpoint, or
    a checkpoint's folder. None for a run that is not a branch.

    Raises InputError if there is no such checkpoint, or `output` holds another run."""
    home = storage.absolute(source).rstrip("/") if source else ""
    step = None
    if (named := _NAMED.fullmatch(home)) and not storage.exists(storage.join(home, "config.json")):
        home = named["run"]
        step = int(named["step"])
    if not storage.exists(storage.join(output, "config.json")):
        return _new_branch(home, step) if source else None
    file = read_run_file(output, "resume with the winnow that wrote it")
    parent = file.get("parent")
    if source and not (parent and parent["run"] == home and step in (None, parent["step"])):
        held = f"a branch of {masked(parent['run'])}@{parent['step']}" if parent else "a run that is not a branch"
        raise InputError(f"{output} holds {held}; resume it without --from, or give another output")
    return Branch(parent, file) if parent else None


def _new_branch(home: str, asked: int | None) -> Branch:
    found = TrainedRun.of(home)
    file = read_run_file(home, "branch off with the winnow that wrote it")
    if "averaged" in file:
        raise InputError(f"{masked(home)} has a mean of weights and no optimizer; begin with them by --init")
    if asked not in (None, *found.steps):
        there = ", ".join(f"{step:,}" for step in found.steps)
        raise InputError(
            f"{masked(home)} has no complete checkpoint of step {asked}, only of {there}; keep_every keeps more"
        )
    step = asked or found.steps[-1]
    own: RunSegment = {"run": home, "end": step, "sequence_length": found.config.sequence_length or 0}
    record: ParentRecord = {
        "run": home,
        "step": step,
        "manifest": digest_of(folder_of(home, step)),
        "position": step_rows(found.config, read_skipped(home)).positions(step).start,
        "segments": segments_before(step, file["parent"]["segments"] if "parent" in file else (), own),
        "skipped": [],
        "changes": {},
        "learning_rates": [],
    }
    return Branch(record, file)
