"""The words for licences that were not known, counted."""

import json
from collections import Counter
from pathlib import Path

import pytest

from curation.account.card.unknown_licences import MAX_CHARACTERS, SHOWN, unknown_licences, warning
from curation.account.run import Run
from curation.core.errors import InputError
from curation.engine.recipe.recipe import parse
from curation.engine.run import runner
from curation.engine.run.session import Session

STATED = ["CC-BY-SA-3.0 (Wikipedia)", None, "by heart", "ask Ada", "by heart", "MIT; pages (c) owners", "CC-BY-NC-4.0"]


def test_the_funnel_names_unknown_licences_whether_they_are_kept_or_not(tmp_path: Path, ran: object) -> None:
    rows = [json.dumps({"text": f"Text {n}.", "licence": licence}) for n, licence in enumerate(STATED)]
    (tmp_path / "texts.jsonl").write_text("\n".join(rows))
    for unknown, kept in (("drop", 1), ("keep", 5)):
        chain = f"[{{read: {{jsonl: {{licence: licence}}}}}}, {{filter: {{licence_policy: {{unknown: {unknown}}}}}}}]"
        recipe = parse(f"{{version: 1, sources: {{web: {chain}}}}}", "m", [f"{tmp_path}/texts.jsonl"])
        run = str(tmp_path / unknown)
        runner.curate(recipe, run, Session())
        line = Run.open(run).funnel().stages[-1]
        expected = "4 documents of unknown licences: 'by heart' 2, 'MIT; pages (c) owners' 1, 'ask Ada' 1"
        assert (line.kept, line.warnings) == (kept, (expected,))
        assert not unknown_licences(Run.open(run).stages[0])
    Path(Run.open(run).stages[-1].shards[0].uri).write_bytes(b"PAR1")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Run.open(run).funnel()


def test_the_warning_shows_the_most_frequent_ones_cut_short() -> None:
    assert warning(Counter()) == ()
    found = Counter({f"{n:02} " + "x" * 200: 1000 - n for n in range(SHOWN + 2)})
    (shown,) = warning(found)
    assert shown.startswith("11,934 documents of unknown licences: '00 xxx")
    assert shown.endswith(", … and 2 more")
    assert "x" * MAX_CHARACTERS not in shown
