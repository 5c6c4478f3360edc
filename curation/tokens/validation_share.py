"""How many tokens a tokenize stage held out for validation, against the share that was asked for."""

from collections.abc import Iterator
from typing import TypedDict

from curation.core.manifest import Manifest
from curation.core.wording import percent

VALIDATION = "validation"  # the split of what is held out, and the count of its tokens
ALLOWED = 0.2  # of the share that was asked for: a larger miss is told


class ValidationOptions(TypedDict):
    """What is read of the options of a tokenize stage."""

    validation: float
    validation_by_source: dict[str, float]


def misses(manifest: Manifest) -> Iterator[str]:
    """Of a sealed tokenize stage, a sentence for each source whose validation split is more than ALLOWED off; one of
    version 2 did not count it."""
    if not manifest.verb.encodes:
        return
    options = manifest.options(next(iter(manifest.address_parts["config"])), ValidationOptions)
    for source, totals in manifest.shards.totals.items():
        asked = options["validation_by_source"].get(source, options["validation"])
        tokens = totals["parts"]["tokens"]
        held = totals["counts"].get(VALIDATION)
        if held is not None and abs(held - asked * tokens) > ALLOWED * asked * tokens:
            yield (
                f"{source}: {held:,} of {tokens:,} tokens are held out for validation, {percent(held, tokens)}, where "
                f"{100 * asked:g} % were asked for: only whole documents are held out, and its "
                f"{totals['parts']['kept']:,} are too few or too long for this share; set another one in "
                "`validation_by_source`, or divide long documents"
            )
