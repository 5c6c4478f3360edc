"""What a record begins with in a WARC or an ARC archive.

Sources: ISO 28500:2017 (WARC 1.1); Burner and Kahle 1996, "Arc File Format" (versions 1 and 2).
"""

import re

WARC = re.compile(rb"[Ww][Aa][Rr][Cc]/\d+(?:\.\d+){0,2}[ \t]*(?=[\r\n])")
WARC_SEEN = re.compile(WARC.pattern + rb"(?:\r*\n|\r)(?=[A-Za-z][\w-]*[ \t]*:)")
# url, IP, date, type, further fields of version 2, length. In a search for the next record, date and length must be
# numbers. Where a record must begin, `archive` asks for less, and for still less once the file is an ARC.
# Quantifiers are possessive (`+`, `(?>`), because backtracking over garbage would take a million times as long.
ARC_SEEN = re.compile(
    rb"^[A-Za-z][\w+.\-]*+:(?>[^\r\n]{0,4000}? \d{1,3}(?:\.\d{1,3}){3} \d{8,18} )[^\r\n]{1,420}+(?<=\d)\r?$",
    re.MULTILINE,
)
_ARC_FILE = re.compile(rb"^filedesc:[^\r\n]{0,8000}\r?$", re.MULTILINE)
ARC_BEGINS = re.compile(ARC_SEEN.pattern + rb"|" + _ARC_FILE.pattern, re.MULTILINE)
RECORD_START = re.compile(WARC_SEEN.pattern + b"|" + ARC_BEGINS.pattern, re.MULTILINE)
