"""Which checkpoints stay."""

from contextlib import suppress

from curation.core import storage
from training.checkpoint.manifest import MANIFEST, complete_steps, folders


def prune(output: str, keep: int, newest: int, every: int | None = None) -> None:
    """Deletes all but the `keep` newest complete checkpoints up to step `newest`, that of the last one that was saved,
    and those of steps that `every` divides; called by one process.

    Later ones are those that were passed over as damaged: they would count as newer than what is trained now.
    """
    complete = [step for step in complete_steps(output) if step <= newest]
    kept = {*complete[-keep:], *(step for step in complete if every and step % every == 0)}
    for step, path in folders(output):
        if step not in kept:
            remove(path)


def remove(path: str) -> None:
    """Deletes the folder of a checkpoint."""
    # The manifest goes first, so that a deletion cut short never leaves something that looks complete.
    storage.delete_file(storage.join(path, MANIFEST))
    with suppress(OSError):  # NFS keeps a folder in which somebody reads a file; the next `prune` deletes it
        storage.delete_folder(path)
