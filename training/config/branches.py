"""The record of a branch in config.json, the settings that it keeps of its parent, and the command that starts one."""

from typing import Any, TypedDict

from curation.core.credentials import masked
from curation.core.shapes import Count
from curation.tokens.step_rows import RunSegment

# The beginnings of settings that stay as in the parent, with what to do instead; all others may change.
KEPT = {
    "data": "a branch goes on in the data of its parent; give these, or begin with its weights by --init",
    "config.model": "its weights would not fit, or mean something else; restore it, or train a new model",
    "config.optimizer": "its state is of another optimizer; restore it, or begin a new one with --init",
}
# But these options of a model may change: they have no weights, and weights learn to go on with another value.
WEIGHTLESS = frozenset(
    {"dropout", "global_theta", "local_theta", "local_window", "preset", "rope_scaling", "rope_theta", "sliding_window"}
)


class ParentRecord(TypedDict):
    """The checkpoint of another run from which a branch goes on."""

    run: str  # folder
    step: Count
    manifest: str  # BLAKE2b-256 of the checkpoint's manifest, in hex
    position: Count  # in the mix, of the next row
    segments: list[RunSegment]  # the runs that made the steps before
    skipped: list[dict[str, Any]]  # windows of the mix that the parent left out, as in skipped.json
    changes: dict[str, list[Any]]  # setting -> its value in the parent, and in the branch
    learning_rates: list[float]  # of the last update before the branch point, and of the first one after it


def what_helps(setting: str) -> str:
    """Advice for who would change a setting, by its name with dots, in a branch; "" where it may change.

    An optimizer's options may change, its kind may not: a component of another key has the name without its key.
    """
    if setting.startswith("config.model.") and WEIGHTLESS.isdisjoint(setting.split(".")):
        return KEPT["config.model"]
    return KEPT.get(setting, "")


def branch_command(run: str, changes: str = "") -> str:
    """The command that goes on from a run in a new output; `changes`: NAME=VALUE of its settings."""
    options = f" {changes}" if changes else ""
    return f"`winnow train CONFIG{options} --from {masked(run)} --output NEW`"
