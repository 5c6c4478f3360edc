"""Tries the quality rules of a drafted recipe on a sample of documents, so that a draft does not drop all of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.judging import judge
from curation.core.wording import counted
from curation.engine.recipe.recipe import parse
from curation.sources.yaml_text import yaml_text

LEAST_KEPT = 0.1  # of the documents in the wanted languages; where the rules keep fewer, they wait for the user


@dataclass(frozen=True)
class DraftQuality:
    """How many documents of a sample the rules keep, and the commonest reason of the others; "" if there are none."""

    documents: int
    kept: int
    reason: str

    @property
    def suits(self) -> bool:
        """Whether the rules keep enough to be in the recipe."""
        return self.kept >= LEAST_KEPT * self.documents

    @property
    def seen(self) -> str:
        """The figures in words."""
        most = f", mostly by {self.reason}" if self.reason else ""
        return f"of {counted(self.documents, 'document')} looked at they drop {self.documents - self.kept}{most}"


def quality_of(texts: pa.Array, languages: Sequence[str], rules: Sequence[str]) -> DraftQuality:
    """What is kept of text[N] in these languages by the rules, filters with the shipped limits of each language."""
    chain = [
        {"read": {"jsonl": {"paths": ["sample"]}}},
        {"filter": {"language": {"languages": list(languages)}}},
        {"filter": {rule: {"by_language": "shipped"} for rule in rules}},
    ]
    recipe = parse(yaml_text({"version": 1, "sources": {"sample": chain}}, flow=False), "draft")
    _, language, quality = recipe.sources["sample"]
    batch = pa.record_batch({"text": texts, "drop_reason": pa.nulls(len(texts), pa.string())})
    wanted = judge(language.components, batch)  # type: ignore[arg-type]
    wanted = wanted.filter(pc.is_null(wanted["drop_reason"]))
    reasons = judge(quality.components, wanted)["drop_reason"]  # type: ignore[arg-type]
    common = Counter(reasons.drop_null().to_pylist()).most_common(1)
    return DraftQuality(len(wanted), reasons.null_count, common[0][0] if common else "")
