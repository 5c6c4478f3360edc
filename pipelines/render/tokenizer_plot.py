"""Draws inspected tokenizers: one by its tokens' ranks and its fertility, several by vocabulary size.

The same figures give the same file: no time, no random ids, and fonts that come with matplotlib.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from curation.account.tokenizers.figures import Group, Inspection
from curation.account.tokenizers.token_groups import CODE, CODE_OF_ALL
from curation.core.by_language import LANGUAGE
from curation.core.errors import UserError
from pipelines.render.tokenizer import short_names

SUFFIXES = (".png", ".svg")
BARS = 24  # languages and programming languages that are drawn
ROWS = 12  # of them beside each other for several tokenizers
PANEL = (6, 5.5)  # inches
COLOURS = 10  # of matplotlib; the next so many lines have the next marker
MARKERS = "osD^v"
APART = 0.07  # of an axis, between two of its labels
_SIZE = re.compile(r"[-_.]?(?:\d+[kK]|\d{3,})(?![A-Za-z0-9])")


def check(path: str) -> None:
    """Raises UserError for a file of another kind."""
    if PurePosixPath(path).suffix not in SUFFIXES:
        raise UserError(f"--plot {path}: expected a name that ends in {' or '.join(SUFFIXES)}")


def draw(path: str, found: Sequence[Inspection]) -> None:
    """Writes the picture, a PNG or an SVG by the name of the file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "winnow", "svg.fonttype": "path", "font.size": 10}):
        panels = 2 if len(found) == 1 else 3
        figure: Any = Figure(figsize=(PANEL[0] * panels, PANEL[1]), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, panels)
        if len(found) == 1:
            _ranks(axes[0], found[0])
            _fertility(axes[1], found[0])
        else:
            families = _families(found)
            _compression(axes[0], families)
            _spread(axes[1], families)
            _tables(axes[2], found)
        metadata = {"Date": None} if path.endswith(".svg") else {"Software": None}
        figure.savefig(path, dpi=120, metadata=metadata)


def _ranks(axes: Any, one: Inspection) -> None:
    ranks, counts = zip(*one.ranks, strict=True) if one.ranks else ((), ())
    axes.loglog(ranks, counts, color="tab:blue")
    unused = f"{one.unused.tokens:,} of {one.vocabulary:,} tokens unused"
    axes.set(title=f"tokens by frequency ({unused})", xlabel="rank of the token", ylabel="occurrences in the sample")
    axes.grid(alpha=0.3, which="both")


def _fertility(axes: Any, one: Inspection) -> None:
    groups = sorted(_named(one), key=lambda group: (group.tokens_per_word, group.name))
    colours = ["tab:orange" if group.kind == CODE else "tab:blue" for group in groups]
    axes.barh([_label(group) for group in groups], [group.tokens_per_word for group in groups], color=colours)
    axes.axvline(one.total.tokens_per_word, color="black", linestyle="--", linewidth=1)
    axes.set(title="fertility (dashed: all text)", xlabel="tokens per word")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3, axis="x")


def _named(one: Inspection) -> list[Group]:
    """Languages and code by the amount of their text."""
    groups = [group for group in one.groups if group.kind in (LANGUAGE, CODE) and group.words]
    return sorted(groups, key=lambda group: -group.bytes)[:BARS]


def _label(group: Group) -> str:
    return f"{group.name} (code)" if group.kind == CODE and group.name != CODE_OF_ALL else group.name


def _families(found: Sequence[Inspection]) -> dict[str, list[Inspection]]:
    """Tokenizers whose names differ in a size only, by that name, each family by vocabulary size.

    A size has three digits or more, or a k: llama2 and llama3 are not of one family.
    """
    names = [PurePosixPath(name).with_suffix("").as_posix() for name in short_names([one.tokenizer for one in found])]
    families: dict[str, list[Inspection]] = {}
    for name, one in sorted(zip(names, found, strict=True), key=lambda pair: pair[1].vocabulary):
        families.setdefault(_SIZE.sub("", name) or name, []).append(one)
    return families


def _compression(axes: Any, families: dict[str, list[Inspection]]) -> None:
    for number, (name, family) in enumerate(families.items()):
        sizes = [one.vocabulary for one in family]
        marker = MARKERS[number // COLOURS % len(MARKERS)]
        axes.plot(sizes, [one.total.bytes_per_token for one in family], marker=marker, markersize=4, label=name)
    _by_size(axes, [one.vocabulary for family in families.values() for one in family])
    axes.set(title="compression of all text", ylabel="bytes per token")
    axes.legend(fontsize=8)


def _spread(axes: Any, families: dict[str, list[Inspection]]) -> None:
    """Fertility of the largest groups, a dot per tokenizer: the larger, the larger its vocabulary."""
    first = next(iter(families.values()))[0]
    groups = [first.total, *_named(first)[:ROWS]][::-1]
    largest = max(one.vocabulary for family in families.values() for one in family)
    for place in range(0, len(groups), 2):  # so that it shows which dots are of one group
        axes.axhspan(place - 0.5, place + 0.5, color="black", alpha=0.04, linewidth=0)
    step = min(0.12, 0.8 / len(families))
    for number, (name, family) in enumerate(families.items()):
        points = [
            (place, one, one.group(group.kind, group.name)) for place, group in enumerate(groups) for one in family
        ]
        axes.scatter(
            [group.tokens_per_word for _, _, group in points],
            [place + step * (number - (len(families) - 1) / 2) for place, _, _ in points],
            s=[10 + 50 * one.vocabulary / largest for _, one, _ in points],
            marker=MARKERS[number // COLOURS % len(MARKERS)],
            alpha=0.7,
            linewidths=0,
            label=name,
        )
    axes.set_yticks(range(len(groups)), [_label(group) for group in groups])
    axes.set(title="fertility (larger dot: larger vocabulary)", xlabel="tokens per word")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3)


def _tables(axes: Any, found: Sequence[Inspection]) -> None:
    ordered = sorted(found, key=lambda one: one.vocabulary)
    sizes = [one.vocabulary for one in ordered]
    for number, row in enumerate(ordered[0].embeddings):
        millions = [one.embeddings[number].parameters / 1e6 for one in ordered]
        axes.plot(sizes, millions, marker="o", markersize=4, label=f"width {row.width:,}")
    _by_size(axes, sizes)
    axes.set(title="embedding table (untied: twice that)", ylabel="millions of parameters")
    if ordered[0].embeddings:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.legend(fontsize=8)


def _by_size(axes: Any, sizes: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    labelled = _apart(sorted(set(sizes)))
    axes.set_xticks(labelled, [f"{size:,}" for size in labelled], rotation=30)
    axes.minorticks_off()
    axes.set_xlabel("vocabulary size")
    axes.grid(alpha=0.3)


def _apart(sizes: Sequence[int]) -> list[int]:
    """Those, in ascending order, that have room for a label beside the one before."""
    room = (sizes[-1] / sizes[0]) ** APART
    found = [sizes[0]]
    for size in sizes[1:]:
        if size >= found[-1] * room:
            found.append(size)
    return found
