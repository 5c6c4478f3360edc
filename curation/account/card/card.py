"""Gathers the facts of a run's data card from its sealed files; Markdown and Croissant are made from them.

The card says what the run did and what it cannot vouch for. What a run cannot know (a licence for the whole, a
publisher) appears only if the caller gives it. The same run gives the same card: nothing in it comes from the clock,
the machine or the run's path, but for the energy that its manifests record.
"""

import dataclasses

from curation.account.card.contents import contents
from curation.account.card.facts import About, Card, RemovalFacts, TakedownFacts
from curation.account.card.limits import known_limits
from curation.account.card.opt_outs import opt_outs
from curation.account.card.stage_facts import contaminated, inputs, redacted, stage_facts
from curation.account.card.tokens import packings, tokenizers
from curation.account.mixture import mixture
from curation.account.sealed.run_folder import RunFolder
from curation.core.energy import total
from curation.core.errors import InputError
from curation.core.manifest import RunRecord
from curation.core.reasons import TAKEDOWN


def removals(record: RunRecord) -> tuple[RemovalFacts, ...]:
    """Documents kept out by each other run and by the recipe's list, by names: a card shows no paths."""
    counts = dict[tuple[str, bool], int]()
    for removal in record.removals:
        key = (name_of(removal.of), not removal.when)
        counts[key] = counts.get(key, 0) + removal.documents
    return tuple(RemovalFacts(name, is_list, documents) for (name, is_list), documents in counts.items())


def name_of(path: str) -> str:
    """The last name of a path."""
    return path.rstrip("/").rpartition("/")[2]


def card(run: RunFolder, about: About | None = None) -> Card:
    """Raises InputError if the run has no sealed stage."""
    stages = run.stages
    record = run.record
    if not stages:
        raise InputError(f"{run.folder} has no sealed stage to describe; run its recipe with winnow curate")
    about = about or About()
    last = stages[-1].manifest
    kept = contents(stages, record.tombstones)
    ends = [stage for stage in stages if stage.name in kept.stages]
    schemas = [{name: kind for name, kind in end.manifest.schema if name in end.own_columns} for end in ends]
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
        redacted=redacted(stages),
        contaminated=contaminated(stages),
        opt_outs=opt_outs(stages),
        takedowns=tuple(
            TakedownFacts(
                entry["when"][:10],
                entry["tombstones"],
                entry.get("rows"),
                entry.get("files"),
                tuple(map(name_of, entry.get("of", ()))),
            )
            for entry in record.takedowns
        ),
        removals=removals(record),
        removed=sum(stage.manifest.merged("dropped").get(TAKEDOWN, 0) for stage in stages if stage.verb.documents),
        energy=total(stage.manifest.energy for stage in stages if stage.manifest.energy).on_grid(
            about.country_iso_code, about.carbon_intensity
        ),
        known_limits=(),
        recipe=record.recipe,
        versions=last.versions,
        schema={name: kind for name, kind in schemas[0].items() if all(schema.get(name) == kind for schema in schemas)},
    )
    return dataclasses.replace(facts, known_limits=known_limits(facts))
