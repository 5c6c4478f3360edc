"""Signs that a training goes wrong slowly, each with what helps; docs/training.md has the table.

A loss is judged by medians over SPAN steps, which single steps do not move. An update's size is its norm over the
weights' norm, by the part that these play: about 1e-3 at the peak of the learning rate is usual (Karpathy, "A recipe
for training neural networks", 2019; Yang et al. 2022, arXiv:2203.03466, on why it should not depend on the width).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

SPAN = 200  # steps
RISES = 1.1  # times the lowest median so far
PLATEAU = 5  # spans in which the lowest median falls by less than …
FALLS = 0.999  # … this, while the learning rate is above …
HIGH_RATE = 0.5  # … this share of its peak
DEAD = 1e-7  # of an update
WILD = 0.3
IN_A_ROW = 3  # logged steps
HELP = {
    "dead": "its gradients vanish or are clipped away: look at clipping, initialisation and precision",
    "wild": "lower the learning rate, or lengthen the warm-up",
}

LARGE = 100.0  # of a logit: ours, between what stable trainings have and the thousands of those that break
NARROW = 0.1  # nats: one place has all of it but a fiftieth
LOGITS = {
    "attention_logit": "attention's logits grow to {:.0f}: normalise queries and keys (qk_norm), or lower the rate",
    "attention_entropy": "a layer looks at one place alone (entropy {:.3f} nats): qk_norm, a lower rate or a warm-up",
    "output_logit": "the output's logits grow to {:.0f}: give the objective a z_loss of 1e-4, or more weight decay",
}


class Sign(NamedTuple):
    """`name` is the symptom's, `line` what was seen and what helps."""

    name: str
    line: str


class LossTrend:
    """The loss over hundreds of steps."""

    def __init__(self) -> None:
        self._span: list[float] = []
        self._medians: list[float] = []

    def see(self, losses: Sequence[float], rate_share: float) -> list[Sign]:
        """Takes the next steps; `rate_share`: the learning rate over its peak."""
        found = []
        for loss in losses:
            self._span.append(loss)
            if len(self._span) == SPAN:
                found += self._judge(median(self._span), rate_share)
                self._span.clear()
        return found

    def _judge(self, middle: float, rate_share: float) -> list[Sign]:
        lowest = min(self._medians, default=middle)
        self._medians.append(middle)
        if middle > RISES * lowest:
            rises = f"the loss rises: {middle:.3f} over {SPAN} steps, {lowest:.3f} was its lowest"
            return [Sign("divergence", f"{rises}; lower the learning rate, lengthen the warm-up, or clip lower")]
        before = self._medians[:-PLATEAU]
        if before and min(self._medians[-PLATEAU:]) > FALLS * min(before) and rate_share > HIGH_RATE:
            self._medians = [middle]  # it is told again after as many steps
            stays = f"the loss stays: {middle:.3f}, and {min(before):.3f} {PLATEAU * SPAN:,} steps ago"
            return [Sign("plateau", f"{stays}; raise the learning rate, or begin its decay")]
        return []


class Logits:
    """Figures of validations (`training.watch.logits`), told where one crosses its line and wherever it has doubled."""

    def __init__(self) -> None:
        self._told = {"attention_logit": LARGE / 2, "output_logit": LARGE / 2, "attention_entropy": 2 * NARROW}

    def see(self, figures: Mapping[str, float]) -> list[Sign]:
        """Takes those of a validation."""
        found = []
        for name, value in figures.items():
            ratio = self._told[name] / value if name == "attention_entropy" else value / self._told[name]
            if value > 0 and ratio >= 2:
                self._told[name] = value
                found.append(Sign(name.replace("_", " "), LOGITS[name].format(value)))
        return found


class UpdateSizes:
    """How far updates move the weights of each part."""

    def __init__(self) -> None:
        self._in_a_row: Counter[tuple[str, str]] = Counter()

    def see(self, norms: Mapping[str, Mapping[str, float]], rate_share: float) -> list[Sign]:
        """Takes the norms of a logged step. While the rate is low, small updates are meant."""
        updates = {part: one["update"] for part, one in norms.items()}
        dead = DEAD if rate_share > HIGH_RATE else 0.0
        odd = [
            (part, "wild" if size > WILD else "dead") for part, size in updates.items() if size > WILD or size < dead
        ]
        self._in_a_row = Counter({one: self._in_a_row[one] + 1 for one in odd})
        return [
            Sign(
                f"{kind} updates", f"updates move the {part} weights by {updates[part]:.1e} of their norm; {HELP[kind]}"
            )
            for part, kind in odd
            if self._in_a_row[part, kind] == IN_A_ROW
        ]
