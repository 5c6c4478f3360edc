"""The page of a run: self-contained, inert whatever documents say, and in step with the run."""

import base64
import hashlib
import json
import re
import shutil
from contextlib import nullcontext
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from curation.account.audit.clean import audit_clean
from curation.account.report.alerts import Alert
from curation.account.report.composition import Loss
from curation.account.report.reasons import explanation
from curation.account.report.report import run_report
from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.run_lock import only_run
from curation.core.wording import percent
from curation.engine.erase import takedown as erasing
from pipelines.report import page as pages
from pipelines.report import report as reports
from pipelines.report.page import stale
from pipelines.report.report import REPORT, kept_in_step, show_training, write_report
from pipelines.takedown import take_down
from tests.curation.account.unfinished import begun
from tests.pipelines.report.hostile_run import hostile_run
from tests.runs import winnow_here
from tests.takedowns import COPIES, marker, request, write_training
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run

ADDRESS = re.compile(r"""(?:src|href|action|data|poster|xlink:href)\s*=""")


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = hostile_run(tmp_path_factory.mktemp("hostile"))
    return Path(write_report(str(run))).read_text()


def test_nothing_in_a_document_becomes_an_element(hostile: str) -> None:
    elements = Elements(hostile).found
    tags = [tag for tag, _ in elements]
    assert (tags.count("script"), tags.count("style"), tags.count("title")) == (1, 1, 1 + tags.count("g"))
    assert not {"iframe", "img", "link", "object", "embed", "form", "base"} & {*tags}
    for tag, attributes in elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert not {"src", "style", "srcset", "action"} & {*attributes}, tag
        assert str(attributes.get("href", "#")).startswith("#"), tag
    assert "49" not in re.findall(r"page9\.example/\?([^<]{0,40})", hostile)[0]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", hostile)


def test_the_policy_allows_its_own_style_and_script_alone(hostile: str) -> None:
    (policy,) = (own["content"] for _, own in Elements(hostile).found if own.get("http-equiv"))
    assert str(policy).startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", hostile, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)


def test_what_is_no_utf8_is_shown_as_characters_that_say_so(hostile: str) -> None:
    assert re.search("�+&lt;script&gt;document.title = 1&lt;/script&gt; of a page that is no UTF-8", hostile)
    assert "&lt;script&gt;document.title = 1&lt;/script&gt; of a page with a half of a pair" in hostile


def test_a_word_of_a_megabyte_is_cut(hostile: str) -> None:
    assert len(hostile) < 1_000_000


