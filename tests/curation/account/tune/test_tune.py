"""What other limits are said to do is what a run with those limits does."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.account.tune.spreads import Histogram
from curation.account.tune.tune_report import LimitLine, Tuning
from curation.core.errors import InputError
from tests.curation.account.corpus import curate, curate_sources, reasons, rows, tokens, tried

WORDS = "gopher_quality.min_words"
GERMAN = "gopher_quality.by_language.de.max_mean_word_length"
LINES = "gopher_repetition.max_duplicate_lines"
SCORE = "language.min_score"


def line(one: Tuning, limit: str) -> LimitLine:
    return next(line for line in one.limits if line.limit == limit)


def kept(run: Run, name: str) -> set[str]:
    return {url for url, reason in reasons(run, name).items() if reason is None}


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        pytest.param([f"{WORDS}=120"], {"words": 120}, id="tighter"),
        pytest.param([f"{LINES}=0.8"], {"lines": 0.8}, id="looser"),
        pytest.param([f"{WORDS}=80", f"{LINES}=.inf"], {"words": 80, "lines": 1.0}, id="tighter and one lifted"),
        pytest.param([f"{GERMAN}=4.4"], {"german": 4.4}, id="tighter in one language"),
        pytest.param([f"{WORDS}=20", f"{GERMAN}=4.4"], {"words": 20, "german": 4.4}, id="looser, tighter in German"),
    ],
)
def test_a_stage_is_predicted_exactly(corpus: Path, settings: list[str], limits: dict[str, Any]) -> None:
    before = run = curate(corpus)
    one = tried(run, *settings)["gopher"]
    after = curate(corpus, **limits)
    manifest = after.stage("gopher").manifest
    assert one.rows == manifest.total("rows")
    assert one.kept_after == manifest.total("kept") != one.kept_before
    assert one.dropped_after == manifest.merged("dropped")
    fired = {line.limit: line.beyond_after for line in one.limits if line.beyond_after}
    assert fired == {limit: count for limit, count in manifest.merged("fired").items() if count}
    old = kept(before, "gopher")
    new = kept(after, "gopher")
    assert one.won.documents == len(new - old)
    assert one.lost.documents == len(old - new)
    ends = tokens(before).keys() - tokens(after).keys()
    assert one.lost.kept_to_end == len(ends)
    assert one.lost.tokens == sum(tokens(before)[url] for url in ends)
    assert sum(one.lost.dropped_later.values()) == one.lost.documents - len(ends)


def test_a_quantile_sets_scores_by_language_too(corpus: Path) -> None:
    run = curate(corpus)
    one = tried(run, stage="language", quantile=0.9, by_language=True)["language"]
    options = one.options["language"]
    assert set(options) == {"min_score", "min_scores", "max_garbled"}
    assert set(options["min_scores"]) == {"en", "de"}
    again = tried(run, f"{SCORE}s.de={options['min_scores']['de']}", stage="language")["language"]
    assert again.options == {"language": {"min_scores": {"de": options["min_scores"]["de"]}}}


SENTENCES = "c4_quality.min_sentences"
REPEATED = "fineweb_quality.max_duplicate_line_characters"
SHORT = "fineweb_quality.max_short_lines"


@pytest.mark.parametrize(
    ("settings", "stage", "limits"),
    [
        pytest.param([f"{WORDS}=120"], None, {"one": 120, "two": 120}, id="the same rule set in both sources"),
        pytest.param([f"{WORDS}=120"], "two-gopher_quality", {"two": 120}, id="in one of them"),
        pytest.param([f"{SENTENCES}=12", f"{SHORT}=0.5"], None, {"sentences": 12, "short": 0.5}, id="joined"),
        pytest.param([f"{REPEATED}=0.9"], "quality", {"repeated": 0.9}, id="joined, looser"),
        pytest.param([f"{WORDS}=120", f"{SENTENCES}=20"], None, {"one": 120, "two": 120, "sentences": 20}, id="all"),
    ],
)
def test_stages_of_several_sources_are_predicted_exactly(
    corpus: Path, settings: list[str], stage: str | None, limits: dict[str, Any]
) -> None:
    run = curate_sources(corpus)
    found = tried(run, *settings, stage=stage)
    after = curate_sources(corpus, **limits)
    for name, one in found.items():
        manifest = after.stage(name).manifest
        assert one.rows - one.gone == manifest.total("rows")
        assert one.kept_after == manifest.total("kept") != one.kept_before
        assert one.dropped_after == manifest.merged("dropped")
        assert one.lost.tokens is None


def test_every_sum_over_limits_and_languages_is_the_stage_s(corpus: Path) -> None:
    run = curate(corpus)
    one = tried(run, f"{WORDS}=120", f"{LINES}=0.6", by_language=True)["gopher"]
    assert one.won.documents > 0
    assert one.lost.documents > one.lost.kept_to_end > 0
    for lines in (one.limits, one.languages):
        assert sum(line.won.documents for line in lines) == one.won.documents
        assert sum(line.lost.documents for line in lines) == one.lost.documents
        assert sum(line.lost.kept_to_end for line in lines) == one.lost.kept_to_end
        assert sum(line.lost.tokens or 0 for line in lines) == one.lost.tokens
    assert [line.language for line in one.languages] == ["en", "de"]
    assert one.languages[0].rows > one.languages[1].rows
    assert sum(line.kept_after for line in one.languages) == one.kept_after
    assert line(one, "gopher_quality.words:low").lost.documents == one.lost.documents
    assert line(one, "gopher_repetition.duplicate_lines:high").won.documents == one.won.documents


def test_alone_is_what_lifting_the_limit_would_win(corpus: Path) -> None:
    run = curate(corpus)
    alone = line(tried(run, stage="gopher")["gopher"], "gopher_repetition.duplicate_lines:high").alone
    assert tried(run, f"{LINES}=.inf")["gopher"].won.documents == alone > 0


def test_two_stages_tightened_together_count_a_document_once(corpus: Path) -> None:
    before = run = curate(corpus)
    found = tried(run, f"{SCORE}=0.93", f"{WORDS}=120")
    after = curate(corpus, score=0.93, words=120)
    first = found["language"]
    second = found["gopher"]
    assert first.lost.documents > 0
    assert second.gone == first.lost.documents
    assert second.rows - second.gone == after.stage("gopher").manifest.total("rows")
    assert second.kept_after == after.stage("gopher").manifest.total("kept")
    assert second.dropped_after == after.stage("gopher").manifest.merged("dropped")
    lost_tokens = (first.lost.tokens or 0) + (second.lost.tokens or 0)
    assert sum(tokens(before).values()) - lost_tokens == sum(tokens(after).values())
    assert "gopher" in first.lost.dropped_later


def test_a_loosened_earlier_stage_leaves_a_lower_bound_and_the_notes_say_so(corpus: Path) -> None:
    run = curate(corpus, score=0.93)
    found = tried(run, f"{SCORE}=0.5", f"{LINES}=0.6")
    after = curate(corpus, score=0.5, lines=0.6)
    language = found["language"]
    gopher = found["gopher"]
    assert language.kept_after == after.stage("language").manifest.total("kept") > language.kept_before
    assert gopher.kept_before < gopher.kept_after < after.stage("gopher").manifest.total("kept")
    assert any("never measured by gopher, dedup" in note for note in language.notes)
    assert any("lower bound" in note for note in gopher.notes)
    assert not any("lower bound" in note for note in tried(run, f"{LINES}=0.6")["gopher"].notes)


def test_won_text_and_tokens_are_estimated_closely(corpus: Path) -> None:
    before = run = curate(corpus)
    one = tried(run, f"{WORDS}=20", f"{LINES}=0.9")["gopher"]
    after = curate(corpus, words=20, lines=0.9)
    new = kept(after, "gopher") - kept(before, "gopher")
    table = rows(after, "gopher")
    sizes = dict(zip(table["url"].to_pylist(), pc.binary_length(table["text"]).to_pylist(), strict=True))
    assert one.won.text_bytes == pytest.approx(sum(sizes[url] for url in new), rel=0.05)
    manifest = run.stage("tokenize").manifest
    assert one.bytes_per_token == pytest.approx(manifest.total("kept_text_bytes") / manifest.total("tokens"))
    assert one.won.tokens == pytest.approx(one.won.text_bytes / one.bytes_per_token, abs=1)


def test_without_changes_every_filter_stage_is_as_it_is(corpus: Path) -> None:
    run = curate(corpus)
    found = tried(run)
    assert list(found) == ["language", "gopher"]
    for name, one in found.items():
        manifest = run.stage(name).manifest
        assert one.dropped_after == one.dropped_before == manifest.merged("dropped")
        assert one.won.documents == one.lost.documents == 0
        assert one.options == {}
        assert one.notes == ()
        assert all(line.beyond_before == line.beyond_after for line in one.limits)
        assert all(
            sum(one.documents for one in figure.bins) == figure.documents for figure in one.histograms if figure.bins
        )


def test_no_text_is_read(corpus: Path, tmp_path: Path) -> None:
    run = Run.open(shutil.copytree(curate(corpus).folder, tmp_path / "run"))
    for stage in run.stages:
        for shard in stage.shards:
            spoil_text(Path(shard.uri))
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        rows(run, "gopher")
    assert tried(run, f"{WORDS}=120")["gopher"].lost.tokens


def spoil_text(file: Path) -> None:
    """Overwrites the bytes of the column `text`, so that whoever reads it fails."""
    content = bytearray(file.read_bytes())
    metadata = pq.read_metadata(file)
    for group in range(metadata.num_row_groups):
        columns = (metadata.row_group(group).column(i) for i in range(metadata.num_columns))
        for column in columns:
            if column.path_in_schema == "text":
                start = column.dictionary_page_offset or column.data_page_offset
                size = column.total_compressed_size
                content[start : start + size] = b"\xff" * size
    file.write_bytes(bytes(content))


@pytest.mark.parametrize("options", [{"quantile": 0.9}, {"sigma": 2.0}], ids=["quantile", "sigma"])
def test_limits_by_the_corpus(corpus: Path, options: dict[str, float]) -> None:
    run = curate(corpus)
    one = tried(run, stage="gopher", by_language=True, **options)["gopher"]
    german = one.options["gopher_quality"]["by_language"]["de"]
    english = one.options["gopher_quality"]["by_language"]["en"]
    assert german["max_mean_word_length"] != english["max_mean_word_length"]
    words = line(one, "gopher_quality.words:low")
    least = {"*": one.options["gopher_quality"]["min_words"], "de": german["min_words"], "en": english["min_words"]}
    assert {language: words.after.get(language, words.after["*"]) for language in least} == least
    if "quantile" in options:  # at most a tenth of each language is beyond, and almost a tenth is
        assert 0.06 * one.rows < words.beyond_after <= 0.1 * one.rows


def test_histograms_by_language(corpus: Path) -> None:
    run = curate(corpus)
    settings = (f"{WORDS}=70", "gopher_quality.by_language.de.min_words=30", f"{SCORE}=0.9")
    found = tried(run, *settings, by_language=True)
    by_key: dict[tuple[str, str | None], Histogram] = {
        (figure.signal, figure.language): figure for one in found.values() for figure in one.histograms
    }
    table = rows(run, "gopher")
    names = ("de", "en")
    counts = [
        (row["language"]["label"], row["gopher_quality"]["words"])
        for row in table.select(["language", "gopher_quality"]).to_pylist()
    ]
    for language, after in ((None, 70), *((name, 30 if name == "de" else 70) for name in names)):
        figure = by_key["gopher_quality.words", language]
        own = sorted(count for where, count in counts if language in (None, where))
        assert (figure.documents, figure.unmeasured) == (len(own), 0)
        assert (figure.before["low"], figure.after["low"]) == (50, after)
        assert sum(one.documents for one in figure.bins if one.high <= after) == sum(count < after for count in own)
        assert figure.quantiles["0.5"] == own[(len(own) + 1) // 2 - 1]
    labels = by_key["language.label", None]
    read = rows(run, "language")["language"].combine_chunks().field("label")
    assert labels.values == dict(Counter(read.to_pylist()).most_common())
    assert (labels.after, labels.bins) == ({"not_in": ("en", "de")}, ())
    assert by_key["language.label", "de"].values == {"de": labels.values["de"]}


def test_what_a_recipe_would_refuse_is_said(corpus: Path) -> None:
    run = curate(corpus)
    (note,) = (note for note in tried(run, f"{LINES}=.inf")["gopher"].notes if "a recipe must limit" in note)
    assert "gopher_repetition.duplicate_lines:" in note


def test_what_later_stages_have_not_seen_is_said(corpus: Path) -> None:
    run = curate_sources(corpus)
    notes = tried(run, f"{WORDS}=40", stage="two-gopher_quality")["two-gopher_quality"].notes
    assert any("never measured by quality, dedup" in note for note in notes)
    assert any("never edited by unicode" in note for note in notes)


def test_own_limits_go_before_those_by_the_corpus(corpus: Path) -> None:
    run = curate(corpus)
    one = tried(run, f"{WORDS}=7", quantile=0.9)["gopher"]
    assert one.options["gopher_quality"]["min_words"] == 7
    assert one.options["gopher_quality"]["max_words"] < 100_000
