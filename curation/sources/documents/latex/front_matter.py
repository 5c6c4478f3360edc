"""Authors, affiliations and addresses that a paper sets by hand between its title and its abstract or first section.

Nothing in such TeX says what they are. They are there if one of the short lines before the abstract has an address or
names an institution; then the title, the first line that is no report number or date, is what stays of these lines.
"""

import re
from collections.abc import Sequence

MAX_LINES = 60  # before the abstract; more of them are text
MAX_LINE = 400  # characters; a longer one is text
_ADDRESS = re.compile(
    r"[\w}] ?@ ?[\w{]"
    r"|\b(?:Universit|Institut|Dep(?:artmen)?t\b|Départ|Dipartiment|Facult|Laborato|School of|College|Academy|Polytech"
    r"|Observator|Centre (?:for|of|de)|Center (?:for|of)|P\. ?O\. ?Box|e-?mail\b)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?:\d\d? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z.]{0,7},?(?: \d\d?,?)? (?:19|20)\d\d"
)


def without_authors(lines: Sequence[str]) -> list[bool]:
    """Tells for each line before a paper's abstract or first section whether it stays."""
    stays = [True] * len(lines)
    short = 0
    while short < min(len(lines), MAX_LINES) and len(lines[short]) <= MAX_LINE:
        short += 1
    addresses = [place for place in range(short) if _ADDRESS.search(lines[place])]
    if addresses and len(lines) <= MAX_LINES:
        title = next((place for place in range(short) if not _is_number(lines[place])), 0)
        for place in range(addresses[-1] + 1):
            stays[place] = place == title and place not in addresses
    return stays


def _is_number(line: str) -> bool:
    """Whether a line is the number of a report, or a date."""
    return _DATE.fullmatch(line) is not None or all(any(map(str.isdigit, word)) for word in line.split())
