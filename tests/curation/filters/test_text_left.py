"""What is left of a document that was cut: each limit at its value and one past it, and silence on whole documents."""

import pyarrow as pa
import pytest

from curation.core.by_language import languages_of
from curation.core.filter import impossible
from curation.core.rules import first_failure
from curation.filters.text_left import TextLeft
from curation.rewrite.cut_spans import CutSpans
from tests.support import documents

THREE = "It rains. It snows! Does it? "  # 6 words in 3 sentences
LONG = THREE + "so " * 44  # 50 words
CUT = {"spans": 1, "bytes": 1000, "bytes_removed": 100}
WHOLE = {"spans": 0, "bytes": 1000, "bytes_removed": 0}


def verdict(rule_set: TextLeft, text: str, counts: dict[str, int] | None) -> str | None:
    measured = rule_set.measure(documents(text, "", cut_spans=[counts, CUT]).slice(0, 1))
    columns = {"text_left": pa.StructArray.from_arrays(list(measured.values()), names=list(measured))}
    rules = rule_set.rules()
    failure: str | None = first_failure(measured, rules, 1, languages_of(columns, rules))[0].as_py()
    return failure


@pytest.mark.parametrize(
    ("text", "counts", "reason"),
    [
        pytest.param(LONG, CUT, None, id="50 words in 4 sentences"),
        pytest.param(LONG[:-3], CUT, "words:low", id="49 words"),
        pytest.param("It rains. It snows! " + "so " * 46, CUT, None, id="3 sentences"),
        pytest.param("It rains. " + "so " * 48, CUT, "sentences:low", id="2 sentences"),
        pytest.param("", CUT, "words:low", id="nothing left"),
        pytest.param("Short.", WHOLE, None, id="a short document that lost nothing"),
        pytest.param("", WHOLE, None, id="an empty one that lost nothing"),
        pytest.param(LONG, None, "words:unmeasured", id="not counted"),
    ],
)
def test_limit(text: str, counts: dict[str, int] | None, reason: str | None) -> None:
    assert verdict(TextLeft(), text, counts) == reason


@pytest.mark.parametrize(
    ("removed", "reason"), [pytest.param(750, None, id="25 %"), pytest.param(751, "share:low", id="24.9 %")]
)
def test_limit_on_the_share(removed: int, reason: str | None) -> None:
    counts = {**CUT, "bytes_removed": removed}
    assert verdict(TextLeft(min_share=0.25), LONG, counts) == reason
    assert verdict(TextLeft(), LONG, counts) is None
    assert verdict(TextLeft(min_share=1.0), "", WHOLE) is None


def test_limits_can_be_changed() -> None:
    assert verdict(TextLeft(min_words=6, min_sentences=3), THREE, CUT) is None
    assert verdict(TextLeft(min_words=7), THREE, CUT) == "words:low"
    assert verdict(TextLeft(min_words=0, min_sentences=4), THREE, CUT) == "sentences:low"


def test_signals() -> None:
    nothing = {"spans": 0, "bytes": 0, "bytes_removed": 0}
    measured = TextLeft().measure(documents(THREE, THREE, None, "a", cut_spans=[CUT, WHOLE, nothing, None]))
    assert {name: values.to_pylist() for name, values in measured.items()} == {
        "state": ["cut", "whole", "whole", None],
        "share": [0.9, 1.0, 1.0, None],
        "words": [6, 6, 0, None],
        "sentences": [3, 3, 0, None],
    }


def test_it_reads_what_the_rewriter_counts() -> None:
    column = {"spans": [{"start": 3, "stop": 5}], "units": 2, "repeated": 1, "text_bytes": 5}
    text, counts = CutSpans(of=("line",)).rewrite(documents("ab\ncd", line=[column]))
    counted = {name: values[0].as_py() for name, values in counts.items()}
    measured = TextLeft().measure(documents(text[0].as_py(), cut_spans=[counted]))
    assert (measured["state"][0].as_py(), measured["share"][0].as_py()) == ("cut", 0.4)


def test_a_share_that_cannot_be() -> None:
    mistake = impossible(TextLeft(min_share=30))
    assert mistake is not None
    assert mistake[0] == ("min_share",)
    assert "30 % is 0.3" in mistake[1]
