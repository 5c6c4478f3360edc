"""What is a refusal by each rule, what is honoured, and what is unknown."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.filters.opt_outs import RULES, OptOuts
from curation.models.preferences import site_files
from curation.models.preferences.robots_txt import essential
from tests.support import documents, table, verdict

THEN = datetime(2024, 3, 1, tzinfo=UTC)
FILES = {
    ("site.example", "robots_txt"): essential(b"User-agent: GPTBot\nDisallow: /private\nContent-Signal: ai-train=no\n"),
    ("usage.example", "robots_txt"): essential(b"User-agent: *\nContent-Usage: /a train-ai=n\n"),
    ("open.example", "robots_txt"): "",
    ("ai.example", "ai_txt"): essential(b"User-Agent: *\nDisallow: *.html\n"),
    ("terms.example", "robots_txt"): essential(b"License: https://terms.example/l.xml\n"),
    (
        "terms.example",
        "rsl",
    ): '["https://terms.example/l.xml", [["/", "refused"], ["/sold/", "paid"], ["/free/", "permitted"]]]',
    ("linked.example", "robots_txt"): essential(b"License: https://other.example/l.xml\n"),
    ("tdm.example", "tdmrep"): '[["/free", false, "https://n"], ["/*", true, "https://p"]]',
}


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows = [{"host": host, "kind": kind, "fetched_at": THEN, "content": text} for (host, kind), text in FILES.items()]
    path = tmp_path_factory.mktemp("sites") / site_files.MAIN
    path.write_bytes(site_files.to_bytes(pa.Table.from_pylist(rows, site_files.SCHEMA), {"robots_txt": 3, "faults": 0}))
    return str(path)


@pytest.fixture(scope="module")
def domains(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lists") / "mine.txt"
    path.write_text("# of our own\nlisted.example\nwww.one.example\n")
    return str(path)


def measured(made: OptOuts, url: str, stated: str | None = None, when: datetime | None = THEN) -> dict[str, Any]:
    batch = documents("text", url=[url], crawled_at=[when], extract=[{"preferences": stated}])
    batch = batch.set_column(
        batch.schema.get_field_index("extract"),
        "extract",
        pa.array([{"preferences": stated}], pa.struct([("preferences", pa.string())])),
    )
    return {name: values[0].as_py() for name, values in made.measure(batch).items()}


@table(
    ("url", "stated", "refused"),
    {
        "nothing": ("https://a.example/", None, set()),
        "robots.txt": ("https://site.example/private/a", None, {"robots_txt", "content_signal"}),
        "another path": ("https://site.example/a", None, {"content_signal"}),
        "another scheme and port": ("http://SITE.example:8080/private", None, {"robots_txt", "content_signal"}),
        "a part of another host": ("https://x.site.example/private", None, set()),
        "usage of a path": ("https://usage.example/a/b#c", None, {"content_usage"}),
        "usage of another": ("https://usage.example/b", None, set()),
        "usage in a header": ("https://a.example/", "content-usage: train-ai=n", {"content_usage"}),
        "a header does not lift a refusal": ("https://usage.example/a", "content-usage: train-ai=y", {"content_usage"}),
        "a signal in a header": ("https://a.example/", "content-signal: ai-train=no", {"content_signal"}),
        "ai.txt of pages without a suffix": ("https://ai.example/a/?b=1", None, {"ai_txt"}),
        "ai.txt of other files": ("https://ai.example/a.pdf", None, set()),
        "the first rule": ("https://tdm.example/free/a", None, set()),
        "the next": ("https://tdm.example/a", None, {"tdm_reservation"}),
        "the page goes before the site": ("https://tdm.example/a", "meta tdm-reservation: 0", set()),
        "in a header": ("https://tdm.example/free", "tdm-reservation: 1", {"tdm_reservation"}),
        "metadata": ("https://a.example/", "meta robots: noai, noimageai", {"noai", "noimageai"}),
        "terms": ("https://terms.example/a", None, {"rsl"}),
        "terms for a payment": ("https://terms.example/sold/a", None, {"rsl"}),
        "terms that permit it": ("https://terms.example/free/a", None, set()),
        "terms that are not there": ("https://linked.example/", None, {"rsl_unread"}),
        "linked in a header": ("https://a.example/", "rsl: https://terms.example/l.xml", {"rsl"}),
        "linked by the page, not there": ("https://a.example/", "meta rsl: /rsl.xml", {"rsl_unread"}),
        "in the page": ("https://a.example/x", "meta rsl-terms: permitted /; refused /x", {"rsl"}),
        "in the page, permitted": ("https://a.example/y", "meta rsl-terms: permitted /; refused /x", set()),
        "a domain": ("https://listed.example/", None, {"domain_list"}),
        "below it": ("https://a.b.listed.example/", None, {"domain_list"}),
        "beside it": ("https://unlisted.example/", None, set()),
        "no address": ("", "meta robots: noai", {"noai"}),
    },
)
def test_what_is_refused(sites: str, domains: str, url: str, stated: str | None, refused: set[str]) -> None:
    made = OptOuts(honour=(), site_preferences=sites, domain_list=domains)
    found = measured(made, url, stated)
    assert {rule for rule in RULES if found[rule]} == refused


def test_statements_are_kept_as_written(sites: str, domains: str) -> None:
    made = OptOuts(honour=(), site_preferences=sites, domain_list=domains, agents=("GPTBot", "x"))
    found = measured(made, "https://site.example/private")
    assert (found["disallowed"], found["robots_txt_date"], found["robots_txt_known"]) == ("GPTBot", "2024-03-01", 1)
    assert (found["content_signal_stated"], found["content_usage_stated"]) == ("ai-train=no", None)
    assert measured(made, "https://tdm.example/a", "tdm-reservation: 1")["tdm_policy"] == "https://p"
    assert measured(made, "https://tdm.example/a", "tdm-reservation: 0")["tdm_policy"] is None
    assert measured(made, "https://terms.example/sold/")["rsl_terms"] == "paid https://terms.example/l.xml"
    assert measured(made, "https://linked.example/")["rsl_terms"] == "unread https://other.example/l.xml"
    assert measured(made, "https://a.www.one.example/")["listed_domain"] == "www.one.example"


@table(
    ("url", "when", "reason"),
    {
        "refused": ("https://site.example/private", THEN, "robots_txt:high"),
        "permitted": ("https://open.example/", THEN, None),
        "no file": ("https://a.example/", THEN, "robots_txt_known:low"),
        "30 days later": ("https://open.example/", datetime(2024, 3, 31, tzinfo=UTC), None),
        "31 days later": ("https://open.example/", datetime(2024, 4, 1, tzinfo=UTC), "robots_txt_known:low"),
        "undated": ("https://open.example/", None, "robots_txt_known:low"),
    },
)
def test_an_unknown_robots_txt_is_dropped_only_if_asked(
    sites: str, url: str, when: datetime | None, reason: str | None
) -> None:
    made = OptOuts(honour=("robots_txt",), site_preferences=sites, unknown="drop")
    assert verdict(made, "text", url=url, crawled_at=when) == reason
    kept = OptOuts(honour=("robots_txt",), site_preferences=sites)
    assert verdict(kept, "text", url=url, crawled_at=when) == (None if reason == "robots_txt_known:low" else reason)


def test_only_what_is_honoured_drops(sites: str) -> None:
    made = OptOuts(honour=("tdm_reservation",), site_preferences=sites)
    assert verdict(made, "text", url="https://site.example/private", crawled_at=THEN) is None
    assert verdict(made, "text", url="https://tdm.example/a", crawled_at=THEN) == "tdm_reservation:high"
    assert OptOuts(honour=()).rules() == ()
    assert [rule.signal for rule in made.rules()] == ["tdm_reservation"]


def test_terms_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "rsl.xml"
    offer = "<license><permits type='usage'>search</permits></license>"
    path.write_text(f"<rsl><content url='https://a.example/*'>{offer}</content></rsl>")
    made = OptOuts(honour=("rsl",), rsl_files=(str(path),))
    assert made.assets() == {"rsl_files": (str(path),)}
    assert made.reads == ("url", "crawled_at")
    assert verdict(made, "text", url="https://a.example/b") == "rsl:high"
    assert verdict(made, "text", url="https://b.example/b") is None
    assert OptOuts(honour=("rsl", "rsl_unread"), rsl_files=(str(path),)).reads == ("url", "crawled_at", "extract")


@table(
    ("honour", "sites", "reads"),
    {
        "files of sites": (("robots_txt", "tdm_reservation"), "x", ("url", "crawled_at")),
        "pages": (("noai",), "x", ("url", "crawled_at", "extract")),
        "terms alone": (("rsl",), "", ("url", "crawled_at", "extract")),
        "pages alone": (("content_usage",), "", ("url", "crawled_at", "extract")),
    },
)
def test_extraction_is_needed_where_nothing_else_tells(honour: Any, sites: str, reads: tuple[str, ...]) -> None:
    made = OptOuts(honour=honour, site_preferences=sites)
    assert made.reads == reads
    assert made.reads_if_there == (() if "extract" in reads else ("extract",))


@table(
    ("options", "message"),
    {
        "no files of sites": ({"honour": ("ai_txt",)}, "ai_txt stands in files of sites: give `site_preferences`"),
        "no list": ({"honour": ("domain_list",)}, "domain_list is to be honoured and names no file"),
        "no agents": ({"honour": (), "agents": ()}, "agents is empty"),
        "days": ({"honour": (), "max_days": -1}, "max_days is -1; give 0 or more"),
    },
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        OptOuts(**options)


def test_files(sites: str, domains: str, tmp_path: Path) -> None:
    made = OptOuts(honour=(), site_preferences=sites, domain_list=domains)
    assert made.assets() == {"site_preferences": sites, "domain_list": domains}
    assert made.notes() == ("site preferences of 7 hosts: 3 robots_txt",)
    assert OptOuts(honour=("robots_txt",), site_preferences="@x").notes() == ()
    with pytest.raises(InputError, match="no list at"):
        OptOuts(honour=(), domain_list=str(tmp_path / "x")).assets()
    with pytest.raises(RecipeError, match="keeps no field 'preferences'"):
        made.check_columns({"extract": pa.struct([("title", pa.string())])})
