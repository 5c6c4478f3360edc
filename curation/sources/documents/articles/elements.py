"""Elements of an article: their names without namespaces, their places, and their words."""

from typing import Any, TypeAlias

Element: TypeAlias = Any  # of lxml


def name_of(element: Element) -> str:
    """The name without its namespace; "" of what is no element."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def first(element: Element, path: str) -> Element | None:
    """The first element at a path of names, in any namespace."""
    return element.find("/".join(f"{{*}}{name}" for name in path.split("/")))


def words_of(element: Element | None) -> str:
    """All text within, with single spaces."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
