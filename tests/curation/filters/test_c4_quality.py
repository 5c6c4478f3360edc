"""Raffel et al. 2020: each rule at its limit, and one step past it."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.filters.c4_quality import C4Quality, Variant
from curation.rewrite.c4_lines import C4Lines
from tests.support import documents, table, verdict

THREE = "It rains. It snows! Does it? "  # sentences


@pytest.mark.parametrize(
    ("variant", "text", "reason"),
    [
        pytest.param("paper", THREE, None, id="3 sentences"),
        pytest.param("paper", "It rains. It snows 3.5 mm!", "sentences:low", id="2 sentences"),
        pytest.param("paper", "It rains\nIt snows\nDoes it", None, id="3 lines are 3 sentences"),
        pytest.param("paper", THREE + "Lorem dolor ipsum", None, id="no phrase"),
        pytest.param("paper", THREE + "LOREM Ipsum", "lorem_ipsum:high", id="the phrase in any case"),
        pytest.param("paper", THREE + "}", None, id="a closing bracket"),
        pytest.param("paper", THREE + "a{b", "curly_brackets:high", id="an opening bracket"),
        pytest.param("paper", THREE + "javascript", None, id="the word is for the line rules"),
        pytest.param("datatrove", "Yes. " * 5, None, id="datatrove: 5 sentences"),
        pytest.param("datatrove", "Yes. " * 4, "sentences:low", id="datatrove: 4 sentences"),
        pytest.param("dolma", "It rains, Javascript: no", None, id="dolma: no whole word, and one sentence"),
        pytest.param("dolma", "It rains JavaScript", "javascript:high", id="dolma: the word in any case"),
        pytest.param("dclm", THREE.ljust(189_999) + "é", None, id="dclm: 190,000 characters"),
        pytest.param("dclm", THREE.ljust(190_000) + "é", "characters:high", id="dclm: 190,001 characters"),
        pytest.param("dclm", "It rains. It snows!", "sentences:low", id="dclm: 2 sentences"),
    ],
)
def test_limit(variant: Variant, text: str, reason: str | None) -> None:
    assert verdict(C4Quality(variant=variant), text) == reason


def test_limits_can_be_changed() -> None:
    assert verdict(C4Quality(min_sentences=4), THREE) == "sentences:low"
    assert verdict(C4Quality(variant="datatrove", min_sentences=3), THREE) is None
    assert verdict(C4Quality(max_curly_brackets=2), THREE + "{{") is None
    assert verdict(C4Quality(max_curly_brackets=2), THREE + "{{{") == "curly_brackets:high"
    assert verdict(C4Quality(max_curly_brackets=None), THREE + "{" * 100) is None


@pytest.fixture
def bad_words(tmp_path: Path) -> str:
    file = tmp_path / "bad.txt"
    file.write_text("# a comment\ndarn\ngo away\n坏话\n\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("No darning here, go far away.", None, id="no whole word"),
        pytest.param("Darn!", "bad_words:high", id="a word in any case"),
        pytest.param("Go \n away", "bad_words:high", id="two words with any space between"),
        pytest.param("这是坏话吗", "bad_words:high", id="anywhere, where there are no spaces"),
    ],
)
def test_a_list_of_bad_words(bad_words: str, text: str, reason: str | None) -> None:
    assert verdict(C4Quality(bad_words=bad_words), THREE + text) == reason
    assert verdict(C4Quality(), THREE + text) is None


def test_some_bad_words_can_be_allowed(bad_words: str) -> None:
    rule_set = C4Quality(bad_words=bad_words, max_bad_words=1)
    assert verdict(rule_set, THREE + "darn") is None
    assert verdict(rule_set, THREE + "darn darn") == "bad_words:high"
    assert rule_set.assets() == {"bad_words": bad_words}
    assert C4Quality().assets() == {}
    with pytest.raises(InputError, match="no list of terms"):
        C4Quality(bad_words="nowhere").assets()


SIX = "It rains here today.\n" * 6


@table(
    ("variant", "line", "reason"),
    {
        "dolma: javascript, cut": ("dolma", "Please enable javascript to go on", "javascript:high"),
        "dolma: phrase, cut": ("dolma", "lorem ipsum dolor sit", "lorem_ipsum:high"),
        "datatrove: policy": ("datatrove", "Here { our privacy policy is.", "curly_brackets:high"),
        "datatrove: script": ("datatrove", "Use javascript and lorem ipsum here.", "lorem_ipsum:high"),
        "datatrove: cut before brackets are looked for": ("datatrove", "Use javascript and { here.", None),
        "paper: no end mark": ("paper", "if (x) { y }", None),
    },
)
def test_lines_that_were_cut_count_where_the_line_rules_say_so(variant: Variant, line: str, reason: str | None) -> None:
    text, counts = C4Lines(variant=variant).rewrite(documents(SIX + line))
    columns = {"c4_lines": {name: values[0].as_py() for name, values in counts.items()}}
    assert line not in text[0].as_py() or variant == "dolma"
    assert verdict(C4Quality(variant=variant, from_lines=True), text[0].as_py(), **columns) == reason
