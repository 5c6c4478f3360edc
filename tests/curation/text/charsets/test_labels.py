"""Labels of encodings as the web means them."""

import pytest

from curation.text.charsets.labels import codec_of


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("UTF8", "utf-8"),
        (" 'ISO-8859-1' ", "cp1252"),
        ("us-ascii", "cp1252"),
        ("ks_c_5601-1987", "cp949"),
        ("euc-kr", "cp949"),
        ("x-gbk", "gb18030"),
        ("Windows1251", "cp1251"),
        ("win-1250", "cp1250"),
        ("iso-8859-9", "cp1254"),
        ("tis-620", "cp874"),
        ("dos-874", "cp874"),
        ("iso-8859-8-i", "iso8859-8"),
        ("x-mac-cyrillic", "mac-cyrillic"),
        ("utf8mb4", "utf-8"),
        ("rot13", None),
        ("unicode_escape", None),
        ("punycode", None),
        ("utf-7", None),
        ("none", None),
    ],
)
def test_label(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec
