"""The progress of a stage: its figures, the line of text that shows them, and the file in which they are kept.

The driver replaces that file at each step of a stage and every minute; `winnow status` reads it from another process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Required, TypedDict

from curation.core.shapes import Count, Moment
from curation.core.wording import counted

PROGRESS = "progress.json"  # in the run's folder while a run has not ended well
FAILURE = "failure.txt"  # beside it: what the command line knows of the last failure
MINUTE = 60.0  # seconds between two lines on a stage


class ProgressRecord(TypedDict, total=False):
    """The content of PROGRESS: `Progress`, `lease.Holder`, the run's number of stages, and the time of writing."""

    stage: Required[str]
    step: Required[str]
    done: Count
    units: Count
    documents: Count
    seconds: float
    note: str
    kept: Count
    text_bytes: Count
    errors: Count
    reasons: dict[str, Count]
    lost: Count
    retries: Count
    failure: str
    found: Count
    found_documents: Count
    found_text_bytes: Count
    commits: str
    pid: Count
    user: str
    host: str
    since: Moment
    stages: Count
    when: Required[Moment]


@dataclass(frozen=True)
class Progress:
    """`done` of `units` units of one step; the figures are of what its finished units wrote.

    Some steps do no work: "start" and "done" are the ends of a stage (the figures of "done" are the whole stage's),
    "sealed" stands for a stage that need not run, "note" for something to know before or while one runs.
    """

    stage: str
    step: str
    done: int = 0
    units: int = 0
    documents: int = 0
    seconds: float = 0.0  # since the step began, of "done" and "note" since the stage did
    note: str = ""
    kept: int = 0
    text_bytes: int = 0
    errors: int = 0  # documents dropped as error.* …
    reasons: Mapping[str, int] = field(default_factory=dict, compare=False)  # … by reason
    lost: int = 0  # units that were passed over after their last attempt
    retries: int = 0  # failed attempts at units
    failure: str = ""  # the last of them
    found: int = field(default=0, compare=False)  # units that a run before had done …
    found_documents: int = field(default=0, compare=False)  # … and what they wrote
    found_text_bytes: int = field(default=0, compare=False)
    commits: str = field(default="", compare=False)  # folder of the step's commits within the run

    @property
    def documents_per_second(self) -> float:
        return (self.documents - self.found_documents) / max(self.seconds, 0.1)

    @property
    def megabytes_per_second(self) -> float:
        """Of text, 10⁶ bytes."""
        return (self.text_bytes - self.found_text_bytes) / max(self.seconds, 0.1) / 1e6

    @property
    def bytes_per_second(self) -> str:
        """Of text, in words: "4.1 MB/s", below a tenth of one "47 kB/s"."""
        rate = self.megabytes_per_second
        return f"{rate:,.1f} MB/s" if rate >= 0.1 else f"{1000 * rate:.0f} kB/s"

    @property
    def kept_percent(self) -> float:
        return 100 * self.kept / max(self.documents, 1)

    @property
    def seconds_left(self) -> float | None:
        """At the pace of the step so far; None while no unit has finished."""
        done = self.done - self.found
        return self.seconds * (self.units - self.done) / done if done else None

    def figures(self) -> list[str]:
        """Rates, shares and counts in words; without those of documents where the step writes none."""
        words = []
        if self.documents:
            words += [f"{self.documents_per_second:,.0f} documents/s", self.bytes_per_second]
            words += [f"{self.kept_percent:.1f} % kept", counted(self.errors, "error")]
        last = f" (last: {self.failure})" if self.failure else ""
        words.append(counted(self.retries, "retry", "retries") + last)
        return words

    def line(self) -> str:
        """For a log: "gopher: filter, 3 of 12 units, 1,234 documents/s, …, 5 min left"."""
        if self.step == "start":
            return f"{self.stage}: begins"
        if self.step == "sealed":
            return f"{self.stage}: sealed already"
        if self.step == "note":
            return f"{self.stage}: {self.note}"
        units = [f"{self.done:,} of {self.units:,} units"] if self.units else []
        words = [self.step, *units, *self.figures()]
        if self.step == "done":
            words.append(f"took {duration(self.seconds)}")
        elif self.seconds_left is not None and self.done < self.units:
            words.append(f"{duration(self.seconds_left)} left")
        return f"{self.stage}: {', '.join(words)}"


def duration(seconds: float) -> str:
    """The two largest units of time: "12 s", "3 min", "2 h 5 min", "4 d 3 h"."""
    minutes = int(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h {minutes % 60} min" if hours < 48 else f"{hours // 24} d {hours % 24} h"