def test_a_page_that_would_be_too_large_shows_less(finished_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = run_report(Run.open(finished_run / "run"))
    whole = pages.page(report)
    monkeypatch.setattr(pages, "LARGEST", len(whole) * 3 // 4)
    small = pages.page(report).decode()
    assert len(small.encode()) <= len(whole) * 3 // 4
    assert re.search(r"it shows one in \d+ of the documents", small)
    assert b"it shows one in" not in whole


def test_links_lead_to_places_in_the_page(hostile: str) -> None:
    elements = Elements(hostile).found
    anchors = [own["id"] for _, own in elements if "id" in own]
    assert len(anchors) == len({*anchors})
    links = [str(own["href"])[1:] for tag, own in elements if tag == "a"]
    assert len(links) == 15  # of one alert: a document of a megabyte
    assert {*links} <= {*anchors}


def test_the_command(finished_run: Path, tmp_path: Path) -> None:
    shutil.copytree(finished_run / "run", tmp_path / "run")
    done = winnow_here("report", tmp_path / "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"open it in a browser: {tmp_path}/run/report.html" in done.stdout.replace("\n", "")
    page = (tmp_path / "run" / REPORT).read_text()
    funnel = Run.open(tmp_path / "run").funnel()
    for line in funnel.stages:
        if line.kept is not None:
            assert f">{line.kept:,}<" in page
    done = winnow_here("report", tmp_path / "run", "--compare", tmp_path / "run", "--output", tmp_path / "both.html")
    assert done.returncode == 0
    assert "alone: 0 of" in (tmp_path / "both.html").read_text()


@pytest.mark.parametrize("going_on", [True, False], ids=["in progress", "killed"])
def test_an_unfinished_run_says_what_it_lacks(taken_run: Path, going_on: bool) -> None:
    begun(taken_run, sealed=2)
    with only_run(str(taken_run)) if going_on else nullcontext():
        page = Path(write_report(str(taken_run))).read_text()
    word = "is running" if going_on else "the same winnow curate resumes it"
    assert re.search(f"The run is not finished: all figures cover what is sealed so far. The rest is [^<]*{word}", page)
    assert "Its documents have no tokens: its stage is not finished." in page
    assert "It has no mixture: its stage is not finished." in page
    assert "Nothing looked for duplicates: its stage is not finished." in page
    assert "is not known: the recipe has no `contamination`." in page


def test_good_documents_and_what_is_lost_of_them(finished_run: Path, hostile: str, tmp_path: Path) -> None:
    assert "Not measured: nothing in a run says which documents are good." in hostile
    good = tmp_path / "good.jsonl"
    good.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("Too short.", "the words of a book " * 40)))
    run = str(finished_run / "run")
    page = Path(write_report(run, str(tmp_path / "good.html"), clean=str(good))).read_text()
    shown = page[page.index('<section id="clean"') :].partition("</section>")[0].replace("<wbr>", "")
    (chain,) = audit_clean(Run.open(run), str(good)).chains
    lost = percent(chain.given.documents - chain.kept.documents, chain.given.documents)
    assert f"lost are {lost} of the documents" in shown
    limits = {limit.limit for stage in chain.stages for limit in stage.limits if limit.alone.documents}
    assert "gopher_quality.words:low" in limits
    assert all(f": {limit}</th>" in shown for limit in limits)


def test_a_takedown_empties_the_report_and_makes_it_again(taken_run: Path, tmp_path: Path) -> None:
    url = next(iter(COPIES))
    path = Path(write_report(str(taken_run)))
    shown = next(one for one in re.findall(r"http://news-\d\.example/\d", path.read_text()) if one not in COPIES)
    assert marker(shown) in path.read_text()
    take_down(str(taken_run), request(tmp_path, shown, url))
    page = path.read_text()
    assert marker(shown) not in page
    assert "Takedowns honoured" in page
    assert 'role="status"' not in page


def test_a_takedown_that_ends_early_leaves_no_text(
    taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(write_report(str(taken_run)))

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(erasing, "begin", fail)
    with pytest.raises(OSError, match="full"):
        take_down(str(taken_run), request(tmp_path, next(iter(COPIES))))
    page = path.read_text()
    assert "has changed" in page
    assert "news-0.example" not in page


def test_a_run_that_goes_on_says_so_until_the_report_is_made_again(taken_run: Path) -> None:
    path = taken_run / REPORT
    with kept_in_step(str(taken_run)):
        assert not path.exists()  # nobody asked for one
    assert not path.exists()
    write_report(str(taken_run))
    made = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), kept_in_step(str(taken_run)):
        raise KeyboardInterrupt
    assert path.read_bytes() == stale(made, str(taken_run))
    assert path.read_text().count("has changed, since its report was made") == 1
    with kept_in_step(str(taken_run)):
        assert path.read_text().count("has changed, since its report was made") == 1
    assert path.read_bytes() == made


def test_a_report_that_cannot_be_made_again_says_so(taken_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(write_report(str(taken_run)))
    made = path.read_bytes()

    def fail(*_: object) -> None:
        raise InputError("a list is gone")

    monkeypatch.setattr(reports, "run_report", fail)
    with kept_in_step(str(taken_run)):
        assert path.read_bytes() != made
    assert path.read_bytes() == made  # the run is as it was
    with kept_in_step(str(taken_run)):
        begun(taken_run, sealed=2)
    assert "has changed" in path.read_text()


def section(page: str, name: str) -> str:
    return page[page.index(f'<section id="{name}"') :].partition("</section>")[0]


def recorded(folder: Path) -> None:
    """Three updates and a validation of a training run."""
    rates = {"learning_rate": 0.1, "gradient_norm": 1.0, "tokens_per_second": 10.0}
    lines = [{"kind": "step", "step": n, "loss": 5.0 - n, "tokens": 96 * n, **rates} for n in (1, 2, 3)]
    validation = {"kind": "validation", "step": 3, "loss": 2.5}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, validation]))


