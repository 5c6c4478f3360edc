"""The endings of file names, several of which may follow each other: channel.log.txt.gz, film.en.forced.srt."""

import re

MAX_END = 16  # characters of one ending


def without_ends(name: str, end: re.Pattern[str]) -> str:
    """The name without each ending at its end. `end` matches a single one of up to MAX_END characters, and its own end
    is that of the text."""
    stop = len(name)
    while match := end.search(name, max(0, stop - MAX_END), stop):
        stop = match.start()
    return name[:stop]
