"""A release's README.md: what the model is, what it learnt from, how, and what was found about it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curation.account.card.facts import Card
from curation.account.card.markdown import hub_licence, templates
from curation.core.wording import percent

TEMPLATE = "model_card.md.jinja"
LOSSES = ("loss", "perplexity", "bits_per_byte")


def model_card(facts: Mapping[str, Any], data: Card, *, recipe: str, training: str) -> str:
    """`facts` as in release.json; `recipe` and `training` are the files beside it that make the model again."""
    config = facts["config"]
    named = {verb: next(iter(config[verb])) for verb in ("objective", "model", "optimizer", "schedule")}
    return (
        templates(Path(__file__).parent)
        .get_template(TEMPLATE)
        .render(
            facts=facts,
            config=config,
            named=named,
            result=facts["result"],
            data=data,
            hub_licence=hub_licence(facts["licence"]),
            losses=LOSSES,
            percent=percent,
            recipe=recipe,
            training=training,
        )
    )
