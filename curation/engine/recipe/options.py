"""What may stand beside the verb of a stage in a recipe."""

from dataclasses import dataclass
from typing import Annotated

LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True)
class StageOptions:
    """What may stand beside the verb; none of it changes the data, so none of it enters an address."""

    name: Annotated[str, "of the folder; default: the verb, or the keys of a filter"] = ""
    expect_kept: Annotated[tuple[float, float], "fraction of rows; outside it the run stops"] = (0.0, 1.0)
    max_errors: Annotated[float, "fraction of rows that may be dropped as error.*"] = 0.01
    max_failed_units: Annotated[int, "that the stage is sealed without, once each has failed in all attempts"] = 0
    max_failed_inputs: Annotated[int, "files of a source that are passed over because they cannot be read"] = 0

    def __post_init__(self) -> None:
        low, high = self.expect_kept
        if not 0.0 <= low <= high <= 1.0:
            raise ValueError(f"expect_kept must be [low, high] with 0 <= low <= high <= 1, got [{low}, {high}]")
        if not 0.0 <= self.max_errors <= 1.0:
            raise ValueError(f"max_errors is a fraction of the rows, 0 to 1, got {self.max_errors}")
        if self.max_failed_units < 0:
            raise ValueError(f"max_failed_units is a number of units, 0 or more, got {self.max_failed_units}")
        if self.max_failed_inputs < 0:
            raise ValueError(f"max_failed_inputs is a number of input files, 0 or more, got {self.max_failed_inputs}")
        if len(self.name) > LONGEST_NAME:
            raise ValueError(f"name {self.name[:20]}… has {len(self.name)} characters; at most {LONGEST_NAME}")
        if self.name and not self.name.replace("-", "_").isidentifier():
            raise ValueError(f"name {self.name!r} becomes part of a folder: use letters, digits, - and _")
