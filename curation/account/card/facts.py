"""The contents of a data card: what only people know, and what a run knows about itself."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from curation.account.card.contents import Contents
from curation.account.card.opt_outs import OptOutFacts
from curation.account.card.stage_facts import ContaminationFacts, Input, RedactionFacts, StageFacts
from curation.account.card.tokens import Packing, TokenizerFacts
from curation.account.mixture import Mixture
from curation.core.energy import Energy, check_grid
from curation.core.errors import UserError


@dataclass(frozen=True, kw_only=True)
class About:
    """What a run cannot know. The card leaves out empty fields.

    `licence` covers the whole data set: an SPDX identifier or a URL. `published` is a day, YYYY-MM-DD.
    """

    name: str = ""  # default: the recipe's
    licence: str = ""
    creator: str = ""
    url: str = ""
    published: str = ""
    citation: str = ""
    version: str = ""  # default: 0.0.0 and the address of the run's last stage
    country_iso_code: str = ""  # of the grid that the machines were on, such as DEU
    carbon_intensity: float | None = None  # of the grid, kg of CO2 equivalents per kWh

    def __post_init__(self) -> None:
        try:
            date.fromisoformat(self.published or "2000-01-01")
        except ValueError as error:
            raise UserError(f"published is {self.published!r}; give a day as YYYY-MM-DD") from error
        if self.version and not re.match(r"\d+\.\d+\.\d+(?![\d.])", self.version):
            raise UserError(f"version is {self.version!r}; give MAJOR.MINOR.PATCH, e.g. 1.0.0")
        if self.url and "://" not in self.url:
            raise UserError(f"url is {self.url!r}; give the whole address, with https://")
        try:
            check_grid(self.country_iso_code, self.carbon_intensity)
        except ValueError as error:
            raise UserError(str(error)) from error


@dataclass(frozen=True)
class TakedownFacts:
    """One takedown: `documents` counts doc_ids; `rows` and `files` that it changed are None until it is finished."""

    day: str
    documents: int
    rows: int | None
    files: int | None
    of: tuple[str, ...] = ()  # names of the other runs and lists that it settles


@dataclass(frozen=True)
class RemovalFacts:
    """A run that this one reads, or the recipe's list: `documents` counts those that stay out because of it."""

    name: str  # of the run's folder, or the list's file
    listed: bool  # by the recipe's list
    documents: int


@dataclass(frozen=True)
class Card:
    """A run's card. `schema` has the columns in the files of the last stages of documents and their types; `versions`
    has the packages that sealed the last stage; `energy` is that of all stages."""

    about: About
    recipe_name: str
    complete: bool
    inputs: tuple[Input, ...]
    contents: Contents
    stages: tuple[StageFacts, ...]
    tokenizers: tuple[TokenizerFacts, ...]
    packings: tuple[Packing, ...]
    mixture: Mixture | None
    redacted: tuple[RedactionFacts, ...]
    contaminated: tuple[ContaminationFacts, ...]
    opt_outs: tuple[OptOutFacts, ...]
    takedowns: tuple[TakedownFacts, ...]
    removals: tuple[RemovalFacts, ...]
    removed: int  # documents that stages dropped as taken down before they saw them
    energy: Energy
    known_limits: tuple[str, ...]
    recipe: dict[str, Any]
    versions: dict[str, str]
    schema: dict[str, str]
