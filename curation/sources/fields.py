"""Header fields as WARC and HTTP share them: `Name: value` lines, continuation lines, names in any case."""

import re

# A blank line; also where only line feeds are used.
END = re.compile(rb"\r?\n\r?\n")
_LINE = re.compile(r"\r?\n")


def parse_fields(lines: bytes) -> dict[str, str]:
    """Lower-case name -> value of its first occurrence that has one, stripped.

    A line that begins with a space or tab goes on with the value before it; a line without a colon is passed over.
    Bytes that are not UTF-8 are read as Latin-1.
    """
    try:
        text = lines.decode()
    except UnicodeDecodeError:
        text = lines.decode("latin-1")
    fields: dict[str, str] = {}
    name = ""
    for line in _LINE.split(text):
        if line[:1] in (" ", "\t"):
            if name:
                fields[name] = f"{fields[name]} {line.strip()}".strip()
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if not colon or fields.get(name):
            name = ""
            continue
        fields[name] = value.strip()
    return fields
