"""Markers of the items of a wiki's lists: "- " and numbers, two spaces further in for each list around them.

A line's marks say in which lists it stands: `##` is an item of a list within an item, `#:` a further paragraph of one.
Lists end where a line has other marks, and numbers begin anew, unless an item states its `value`.

Source: https://www.mediawiki.org/wiki/Help:Lists.
"""

from curation.text.html.numbering import integer

LIST_MARKS = frozenset("*#:;")
_INDENT = "  "


class ListItems:
    """The lists that are open, with how many items each has."""

    def __init__(self) -> None:
        self._open = ""  # the marks of the last line, of definitions all as ":"
        self._numbers: list[int] = []

    def close(self) -> None:
        """A line without marks ends all lists."""
        self._open = ""
        self._numbers.clear()

    def begin(self, marks: str, value: str | None = None) -> str:
        """The marker of the next item by the marks of its line; `value` is the attribute of its `<li>`."""
        lists = marks.replace(";", ":")
        same = 0
        while same < min(len(lists), len(self._open)) and lists[same] == self._open[same]:
            same += 1
        del self._numbers[same:]
        if same == len(lists):
            self._numbers[-1] += 1
        self._numbers += [1] * (len(lists) - same)
        stated = integer(value)
        if stated is not None:
            self._numbers[-1] = stated
        self._open = lists
        within = _INDENT * sum(mark != ":" for mark in lists[:-1])
        marker = {"*": "- ", "#": f"{self._numbers[-1]}. "}
        return within + marker.get(lists[-1], "")
