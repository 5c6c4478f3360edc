"""The Python codec that the web means by the label of an encoding.

Source: WHATWG Encoding Standard: labels stand for their Windows or vendor superset.
"""

import codecs
import re
from functools import lru_cache

SUPERSET = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_TEXT_CODEC = re.compile(
    r"utf-(8|16|32)(-[lb]e)?|(cp|iso8859|iso2022|koi8|mac|euc|big5|gb|hz|shift_jis|johab|tis|kz).*"
)


@lru_cache(maxsize=1024)
def codec_of(label: str) -> str | None:
    """The Python codec that the web means by a label; None if the label names no text encoding."""
    name = re.sub(r"^(x-)+", "", label.strip().strip("\"'").lower())
    name = re.sub(r"^(windows|win|cp|dos|ibm)[-_]?(?=\d)", "cp", name)
    name = re.sub(r"^(iso-8859-8)-[ie]$", r"\1", name).removesuffix("mb4")
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    codec = SUPERSET.get(codec, codec)
    return codec if _TEXT_CODEC.fullmatch(codec) else None
