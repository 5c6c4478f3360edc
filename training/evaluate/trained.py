"""A trained model for use: the weights of a checkpoint in one process, and the config that they were trained by."""

from dataclasses import dataclass

import torch

from curation.core import storage
from curation.core.errors import InputError
from training.checkpoint.initial import begin_with, checkpoint_weights, refuse_other_shapes
from training.checkpoint.manifest import CHECKPOINTS, MANIFEST, complete_steps, folder_of, read_sound_manifest
from training.checkpoint.run_record import read_run_file, recorded_config
from training.config.run import TrainConfig
from training.models.folder_writer import WholeWeights
from training.trainable import Trainable


@dataclass(frozen=True)
class TrainedRun:
    """A training and those of its checkpoints that are meant."""

    folder: str
    steps: tuple[int, ...]  # ascending, at least one
    config: TrainConfig  # as it was resolved from the data
    data: str  # where its token data lay
    fingerprint: str  # of them

    @classmethod
    def of(cls, source: str) -> "TrainedRun":
        """`source`: a training, with all its complete checkpoints, or one checkpoint. Raises InputError if it is
        neither, has no complete checkpoint, or was trained by another version of its model."""
        folder = storage.absolute(source).rstrip("/")
        steps = complete_steps(folder)
        if storage.exists(storage.join(folder, MANIFEST)):
            steps = [read_sound_manifest(folder).step]
            folder = folder.rpartition(f"/{CHECKPOINTS}/")[0]
        path = storage.join(folder, "config.json")
        if not folder or not storage.exists(path):
            raise InputError(
                f"{source} is neither a training nor one of its checkpoints; give the --output of a `winnow train`, or "
                f"a folder {CHECKPOINTS}/step_N in it"
            )
        if not steps:
            raise InputError(f"{source} has no complete checkpoint yet; the first comes after checkpoint_every updates")
        record = read_run_file(folder)
        return cls(folder, tuple(steps), recorded_config(folder), record["path"], record["data"])

    def weights(self, step: int) -> WholeWeights:
        """Weights of a checkpoint, which are read one at a time. Raises InputError if it is damaged, or is not of the
        model that the config describes."""
        return checkpoint_weights(self._checkpoint(step))

    def shape(self) -> Trainable:
        """The model on the meta device. Raises InputError if it cannot be built."""
        try:
            with torch.device("meta"):
                return self.config.model.build(self.config.model.vocabulary or 0)
        except (ValueError, TypeError, RuntimeError, OverflowError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{self.folder}/config.json describes a model that cannot be built: {reason}") from error

    def load(self, step: int) -> Trainable:
        """The model of a checkpoint, in float32, on the GPU if there is one. Raises InputError as `weights` does."""
        folder = self._checkpoint(step)
        model = self.shape()
        model.to_empty(device=torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        begin_with(folder, self.config.model, model)
        return model

    def _checkpoint(self, step: int) -> str:
        folder = folder_of(self.folder, step)
        refuse_other_shapes(folder, self.config.model, self.shape())
        return folder
