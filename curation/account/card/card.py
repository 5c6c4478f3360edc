"""A data card: all that a run knows of itself, read from its sealed files, for people (Markdown) and tools (Croissant).

It says what a run did and what it cannot vouch for; what no run can know (a licence of the whole, who publishes it) is
only in it where it is given. The same run gives the same card: nothing in it is from the clock, the machine or the path
of the run.
"""

import dataclasses

from curation.account.card.contents import contents
from curation.account.card.facts import About, Card, TakenDown
from curation.account.card.limits import known_limits
from curation.account.card.stages import inputs, stage_facts
from curation.account.card.tokens import packings, tokenizers
from curation.account.funnel import open_stages, stage_lines
from curation.account.mixture import mixture
from curation.core.errors import InputError


def card(folder: str, about: About | None = None) -> Card:
    """The card of the run at `folder`, as far as it is sealed. Raises InputError where it has no sealed stage."""
    run, stages = open_stages(folder)
    if not stages:
        raise InputError(
            f"{folder} has no sealed stage, so there is nothing to tell; run its recipe with winnow curate"
        )
    said, last = about or About(), stages[-1][2]
    kept = contents(stages, run.tombstones)
    schemas = [dict(manifest.schema) for entry, _, manifest in stages if entry.name in kept.stages]
    found = Card(
        about=dataclasses.replace(
            said, name=said.name or run.name, version=said.version or f"0.0.0+{last.address[:8]}"
        ),
        recipe_name=run.name,
        complete=run.complete,
        inputs=inputs(run, stages),
        contents=kept,
        stages=stage_facts(stages, stage_lines(folder, stages)),
        tokenizers=tokenizers(stages),
        packings=packings(stages),
        mixture=mixture(stages),
        takedowns=tuple(
            TakenDown(one["when"][:10], one["tombstones"], one.get("rows"), one.get("files")) for one in run.takedowns
        ),
        known_limits=(),
        recipe=run.recipe,
        versions=last.versions,
        schema={name: kind for name, kind in schemas[0].items() if all(one.get(name) == kind for one in schemas)},
    )
    return dataclasses.replace(found, known_limits=known_limits(found))
