"""The names of the numbers that the first stage judges blocks by, in their order, and where each group begins."""

import numpy as np

from curation.extract.blocks.tags import NAMES, NUMBER

LEVELS = 6  # elements around a block, its own first
OF_LEVEL = ("characters", "links", "share", "blocks", "paragraphs", "prose", "alike", "commas")
BESIDE = (-2, -1, 1, 2)
OF_NEIGHBOUR = ("characters", "links", "kind", "same element", "ends a sentence")
WITHIN = (4, 12)
NONE = np.float32(-1)

# Kinds of elements: of a block's own and of those next around.
_KINDS = (
    "p|div|li|td th|h1|h2|h3|h4 h5 h6|span font|a|dd dt|blockquote q|figcaption caption legend|pre code"
    "|section article main|label|strong b em i|address|time small|footer header nav aside"
)
KIND = np.zeros(len(NAMES), np.float32)
for _number, _members in enumerate(_KINDS.split("|"), 1):
    KIND[[NUMBER[name] for name in _members.split()]] = _number

# Elements that say something to all within them.
AROUND = (
    ("nav", "nav menu"),
    ("footer", "footer"),
    ("header", "header"),
    ("aside", "aside"),
    ("article", "article"),
    ("main", "main"),
    ("form", "form fieldset"),
    ("table", "table"),
    ("list", "ul ol dir"),
    ("quotation", "blockquote"),
    ("figure", "figure figcaption caption"),
    ("preformatted", "pre listing"),
    ("heading", "h1 h2 h3 h4 h5 h6"),
    ("definitions", "dl"),
    ("link", "a"),
    ("section", "section"),
    ("paragraph", "p"),
)
FLAGS = np.zeros(len(NAMES), np.int64)
for _number, (_, _members) in enumerate(AROUND):
    FLAGS[[NUMBER[name] for name in _members.split()]] |= 1 << _number
FLAG_COUNT = len(AROUND)

FEATURES = (
    *("characters", "words", "links", "characters a word", "commas a word", "stops a word", "digits", "capitals"),
    *("wide", "last character", "separators", "line breaks", "link elements", "elements", "kind", "kind above"),
    *("kind two above", "depth", "hidden"),
    *("path blocks", "path characters", "path links", "path characters a block", "path share"),
    *("place", "place by characters", "number"),
    *(f"{of} {level} up" for level in range(LEVELS) for of in OF_LEVEL),
    *(f"in {name}" for name, _ in AROUND),
    *("levels to candidate", "levels to prose", "depth below candidate", "candidate share", "candidate prose"),
    *("prose element share", "from candidate's first", "to candidate's last"),
    *("blocks", "characters of page", "links of page", "paragraphs", "prose of page", "from heading", "headings"),
    "prose before",
    *(f"{of} {at:+d}" for at in BESIDE for of in OF_NEIGHBOUR),
    *(f"prose within {size}" for size in WITHIN),
)
COUNT = len(FEATURES)
PATHS = FEATURES.index("path blocks")
LEVELS_AT = FEATURES.index("characters 0 up")
FLAGS_AT = FEATURES.index("in nav")
CANDIDATES = FEATURES.index("levels to candidate")
PAGE = FEATURES.index("blocks")
BESIDE_AT = FEATURES.index("characters -2")
WITHIN_AT = FEATURES.index("prose within 4")
