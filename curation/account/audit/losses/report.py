"""The figures of `winnow audit RUN --clean`: what each limit and each edit of a recipe costs good documents."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Amount:
    """Documents, and tokens of documents."""

    documents: int = 0
    tokens: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.documents + other.documents, self.tokens + other.tokens)


@dataclass(frozen=True)
class LimitLoss:
    """One limit, "<key>.<signal>:<side>"; another reason for a drop; or a rewriter, by its key.

    `alone` is all that is beyond the limit, whatever other limits say; `only` the part of it that no other limit of the
    recipe drops; `first` what it drops in the recipe's order, where a document counts once, for its drop reason. Of a
    rewriter, documents are those that it changes and tokens those that it cuts: `first` of what is not dropped yet, and
    `only` is empty. Tokens are those of the text as the stage reads it. `groups` has `alone` by group.
    """

    limit: str
    bound: Any  # as in a recipe; with limits by language that for all others; None where there is none
    alone: Amount
    only: Amount
    first: Amount
    groups: dict[str, Amount]


@dataclass(frozen=True)
class StageLoss:
    """One stage: `given` it in the recipe's order, what it drops or cuts of `every` document that it measures, and what
    is `lost` in the recipe's order. An edit loses tokens and no document."""

    stage: str
    verb: str
    given: Amount
    every: Amount
    lost: Amount
    limits: tuple[LimitLoss, ...]


@dataclass(frozen=True)
class GroupLoss:
    """The good documents of one group."""

    group: str
    given: Amount
    kept: Amount


@dataclass(frozen=True)
class ChainLoss:
    """A chain of the recipe and what follows it to the end of the run."""

    chain: str
    given: Amount
    kept: Amount
    stages: tuple[StageLoss, ...]
    groups: tuple[GroupLoss, ...]  # most tokens first
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CleanAudit:
    """`clean` as it was given; `tokens` says what is counted, `by` what groups are."""

    run: str
    clean: str
    tokens: str
    by: str
    chains: tuple[ChainLoss, ...]
