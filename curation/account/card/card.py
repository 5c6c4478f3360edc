"""A data card: what a run's sealed files say about it, for people (Markdown) and tools (Croissant).

It says what the run did and what it cannot vouch for; what no run can know (a licence of the whole, who publishes it)
is in it only where it is given. The same run gives the same card: nothing in it is from the clock, the machine or the
path of the run.
"""

import dataclasses

from curation.account.card.contents import contents
from curation.account.card.facts import About, Card, TakenDown
from curation.account.card.limits import known_limits
from curation.account.card.stages import inputs, stage_facts
from curation.account.card.tokens import packings, tokenizers
from curation.account.mixture import mixture
from curation.account.run.run_folder import RunFolder
from curation.core.errors import InputError


def card(run: RunFolder, about: About | None = None) -> Card:
    """The card of the run's sealed stages. Raises InputError where it has no sealed stage."""
    stages, record = run.stages, run.record
    if not stages:
        raise InputError(
            f"{run.folder} has no sealed stage, so there is nothing to describe; run its recipe with winnow curate"
        )
    about, last = about or About(), stages[-1].manifest
    kept = contents(stages, record.tombstones)
    schemas = [dict(stage.manifest.schema) for stage in stages if stage.name in kept.stages]
    facts = Card(
        about=dataclasses.replace(
            about, name=about.name or record.name, version=about.version or f"0.0.0+{last.address[:8]}"
        ),
        recipe_name=record.name,
        complete=record.complete,
        inputs=inputs(run),
        contents=kept,
        stages=tuple(map(stage_facts, stages)),
        tokenizers=tokenizers(stages),
        packings=packings(stages),
        mixture=mixture(stages),
        takedowns=tuple(
            TakenDown(one["when"][:10], one["tombstones"], one.get("rows"), one.get("files"))
            for one in record.takedowns
        ),
        known_limits=(),
        recipe=record.recipe,
        versions=last.versions,
        schema={name: kind for name, kind in schemas[0].items() if all(one.get(name) == kind for one in schemas)},
    )
    return dataclasses.replace(facts, known_limits=known_limits(facts))
