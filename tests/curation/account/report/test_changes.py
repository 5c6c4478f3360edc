"""What a rewriter changed, word by word."""

from curation.account.report.changes import BEFORE, Segment, changes, placeholders


def test_words_that_went_and_came() -> None:
    found = changes("one two three four", "one 2 three four five", 100)
    assert found == (
        Segment("same", "one "),
        Segment("removed", "two"),
        Segment("added", "2"),
        Segment("same", " three four"),
        Segment("added", " five"),
    )


def test_a_change_far_into_a_text_is_shown_from_shortly_before_it() -> None:
    same = "word " * 1000
    found = changes(f"{same}old", f"{same}new", 1000)
    assert [one.kind for one in found] == ["same", "removed", "added"]
    assert len(found[0].text) == BEFORE
    assert sum(len(one.text) for one in found) < 1000


def test_both_texts_are_there_whole() -> None:
    before, after = "a b  c\n\nd", "a  c\nd e"
    found = changes(before, after, 100)
    assert "".join(one.text for one in found if one.kind != "added") == before
    assert "".join(one.text for one in found if one.kind != "removed") == after


def test_placeholders_are_marked() -> None:
    text = "x" * 500 + " write to <EMAIL_ADDRESS> or <b>"
    found = placeholders(text, 1000)
    assert [one.text for one in found if one.kind == "added"] == ["<EMAIL_ADDRESS>"]
    assert "".join(one.text for one in found) == text[501 + len("write to ") - BEFORE :]


def test_a_redacted_text_is_shown_from_shortly_before_its_first_placeholder() -> None:
    near = "write to <EMAIL_ADDRESS>, not to <PHONE_NUMBER>"
    assert placeholders(near, 26) == (
        Segment("same", "write to "),
        Segment("added", "<EMAIL_ADDRESS>"),
        Segment("same", ", "),
    )
    none = "a b " * 100
    assert placeholders(none, 10) == (Segment("same", "a b a b a "),)
    far = "x" * (BEFORE + 1) + "<EMAIL_ADDRESS>"
    assert placeholders(far, 1000) == (Segment("same", "x" * BEFORE), Segment("added", "<EMAIL_ADDRESS>"))
