"""The pages that are made of what the code declares: keys of files, components, commands, the Python API."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import typer

from curation.core import catalog
from curation.core.verbs import Verb
from curation.engine.recipe.options import StageOptions
from curation.engine.recipe.recipe import TopLevel
from docs.builder.markdown import coloured, inline, render
from docs.builder.python_api import classes, functions
from pipelines.cli import app
from pipelines.component_docs import Description, components, describe, options_of
from training.config.run import TrainConfig

ROOT = Path(__file__).resolve().parents[2]
TARGET = re.compile(r"^([a-z0-9-]+):.*## (.+)$", re.MULTILINE)  # of the Makefile, as `make help` lists them


def templates() -> jinja2.Environment:
    """Those of this folder, with what makes HTML of Markdown and of code."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"markdown": render, "inline": inline, "coloured": coloured}
    return environment


def reference() -> Iterator[tuple[str, str]]:
    """Each page's name and content in HTML; a page of components has the name of their verb."""
    pages: Any = templates().get_template("reference.html.jinja").module
    verbs: dict[Verb, list[tuple[Description, Any]]] = {}
    for listing in components():
        verb = listing.verb
        found = next(one for one in describe(listing.key) if one.component.verb is verb)
        verbs.setdefault(verb, []).append((found, catalog.find(verb, verb.only or listing.key)))
    yield "keys", pages.keys(verbs, options_of(TopLevel), options_of(StageOptions), options_of(TrainConfig))
    for verb, described in verbs.items():
        yield verb.name, pages.components(verb, described)
    targets = TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))
    yield "commands", pages.commands(targets, _commands(typer.main.get_command(app), "winnow"))
    yield "python", pages.python_api(functions(), classes())


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Name, command and context of each command within this one, in the order of the command line."""
    for word, one in getattr(command, "commands", {}).items():
        yield from _commands(one, f"{name} {word}")
    if not hasattr(command, "commands"):
        yield name, command, command.make_context(name, [], resilient_parsing=True)
