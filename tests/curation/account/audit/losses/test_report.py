"""What `--json` prints is made of these classes by name, so their fields are fixed."""

import dataclasses

from curation.account.audit.losses.report import Amount, ChainLoss, CleanAudit, LimitLoss, StageLoss


def test_the_names_of_the_fields() -> None:
    limit = LimitLoss("a.words:low", 50, Amount(2, 11), Amount(), Amount(1, 1), {"book": Amount(2, 11)})
    stage = StageLoss("one", "filter", Amount(4, 9), Amount(2, 11), Amount(2, 11), (limit,))
    chain = ChainLoss("web", Amount(4, 9), Amount(2, 2), (stage,), ())
    found = dataclasses.asdict(CleanAudit("run", "good.jsonl", "words", "kind", (chain,)))
    assert list(found) == ["run", "clean", "tokens", "by", "chains"]
    assert found["chains"][0]["stages"][0]["limits"][0] == {
        "limit": "a.words:low",
        "bound": 50,
        "alone": {"documents": 2, "tokens": 11},
        "only": {"documents": 0, "tokens": 0},
        "first": {"documents": 1, "tokens": 1},
        "groups": {"book": {"documents": 2, "tokens": 11}},
    }
