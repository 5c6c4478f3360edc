"""Words of other scripts before addresses."""

import pytest

from curation.models.pii.addresses import without_words
from curation.models.pii.overlaps import PiiSpan


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("邮箱jubao@people.cn", "jubao@people.cn"),
        ("Рейтинг@Mail.ru", None),
        ("josé@example.org", "josé@example.org"),
        ("почта@пример.рф", "почта@пример.рф"),
        ("a@b.org", "a@b.org"),
        ("?mail=a@b.org", "a@b.org"),
        ("почта=почта@пример.рф", "почта@пример.рф"),
    ],
)
def test_what_is_left(text: str, left: str | None) -> None:
    content = text.encode()
    kept = without_words([PiiSpan("email", 0, len(content), 1.0)], content)
    assert [content[span.start : span.end].decode() for span in kept] == [left][: left is not None]
