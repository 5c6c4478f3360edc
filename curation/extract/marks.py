"""The characters by which our own steps mark positions in a page's text.

A step that changes a page before a library parses it marks positions with a character of its own, and takes it out of
the library's text afterwards. No two steps share one. They have four bytes, because Resiliparse drops some texts of
three, and are printable, because Trafilatura drops what is not: letters of the Anatolian hieroglyphs, U+14400 and the
next. What a page has of them itself is replaced before (`stand_ins.py`).
"""

MARKS = "".join(map(chr, range(0x14400, 0x14405)))
GUARD, CODE_OPENS, CODE_CLOSES, NUMBER_OPENS, NUMBER_CLOSES = tuple(MARKS)
