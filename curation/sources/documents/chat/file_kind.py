"""Recognises logs of IRC by how many of their first lines `irc_log` understands."""

from collections import Counter

from curation.core.file_start import FileStart, Guess
from curation.sources.documents.chat.html_lines import is_html, without_tags
from curation.sources.documents.chat.irc_log import Form, conversations, form_of

LINES = 400  # that are looked at
LONGEST = 2_000  # characters of a line; IRC's own limit is 512 bytes
LIKELY = 0.8  # share of understood lines from which a file is likely a log
PERHAPS = 0.5
LEAST = 5  # lines of a log whose lines have no times
LEVELS = frozenset("debug info notice warn warning error fatal critical trace".split())  # in logs of programs


def recognised(start: FileStart) -> Guess | None:
    """A log, or a tar archive of some by the first file in it."""
    members = [member.start.decode("utf-8", "replace") for member in start.members[:1] if start.archive == "tar"]
    text = start.text if start.text is not None else "".join(members)
    lines = [line[:LONGEST] for line in text.splitlines()[:LINES] if line.strip()]
    form = form_of(lines)
    tagged = is_html(lines)
    if tagged:
        lines = [*map(without_tags, lines)]
        form = Form()
    if (
        (start.root and not tagged)
        or start.json
        or text.lstrip().startswith("<?xml")
        or (form.loose and len(lines) < LEAST)
    ):
        return None
    counts: Counter[str] = Counter()
    said = [nick for talk in conversations(lines, None, len(text), counts, form) for nick, _ in talk.said]
    unknown = counts["line"] + counts["notice"] + counts["event"]
    if not said or {nick.strip("[]:").lower() for nick in said} <= LEVELS:
        return None
    understood = 1 - unknown / len(lines)
    if understood < PERHAPS:
        return None
    seen = f"{len(lines) - unknown} of its first {len(lines)} lines are speech, or events such as joins"
    likely = understood >= LIKELY and not form.loose  # where lines may be those of a play, or of settings
    return Guess(kind="IRC log", sure="likely" if likely else "perhaps", seen=seen)
