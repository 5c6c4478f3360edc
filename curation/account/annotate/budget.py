"""What answers cost, and a ceiling that is never passed.

Before a request is sent, the most that it can cost is set aside: a token has at least one byte, so the prompt has at
most as many tokens as bytes (and some for the chat's own marks), and the answer at most `max_tokens`. The endpoint's
`usage` then says what it did cost. A request that may have been billed although no usage came back, such as one that
timed out, is counted at the most that it can cost.
"""

import math
from dataclasses import dataclass

from curation.account.annotate.answers import Answer
from curation.core.errors import UserError

MILLION = 1_000_000
CHAT_TOKENS = 256  # that a server's chat template may add to the messages


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices per million tokens, and the most that may be spent; no ceiling if None."""

    price_in: float | None = None
    price_out: float | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name in ("price_in", "price_out", "max_cost"):
            value = getattr(self, name)
            option = f"--{name.replace('_', '-')}"
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise UserError(f"{option} is {value}; it must be a number of 0 or more")
        if self.max_cost == 0:
            raise UserError("--max-cost is 0, which pays for no answer; raise it, or leave it out for no ceiling")
        if (self.price_in is None) != (self.price_out is None):
            raise UserError("give both --price-in and --price-out, per million tokens")
        if self.max_cost is not None and not (self.price_in or self.price_out):
            raise UserError("--max-cost needs --price-in and --price-out above 0: the endpoint only counts tokens")

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """0 without prices."""
        return (prompt_tokens * (self.price_in or 0) + completion_tokens * (self.price_out or 0)) / MILLION


@dataclass
class Spend:
    """The account of one command: what was paid, what may have been billed, and what is set aside."""

    prices: Prices
    max_tokens: int
    cached: float = 0.0  # paid by earlier commands for answers that this one uses
    paid: float = 0.0
    uncertain: float = 0.0  # the most that requests without usage can have cost
    reserved: float = 0.0  # for requests that are under way
    under_way: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def most(self, prompt_bytes: int) -> float:
        """The most that a request can cost."""
        return self.prices.of(prompt_bytes + CHAT_TOKENS, self.max_tokens)

    @property
    def total(self) -> float:
        return self.cached + self.paid + self.uncertain

    def fits(self, cost: float) -> bool:
        """Whether a request of this cost stays below the ceiling, whatever those under way cost."""
        ceiling = self.prices.max_cost
        return ceiling is None or self.total + self.reserved + cost <= ceiling

    def reserve(self, cost: float) -> None:
        self.reserved += cost
        self.under_way += 1

    def release(self, cost: float) -> None:
        self.under_way -= 1
        self.reserved = self.reserved - cost if self.under_way else 0.0  # without the rounding of many sums

    def use_cached(self, answer: Answer, most: float) -> None:
        """Counts an answer that an earlier command paid for."""
        if answer.prompt_tokens is None or answer.completion_tokens is None:
            self.cached += most
        else:
            self.cached += self.prices.of(answer.prompt_tokens, answer.completion_tokens)

    def pay(self, answer: Answer, most: float) -> None:
        """Counts an answer that has come; `most` was set aside for it."""
        if answer.prompt_tokens is None or answer.completion_tokens is None:
            self.uncertain += most
            return
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        self.paid += self.prices.of(answer.prompt_tokens, answer.completion_tokens)
