"""Lines of logs that a bot wrote as HTML, each with its colours: `<span>[12:34]</span> <span>* ann waves</span><br />`.

Such a log is known by its first lines, most of which begin with a tag and close one.
"""

import html
import re
from collections.abc import Sequence

_NAMES = "a|b|br|code|div|em|font|i|li|p|pre|small|span|strong|td|time|tr|tt|u"
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_CLOSES = re.compile(rf"</(?:{_NAMES})>|<br ?/?>", re.IGNORECASE)


def is_html(head: Sequence[str]) -> bool:
    """Whether a log that begins with these lines is HTML."""
    lines = [line for line in head if line.strip()]
    tagged = sum(_TAG.match(line.lstrip()) is not None and _CLOSES.search(line) is not None for line in lines)
    return tagged * 2 > len(lines)


def without_tags(line: str) -> str:
    """The line as a browser shows it."""
    return html.unescape(_TAG.sub("", line))
