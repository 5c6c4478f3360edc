"""The command `winnow card`: writes a run's data card for people and for tools."""

from dataclasses import replace
from typing import Annotated

import typer

from curation.account.run import Run
from curation.core import storage
from curation.core.wording import counted
from pipelines.commands.ask import RunFolder
from pipelines.render.console import Json, out, plain, print_json, say

MARKDOWN = "card.md"
CROISSANT = "croissant.json"


def card(
    run: RunFolder,
    output: Annotated[
        str | None, typer.Option(help="Folder for the two files; default: the run, where tools find the data.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the data set; default: the recipe's.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the whole data set: SPDX identifier or URL.")] = "",
    creator: Annotated[str, typer.Option(help="Organization that made the data set.")] = "",
    url: Annotated[str, typer.Option(help="Address of the data set.")] = "",
    published: Annotated[str, typer.Option(help="Day of publication, YYYY-MM-DD.")] = "",
    citation: Annotated[str, typer.Option(help="How to cite it.")] = "",
    version: Annotated[
        str, typer.Option(help="Version of the data set, MAJOR.MINOR.PATCH; default: from the run's hash.")
    ] = "",
    country: Annotated[
        str, typer.Option(help="Country of the power grid that the machines used: ISO 3166 code, such as DEU.")
    ] = "",
    carbon_intensity: Annotated[
        float | None, typer.Option(help="Carbon intensity of that grid, kg CO2 per kWh.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the run's data card, card.md and croissant.json: sources, licences, filters, mixture, known limits."""
    from curation.account.card.croissant import croissant_bytes
    from curation.account.card.facts import About
    from curation.account.card.markdown import markdown
    from pipelines.recipe_item import readable

    about = About(
        name=name,
        licence=licence,
        creator=creator,
        url=url,
        published=published,
        citation=citation,
        version=version,
        country_iso_code=country,
        carbon_intensity=carbon_intensity,
    )
    facts = Run.open(run).card(about)
    facts = replace(facts, recipe=readable(facts.recipe))
    folder = output or run
    storage.make_folder(folder)
    files = {MARKDOWN: markdown(facts).encode(), CROISSANT: croissant_bytes(facts, run)}
    for file, content in files.items():
        storage.replace_bytes(storage.join(folder, file), content)
    if as_json:
        print_json(facts)
        return
    total = facts.contents.total
    tokens = "" if total.tokens is None else f", {counted(total.tokens, 'token')}"
    limits = counted(len(facts.known_limits), "known limit")
    say(out, f"{plain(facts.about.name)}: {counted(total.documents, 'document')}{tokens}, {limits}")
    for file in files:
        say(out, plain(storage.join(folder, file)))
