"""What is shown of texts and titles is redacted as the recipe says, whatever stage it is of, and without its key."""

from pathlib import Path

import pytest

from curation.account.redacted import Redactor
from curation.account.run import Run
from tests.curation.account.corpus import made, write_lines

TOKEN = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6"  # invented, with the form of a GitHub token
RECIPE = """
version: 1
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url}}
    - dedup: {exact: {}}
%(redact)s
"""
SOURCE = """  {name}:
    - read: {{jsonl: {{paths: ["{folder}/{name}.jsonl"], url: url}}}}
    - rewrite: {{pii: {{of: [{kind}], language: en}}}}
"""
REDACT = """    - rewrite: {secrets: {action: surrogate, key: {file: "%s"}, key_id: "1"}}"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    key.chmod(0o600)
    text = f"the token of the build is {TOKEN} and may be used"
    rows = [{"url": f"http://a.example/{name}", "text": text} for name in ("first", "copy", "again")]
    write_lines(tmp_path / "web.jsonl", rows)
    run = made(RECIPE % {"folder": tmp_path, "redact": REDACT % key}, tmp_path / "run")
    key.unlink()  # whoever asks need not have it
    return run


def test_rows_of_a_stage_before_the_redaction_are_shown_redacted(run: Run) -> None:
    for stage in ("read", "dedup"):
        shown = run.show(stage)
        assert [row.text for row in shown] == ["the token of the build is <GITHUB_TOKEN> and may be used"] * 3


def test_samples_of_clusters_are_redacted(run: Run) -> None:
    (found,) = run.duplicates()
    assert [sample["beginning"] for sample in found.largest[0]["samples"]] == [
        "the token of the build is <GITHUB_TOKEN> and may be used"
    ] * 3


def test_titles_are_redacted_and_other_signals_stay(run: Run) -> None:
    values = {"url": None, "extract": {"title": f"token {TOKEN}", "tags": 3}, "other": {"words": 5}, "text": 12}
    assert Redactor.of(run).row(values) == {**values, "extract": {"title": "token <GITHUB_TOKEN>", "tags": 3}}


def test_rewriters_of_all_sources_redact_each_once(tmp_path: Path) -> None:
    texts = {"web": "mail a.person@example.org now", "forum": "call +1 (212) 555-0187 now", "news": "nothing here"}
    sources = []
    for name, kind in (("web", "email"), ("forum", "phone"), ("news", "email")):
        write_lines(tmp_path / f"{name}.jsonl", [{"url": f"http://{name}.example/", "text": texts[name]}])
        sources.append(SOURCE.format(name=name, folder=tmp_path, kind=kind))
    recipe = "version: 1\nsources:\n" + "".join(sources) + "joined:\n  - dedup: {exact: {}}\n"
    redactor = Redactor.of(made(recipe, tmp_path / "run"))
    assert len(redactor.rewriters) == 2
    both = f"{texts['web']}, {texts['forum']}"
    assert redactor.text(both, {"url": None, "language": None}) == "mail <EMAIL> now, call <PHONE> now"


def test_a_recipe_that_does_not_redact_shows_texts_as_they_are() -> None:
    assert Redactor(()).row({"text": TOKEN, "extract": {"title": TOKEN}}) == {
        "text": TOKEN,
        "extract": {"title": TOKEN},
    }
