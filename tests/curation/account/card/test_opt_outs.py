"""What a run honoured, dropped and kept against a refusal, in the card."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.card.croissant import croissant
from curation.account.card.markdown import markdown
from curation.account.card.opt_outs import RefusalFacts, StatementFacts
from curation.account.run import Run
from curation.models.preferences.site_files import SCHEMA, to_bytes
from tests.curation.account.corpus import made, write_lines

RECIPE = """
version: 1
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url, crawled_at: date}}
    - filter:
        opt_outs:
          honour: [robots_txt, domain_list]
          site_preferences: "%(folder)s/sites.parquet"
          domain_list: "%(folder)s/mine.txt"
          agents: [GPTBot, CCBot]
"""


SIGNALS = "user-agent:*\ncontent-signal:search=yes, ai-input=no\ncontent-usage:|`x\ncontent-usage:/a train-ai=n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    tmp_path = tmp_path_factory.mktemp("opt_outs")
    then = datetime(2024, 3, 1, tzinfo=UTC)
    files = {("no.example", "robots_txt"): "user-agent:GPTBot\ndisallow:/", ("yes.example", "robots_txt"): SIGNALS}
    files |= {("yes.example", "tdmrep"): '[["/reserved", true, "https://p"]]'}
    rows = [{"host": host, "kind": kind, "fetched_at": then, "content": text} for (host, kind), text in files.items()]
    (tmp_path / "sites.parquet").write_bytes(to_bytes(pa.Table.from_pylist(rows, SCHEMA), {"robots_txt": 2}))
    (tmp_path / "mine.txt").write_text("no.example\nmine.example\n")
    urls = ("no.example/", "yes.example/", "yes.example/reserved", "mine.example/", "other.example/")
    pages = [{"url": f"https://{url}", "date": "2024-03-02", "text": f"The people of {url}"} for url in urls]
    write_lines(tmp_path / "web.jsonl", pages)
    return made(RECIPE % {"folder": tmp_path}, tmp_path / "run")


def test_each_rule_with_what_it_dropped_and_what_was_kept(run: Run) -> None:
    card = run.card()
    (facts,) = card.opt_outs
    rules = {rule.rule: rule for rule in facts.rules}
    assert rules["robots_txt"] == RefusalFacts("robots_txt", honoured=True, refused=1, dropped=1, kept=0)
    assert rules["domain_list"] == RefusalFacts("domain_list", honoured=True, refused=2, dropped=1, kept=0)
    assert rules["tdm_reservation"] == RefusalFacts("tdm_reservation", honoured=False, refused=1, dropped=0, kept=1)
    assert (facts.documents, facts.asked, facts.unknown, facts.unknown_dropped) == (5, True, 2, 0)
    assert facts.stated == (
        StatementFacts("Content-Signal", "search=yes, ai-input=no", 2),
        StatementFacts("Content-Usage", "|`x; /a train-ai=n", 2),
        StatementFacts("tdm-policy", "https://p", 1),
    )
    assert (facts.max_days, facts.agents, facts.honoured) == (30, ("GPTBot", "CCBot"), ("robots_txt", "domain_list"))


def test_the_card_says_so(run: Run) -> None:
    card = run.card()
    text = markdown(card)
    assert "| `opt_outs` | `domain_list` | yes | 5 | 2 | 1 | 0 |" in text
    assert "- `opt_outs` asks for `GPTBot`, `CCBot`. A site's file counts if" in text
    assert "\n  - 2 kept documents are under Content-Usage: `¦'x; /a train-ai=n`\n" in text
    assert "- opt_outs kept documents that tdm_reservation refuses: 1 of 5 documents (20.0 %)." in text
    assert "nothing is known of their sites' rules: 2 of 5 documents (40.0 %)." in text
    assert "No stage honoured opt-outs" not in text
    steps = croissant(card, run.folder)["rai:dataPreprocessingProtocol"]
    assert any(
        "opt-outs honoured: robots_txt, domain_list; refusing and kept: 1 by tdm_reservation" in one for one in steps
    )


def test_a_run_that_asked_for_none_has_no_such_section(finished_run: Path) -> None:
    card = Run.open(finished_run / "run").card()
    assert card.opt_outs == ()
    assert "## Opt-outs" not in markdown(card)
    assert any(sentence.startswith("No stage honoured opt-outs") for sentence in card.known_limits)
