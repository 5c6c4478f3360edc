"""Tells links to pictures, recordings and categories, which are no part of a sentence.

Source: https://www.mediawiki.org/wiki/Help:Images (options), Help:Managing_files (a link to a file with a colon before
it, and `Media:`, show their text); https://commons.wikimedia.org/wiki/Commons:File_types.
"""

import re
from collections.abc import Collection

from curation.sources.documents.mediawiki.local_names import CATEGORIES, FRAMES

_MEDIA = frozenset("media médias média mídia медиа медіа médium mediji mèdia medium".split())
_FILE = re.compile(
    r"\.(?:jpe?g|jpe|png|gif|svg|tiff?|webp|xcf|pdf|djvu|og[agv]|opus|webm|mp[34]|mpe?g|wav|flac|midi?|stl)\Z", re.I
)


def is_left_out(target: str, label: str, files: Collection[str]) -> bool:
    """Whether a link shows a file or puts the page into a category; `files` are the wiki's names for the namespace of
    files, in lower case. Files of other names are known by their endings (`.jpg`) or options (`|thumb|`)."""
    prefix, colon, rest = target.partition(":")
    name = " ".join(prefix.replace("_", " ").split()).lower()
    if name and colon:
        if name in files or name in CATEGORIES:
            return True
        if name not in _MEDIA and ":" not in rest and _FILE.search(rest.strip()):
            return True
    options = label.split("|") if "|" in label else ()
    return any(option.partition("=")[0].strip().lower().replace(" ", "_") in FRAMES for option in options)
