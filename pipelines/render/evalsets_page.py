"""The page of `winnow evalsets report --html`: one file without scripts or anything from elsewhere."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from pipelines.render.evalsets import LEGEND, SETS, documents_line, fate, heading

if TYPE_CHECKING:  # slow to import
    from curation.account.evalsets.report import Check, OverlappingDocument, Report, SetReport

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .2em .6em; border-bottom: 1px solid #ccc; text-align: right }
th:first-child, td:first-child { text-align: left }
th { vertical-align: bottom }
th.of { text-align: center; border-left: 1px solid #ccc }
.url { overflow-wrap: anywhere }
.excerpt { white-space: pre-wrap; overflow-wrap: anywhere; border-left: .2em solid #ccc; padding-left: 1em }
mark { background: #ffe08a }
.note { color: #555 }
"""
GROUPS = (("", 3), ("read", 4), ("kept", 3), ("packed", 2))


def page(found: "Report") -> str:
    title = f"Evaluation sets in {found.run}"
    unfinished = "" if found.complete else _note("The run is not finished: kept means kept so far.")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n{unfinished}"
        f"{''.join(map(_check, found.checks))}</body></html>\n"
    )


def _check(check: "Check") -> str:
    worst = (
        f"<h3>Documents with the largest overlap</h3>\n{''.join(map(_document, check.worst))}" if check.worst else ""
    )
    return (
        f"<h2>{escape(heading(check))}</h2>\n<p>{escape(documents_line(check))}</p>\n{_sets(check.sets)}"
        f"{''.join(map(_note, LEGEND))}{worst}"
    )


def _sets(sets: "Sequence[SetReport]") -> str:
    groups = "".join(f'<th colspan="{width}"{" class=of" if name else ""}>{name}</th>' for name, width in GROUPS)
    heads = "".join(f"<th>{column.title.rpartition(chr(10))[2]}</th>" for column in SETS)
    rows = "".join(_row(one) for one in sets)
    return f"<table><thead><tr>{groups}</tr><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table>\n"


def _row(one: "SetReport") -> str:
    cells = "".join(f"<td>{column.cell(one)}</td>" for column in SETS[1:])
    return f"<tr><td>{escape(one.set)}</td>{cells}</tr>\n"


def _document(document: "OverlappingDocument") -> str:
    whole = ", whole" if document.whole else ""
    facts = f"{document.item}: overlap {document.overlap:.3f}{whole}; {fate(document)}"
    text = "".join(
        f"<mark>{escape(piece.text)}</mark>" if piece.marked else escape(piece.text) for piece in document.excerpt
    )
    address = escape(document.url or "(no url)")
    return (
        f'<p><b class="url">{address}</b> <small>{escape(document.doc_id)}</small><br>{escape(facts)}</p>\n'
        f'<div class="excerpt">{text}</div>\n'
    )


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>\n'
