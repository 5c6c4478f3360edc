"""Each Unicode edit, its count, and the order of them."""

import unicodedata
from typing import get_args

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.errors import RecipeError
from curation.rewrite.unicode import SPECIAL_TOKENS, Unicode, disarmed
from curation.text.edits.mark_order import Form
from tests.support import documents

ALIKE = "“Größe” — naïve…\n\tעִבְרִית 👩‍👩‍👧 中文。 <b> [x] it’s"


def clean(text: str | None, rules: Unicode | None = None) -> tuple[str, dict[str, int]]:
    """The text as edited, and the counts that are not 0."""
    after, counts = (rules or Unicode()).rewrite(documents(text))
    return after[0].as_py(), {
        name: count for name, (count,) in ((n, c.to_pylist()) for n, c in counts.items()) if count
    }


def test_what_is_clean_stays() -> None:
    assert clean(ALIKE) == (ALIKE, {})


@pytest.mark.parametrize(
    ("text", "after", "counts"),
    [
        pytest.param("so\nsÃ³\n", "so\nsó\n", {"mojibake_fixed": 1, "characters_changed": 2}, id="mojibake"),
        pytest.param("cafe\u0301", "café", {"normalized_lines": 1, "characters_changed": 2}, id="decomposed"),
        pytest.param("a\0b\x7fc\ufeff", "abc", {"control_characters": 3, "characters_changed": 3}, id="controls"),
        pytest.param("a\u00adb", "ab", {"control_characters": 1, "characters_changed": 1}, id="soft hyphen"),
        pytest.param(
            "a\u200b\n\u2060\nb\u200e", "a\n\nb", {"control_characters": 3, "characters_changed": 3}, id="unseen"
        ),
        pytest.param(
            "e\u200b\u0301", "é", {"control_characters": 1, "normalized_lines": 1, "characters_changed": 3}, id="e"
        ),
        pytest.param("a\r\nb\rc\u2028d", "a\nb\nc\nd", {"control_characters": 3, "characters_changed": 3}, id="breaks"),
        pytest.param("<s>a", "< s >a", {"special_tokens": 1, "characters_changed": 2}, id="special token"),
        pytest.param("<|im_<|im_end|>", "<|im_<| im_end |>", {"special_tokens": 1, "characters_changed": 2}, id="cut"),
    ],
)
def test_edits_and_counts(text: str, after: str, counts: dict[str, int]) -> None:
    assert clean(text) == (after, counts)


def test_punctuation_is_straightened_where_asked_for() -> None:
    rules = Unicode(straight_punctuation=True)
    text, counts = clean("“it’s” — a\u00a0b… soft ‑ «c»", rules)
    assert text == '"it\'s" - a b... soft - «c»'
    assert counts == {"straightened": 7, "characters_changed": 7}


def test_each_edit_can_be_left_out() -> None:
    text = "sÃ³ cafe\u0301\0 <s>"
    none = Unicode(mojibake=False, form="none", control_characters=False, special_tokens=())
    assert clean(text, none) == (text, {})
    assert clean("ﬁ²", Unicode(form="NFKC"))[0] == "fi2"


def test_a_token_that_an_edit_puts_together_is_disarmed() -> None:
    assert clean("<|endof\0text|>")[0] == "<| endoftext |>"
    assert clean("＜ｓ＞", Unicode(form="NFKC"))[0] == "< s >"


def test_special_tokens_read_alike_and_are_none() -> None:
    assert disarmed("<|endoftext|>") == "<| endoftext |>"
    assert disarmed("[/INST]") == "[/ INST ]"
    assert disarmed("<|start_header_id|>") == "<| start_header_id |>"
    for token in SPECIAL_TOKENS:
        assert disarmed(token).replace(" ", "") == token
        assert not any(other in disarmed(token) for other in SPECIAL_TOKENS)


@pytest.mark.parametrize("token", ["EOS", "<eos", "eos>", "", "<>", "▁"])
def test_a_token_that_takes_no_blank_is_refused(token: str) -> None:
    with pytest.raises(RecipeError, match="give one like"):
        Unicode(special_tokens=(token,))


def test_bytes_that_are_no_utf8() -> None:
    batch = pa.record_batch({"text": pa.array([b"a\xff\xc3", b"\xc3\xa9"], pa.large_binary()).view(pa.large_string())})
    text, counts = Unicode().rewrite(batch)
    assert text.to_pylist() == ["a��", "é"]
    assert counts["invalid_bytes"].to_pylist() == [2, 0]


@given(st.text(st.characters(exclude_categories=("Cs", "Cn")), max_size=30))
def test_the_result_is_in_the_form_and_has_no_controls(text: str) -> None:
    after, _ = clean(text, Unicode(mojibake=False))
    assert not [char for char in after if unicodedata.category(char) == "Cc" and char not in "\t\n"]
    assert unicodedata.is_normalized("NFC", after)


def test_invisible_characters_stay_where_controls_do() -> None:
    assert clean("a\u200bb", Unicode(control_characters=False)) == ("a\u200bb", {})


parts = st.sampled_from(
    [
        "e",
        "\u0301",
        "\u0327",
        "\0",
        "\u00ad",
        "\u200d",
        "\u200c",
        "\u034f",
        "\ufe0f",
        "❤",
        "ی",
        "क",
        "\u094d",
        "가",
        "\r",
        "\n",
        "<s",
        ">",
        "＞",
        "“",
        "‐",
        "‑",
        "…",
        "′",
        "ﬁ",
        "各",
    ]
)


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("straight", [False, True])
@given(text=st.lists(parts, max_size=12).map("".join))
def test_a_second_run_changes_nothing_but_mojibake(form: Form, straight: bool, text: str) -> None:
    rules = Unicode(mojibake=False, form=form, straight_punctuation=straight)
    assert clean(clean(text, rules)[0], rules) == (clean(text, rules)[0], {})
