"""The order of a thread's comments: each below the one that it replies to."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

Comment: TypeAlias = dict[str, Any]


def tree_order(comments: Iterable[Comment], key: Callable[[Comment], Any]) -> Iterator[tuple[int, Comment]]:
    """Each comment with its depth, from 0 on, replies right after theirs and siblings by `key`. One whose `parent` is
    not among them has depth 0; of those that reply to each other in a circle, and below, none comes."""
    by_id = {comment["id"]: comment for comment in comments}
    replies: dict[int | None, list[Comment]] = defaultdict(list)
    for comment in by_id.values():
        parent = comment["parent"]
        replies[parent if parent in by_id else None].append(comment)
    waiting = [(0, comment) for comment in sorted(replies[None], key=key, reverse=True)]
    while waiting:
        depth, comment = waiting.pop()
        yield depth, comment
        below = sorted(replies.get(comment["id"], ()), key=key, reverse=True)
        waiting += [(depth + 1, reply) for reply in below]