def test_the_head_counts_pages(finished_run: Path, tmp_path: Path) -> None:
    page = Path(write_report(str(finished_run / "run"), str(tmp_path / "report.html"))).read_text()
    read = Run.open(finished_run / "run").stage("extract").manifest.total("rows")
    kept = Run.open(finished_run / "run").stage("tokenize").manifest.total("kept")
    assert f"<b>{read}</b> pages read" in page
    assert f"<b>{kept}</b> documents kept ({percent(kept, read)} of the pages)" in page
    shown = re.findall(r"--doc-id ([0-9a-f]{32})", page)
    assert len(shown) == len({*shown}) > 20
    assert section(page, "final").count('<details class="document">') == 20
    assert 'id="search"' in page


def test_documents_have_documents_read(hostile: str) -> None:
    assert re.search("<b>28</b> documents read", hostile)


def test_alerts_stand_at_the_head(finished_run: Path) -> None:
    report = run_report(Run.open(finished_run / "run"))
    alert = Alert("one document", "One document is 3.4 % of the kept text: http://a.example/<script>.", "made")
    head = pages.page(replace(report, alerts=(alert,))).decode().partition("<main>")[0]
    assert '<h2 id="alerts">Alerts</h2>' in head
    assert 'http://a.example/&lt;script&gt;. <a href="#made">Figures</a></li>' in head
    assert "No alerts: " in pages.page(replace(report, alerts=())).decode().partition("<main>")[0]


def test_a_reason_that_needs_words_is_explained_where_it_is_first_shown(finished_run: Path) -> None:
    report = run_report(Run.open(finished_run / "run"))
    loss = Loss("web", "perplexity", "perplexity.perplexity:low", 109, 5_000, None)
    page = pages.page(replace(report, losses=(loss,))).decode().replace("<wbr>", "")
    first = page.index("perplexity.perplexity:low")
    assert page[first:].startswith(
        f'perplexity.perplexity:low<br><span class="muted">{explanation(loss.reason)}</span>'
    )


def test_a_training_run_is_shown_after_it_ends(taken_run: Path) -> None:
    training = write_training(taken_run.parent / "model", taken_run, steps=9)
    show_training(str(taken_run), str(training))
    assert not (taken_run / REPORT).exists()  # nobody asked for one
    assert "No training run beside" not in section(Path(write_report(str(taken_run))).read_text(), "trainings")
    shutil.rmtree(training)
    assert "No training run beside" in section(Path(write_report(str(taken_run))).read_text(), "trainings")
    far = write_training(taken_run.parent / "far" / "model", taken_run, steps=9, done=3)
    recorded(far)
    (mix,) = taken_run.glob("*-mix-*")
    show_training(str(mix), str(far))
    shown = section((taken_run / REPORT).read_text(), "trainings")
    assert f"{far}</th><td>3</td><td>9</td><td>288</td><td>2.0000</td><td>2.5000</td>" in shown
    assert shown.count('<svg class="lines"') == 4


def test_the_command_takes_a_model_that_is_elsewhere(taken_run: Path, tmp_path: Path) -> None:
    far = write_training(tmp_path / "far" / "model", taken_run, steps=9)
    done = winnow_here("report", taken_run, "--model", far)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(far) in section((taken_run / REPORT).read_text(), "trainings")


def test_tables_side_by_side_have_room_for_their_columns() -> None:
    """A page of 1,280 pixels has 1,113 for its content: two tables of 34 rem, not three of 310 pixels."""
    style = (Path(pages.HERE) / "report.css").read_text()
    assert "minmax(min(34rem, 100%), 1fr)" in style
    assert '<div class="grid tables">' in (Path(pages.HERE) / "sections" / "duplicates.html.jinja").read_text()
