"""The causes for which the end of a captured page is missing, as the column `truncated` has them."""

from typing import Literal, TypeAlias, get_args

Stated: TypeAlias = Literal["length", "time", "disconnect", "unspecified"]  # by the archive
Cause: TypeAlias = Literal[
    "length", "time", "disconnect", "unspecified", "content_encoding", "chunked", "content_length"
]
STATED: tuple[Stated, ...] = get_args(Stated)
CAUSES: tuple[Cause, ...] = get_args(Cause)
COUNTED = "truncated."  # begins the names under which a source counts the causes
