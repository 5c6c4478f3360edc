"""A line of a dump of Reddit, or of a site that writes the same fields, as a row: of a submission or of a comment.

Ids are numbers to the base of 36, as the site counts its posts. Of text the site's three entities become characters.
"""

import json
import re
from typing import Any, TypeAlias

import pyarrow as pa

from curation.core.names import whole_text
from curation.sources.dates import FIRST_SECOND, LAST_SECOND

SUBMISSIONS = pa.schema(
    [
        ("number", pa.int64()),  # among those of the file, from 0
        ("begins", pa.int64()),  # offset of the line
        ("id", pa.int64()),
        ("author", pa.string()),
        ("score", pa.int64()),
        ("created", pa.int64()),  # seconds since 1970
        ("title", pa.string()),
        ("body", pa.large_string()),
        ("subreddit", pa.string()),
        ("permalink", pa.string()),
        ("nsfw", pa.bool_()),
    ]
)
COMMENTS = pa.schema(
    [
        ("link", pa.int64()),  # the submission
        ("parent", pa.int64()),  # the comment that it replies to; null: the submission
        *(SUBMISSIONS.field(name) for name in ("id", "author", "score", "created", "body")),
    ]
)
MOST = 1 << 40  # of a score
_ID = re.compile(r"(?:t[13]_)?([0-9a-z]{1,12})")

Row: TypeAlias = tuple[pa.Schema, dict[str, Any]]


def post_row(line: str, offset: int) -> Row | str:
    """The row with its schema, or the cause why there is none: `bad_json`, `no_post` (it is neither a submission nor a
    comment), or `no_id`."""
    try:
        post = json.loads(line)
    except (ValueError, RecursionError):
        return "bad_json"
    if not isinstance(post, dict) or not ("title" in post or "link_id" in post):
        return "no_post"
    row = {
        "id": _id(post.get("id")),
        "author": _text(post.get("author")),
        "score": _number(post.get("score"), -MOST, MOST),
        "created": _number(post.get("created_utc"), FIRST_SECOND, LAST_SECOND),
    }
    if "link_id" in post:
        parent = post.get("parent_id")
        row["link"] = _id(post["link_id"])
        row["parent"] = _id(parent) if isinstance(parent, str) and parent.startswith("t1_") else None
        row["body"] = _text(post.get("body"))
        return "no_id" if row["id"] is None or row["link"] is None else (COMMENTS, row)
    row["begins"] = offset
    row["title"] = _text(post["title"])
    row["body"] = _text(post.get("selftext"))
    row["subreddit"] = _text(post.get("subreddit")) or None
    row["permalink"] = _text(post.get("permalink")) or None
    row["nsfw"] = post.get("over_18") if isinstance(post.get("over_18"), bool) else None
    return "no_id" if row["id"] is None else (SUBMISSIONS, row)


def _id(value: Any) -> int | None:
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    return int(match[1], 36) if match else None


def _number(value: Any, least: int, most: int) -> int | None:
    """A number, or the digits of one, as older dumps have them."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if least <= number <= most else None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    if "&" in value:
        value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return whole_text(value)
