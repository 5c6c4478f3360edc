"""Markers of the items of an article's lists: the label that is written, or a number in the list's style.

Source: NISO Z39.96-2021, "JATS: Journal Article Tag Suite" (1.3), `<list>` with `list-type`, `prefix-word` and
`continued-from`, `<list-item>` with `<label>`. A bullet says nothing, so it is left out.
"""

from typing import Any, TypeAlias

from curation.text.html.numbering import ordinal

Element: TypeAlias = Any  # of lxml

MARKER = "winnow-marker"  # the attribute that `mark_items` sets
_STYLES = {
    "order": "1",
    "ordered": "1",
    "number": "1",
    "alpha-lower": "a",
    "alpha-upper": "A",
    "roman-lower": "i",
    "roman-upper": "I",
}


def mark_items(article: Element) -> None:
    """Set the attribute MARKER of each item that has a marker: "3.", "(iv)", "Step 2."."""
    last_numbers: dict[str, int] = {}  # of the lists with ids that came before
    for listed in article.iter("{*}list"):
        style = _STYLES.get(listed.get("list-type", ""))
        number = last_numbers.get(listed.get("continued-from", ""), 0)
        for item in listed.iterfind("{*}list-item"):
            number += 1
            counted = f"{listed.get('prefix-word', '')} {ordinal(number, style)}.".lstrip() if style else ""
            if marker := _label(item) or counted:
                item.set(MARKER, marker)
        if name := listed.get("id"):
            last_numbers[name] = number


def _label(item: Element) -> str:
    """The label that the author wrote; "" for none, or one without a letter or a digit."""
    label = item.find("{*}label")
    written = "" if label is None else " ".join("".join(label.itertext()).split())
    return written if any(map(str.isalnum, written)) else ""
