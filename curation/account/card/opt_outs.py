"""Which refusals of training a run honoured, what each dropped, and what the data still holds against one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import pyarrow.compute as pc

from curation.account.sealed.sealed_stage import SealedStage
from curation.core.shapes import Count
from curation.filters.opt_outs import RULES

OPT_OUTS = "opt_outs"  # key of the filter
KNOWN = "robots_txt_known"
STATED = {
    "content_signal_stated": "Content-Signal",
    "content_usage_stated": "Content-Usage",
    "tdm_policy": "tdm-policy",
    "rsl_terms": "RSL",
}
SHOWN = 10  # statements of a stage


@dataclass(frozen=True)
class RefusalFacts:
    """One rule: the documents that it refuses, those that the stage dropped for it because they broke no limit before,
    and those that it kept."""

    rule: str
    honoured: bool
    refused: int
    dropped: int
    kept: int


@dataclass(frozen=True)
class StatementFacts:
    """One preference of a site as written, and the documents that were kept under it."""

    name: str
    text: str
    kept: int


@dataclass(frozen=True)
class OptOutFacts:
    """One stage. `unknown` documents have no robots.txt of their time, `unknown_dropped` of them fell for that; where
    no files of sites were given, robots.txt `asked` is false. `agents` are the crawlers that were asked for,
    `stated` the commonest preferences of what was kept."""

    stage: str
    documents: int
    asked: bool
    unknown: int
    unknown_dropped: int
    max_days: int
    agents: tuple[str, ...]
    rules: tuple[RefusalFacts, ...]
    stated: tuple[StatementFacts, ...]

    @property
    def honoured(self) -> tuple[str, ...]:
        return tuple(rule.rule for rule in self.rules if rule.honoured)


class OptOutOptions(TypedDict):
    """The filter's options that the card reads."""

    max_days: Count
    agents: list[str]
    honour: list[str]


def opt_outs(stages: Sequence[SealedStage]) -> tuple[OptOutFacts, ...]:
    """One per stage with the filter."""
    return tuple(_of_stage(stage) for stage in stages if stage.verb.judges and OPT_OUTS in stage.manifest.order)


def _of_stage(stage: SealedStage) -> OptOutFacts:
    manifest = stage.manifest
    config = manifest.options(OPT_OUTS, OptOutOptions)
    dropped = manifest.merged("dropped")
    refused = Counter[str]()
    kept = Counter[str]()
    stated = Counter[tuple[str, str]]()
    for batch in stage.scan([*(f"{OPT_OUTS}.{name}" for name in (*RULES, KNOWN, *STATED)), "drop_reason"]):
        stays = batch["drop_reason"].is_null()
        for name in (*RULES, KNOWN):
            flags = pc.equal(batch[f"{OPT_OUTS}.{name}"], 1)
            refused[name] += pc.sum(flags).as_py() or 0
            kept[name] += pc.sum(pc.and_(flags, stays)).as_py() or 0
        for name, title in STATED.items():
            texts = batch[f"{OPT_OUTS}.{name}"].filter(stays).drop_null()
            stated.update({(title, row["values"]): row["counts"] for row in texts.value_counts().to_pylist()})
    documents = manifest.total("rows")
    return OptOutFacts(
        stage=stage.name,
        documents=documents,
        asked=f"{OPT_OUTS}.site_preferences" in manifest.address_parts["assets"],
        unknown=documents - refused[KNOWN],
        unknown_dropped=dropped.get(f"{OPT_OUTS}.{KNOWN}:low", 0),
        max_days=config["max_days"],
        agents=tuple(config["agents"]),
        rules=tuple(
            RefusalFacts(
                rule, rule in config["honour"], refused[rule], dropped.get(f"{OPT_OUTS}.{rule}:high", 0), kept[rule]
            )
            for rule in RULES
        ),
        stated=tuple(
            StatementFacts(*written, number)
            for written, number in sorted(stated.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        ),
    )
