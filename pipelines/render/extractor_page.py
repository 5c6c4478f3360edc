"""A page as a learnt extractor sees it: its blocks, kept or left, and what spoke for and against each."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import
    from curation.extract.student.reasons import Verdict

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
div { border-left: .3em solid #ccc; padding: .1em 1em; margin: .4em 0; overflow-wrap: anywhere }
.kept { border-color: #2a7d2a }
.left p { color: #777 }
p { margin: 0; white-space: pre-wrap }
small { color: #555; font-variant-numeric: tabular-nums }
"""


def page(name: str, verdicts: "Sequence[Verdict]") -> str:
    kept = sum(one.kept for one in verdicts)
    blocks = "\n".join(map(_block, verdicts))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(name)}</title><style>{STYLE}</style></head><body>\n<h1>{escape(name)}</h1>\n"
        f"<p>{kept} of {len(verdicts)} blocks are kept, with a green line beside them. Below each: how likely it is "
        "main text, and what moved that most (of the logarithm of the odds).</p>\n"
        f"{blocks}\n</body></html>\n"
    )


def _block(one: "Verdict") -> str:
    reasons = ", ".join(f"{escape(name)} {shift:+.2f}" for name, shift in one.reasons)
    side = "kept" if one.kept else "left"
    return f"<div class={side}><p>{escape(one.text)}</p><small>{100 * one.probability:.0f} %: {reasons}</small></div>"
