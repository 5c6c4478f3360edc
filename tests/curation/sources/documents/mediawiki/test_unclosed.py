"""Pages of more marks than any article has."""

import pytest

from curation.sources.documents.mediawiki import unclosed
from curation.sources.documents.mediawiki.unclosed import has_too_many_marks


@pytest.mark.parametrize(
    "mark", ["\n----", "&nbsp;", "[http://a.org b]", "http://a.org ", "\n== a ==", "{{a}}", "<br>"]
)
def test_marks_of_each_kind_are_counted(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unclosed, "MAX_MARKS", 9)
    assert not has_too_many_marks("Text. " + mark * 9)
    assert has_too_many_marks("Text. " + mark * 10)
