"""The stage whose languages a report counts as those that were read."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pytest

from curation.account.report.composition import Sampled, _first_labelled


@dataclass(frozen=True)
class Stage:
    chain: str
    number: int = 0
    documents: bool = True

    @property
    def verb(self) -> SimpleNamespace:
        return SimpleNamespace(documents=self.documents)

    @property
    def entry(self) -> SimpleNamespace:
        return SimpleNamespace(chain=self.chain)


WEB, CODE, JOINED = Stage("web"), Stage("code"), Stage("joined")


@pytest.mark.parametrize(
    ("labelled", "expected"),
    [
        pytest.param({WEB: False, CODE: False, JOINED: True}, [JOINED], id="the joined stage alone identifies them"),
        pytest.param({WEB: True, CODE: False, JOINED: True}, [WEB, CODE], id="a source does"),
        pytest.param({WEB: False, CODE: False, JOINED: False}, [WEB, CODE], id="none does"),
        pytest.param({WEB: False, CODE: False}, [WEB, CODE], id="no joined stage"),
    ],
)
def test_the_languages_that_were_read(labelled: dict[Stage, bool], expected: list[Stage]) -> None:
    sampled = {stage: SimpleNamespace(labelled=known) for stage, known in labelled.items()}
    found = _first_labelled(cast(Any, list(labelled)), cast(Sampled, sampled))
    assert found == [sampled[stage] for stage in expected]


def test_a_source_is_counted_where_its_languages_are_identified_first() -> None:
    first, judged, later = (Stage("web", number) for number in range(3))
    counted = Stage("web", 3, documents=False)
    sampled = {first: False, counted: True, judged: True, later: True}
    rows = {stage: SimpleNamespace(labelled=known) for stage, known in sampled.items()}
    assert _first_labelled(cast(Any, list(rows)), cast(Sampled, rows)) == [rows[judged]]
