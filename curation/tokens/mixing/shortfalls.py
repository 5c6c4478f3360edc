"""Where a mix gives less than was asked for, in sentences: for the log of the run, the funnel and the card."""

from collections.abc import Iterator, Mapping
from typing import Any

from curation.core.wording import listed

NAMED = 5  # sources in a sentence


def shortfalls(mix: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each phase that is short, and for each that gives a source no row although it has a weight.

    `mix`: an index, or the section `mix` of a manifest.
    """
    row = mix["row_tokens"] - 1
    for phase in mix["phases"]:
        name = phase["name"]
        if phase["short"]:
            had = f"{name} has {phase['tokens']:,} of its {phase['target_tokens']:,.0f} tokens"
            yield f"{had}, its sources have no more: raise max_epochs or add sources"
        empty = [line for line in mix["report"] if line["phase"] == name and line["weight"] and not line["rows"]]
        if empty:
            missing = [
                f"{line['source']} (0 of {line['weight'] * phase['target_tokens']:,.0f} tokens)" for line in empty
            ]
            yield (
                f"{name} has no row of {listed(missing, NAMED)}: a row has {row:,} tokens; raise `tokens` or the "
                "weights, or pack shorter rows"
            )
