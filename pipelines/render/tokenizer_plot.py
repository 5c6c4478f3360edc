"""Draws inspected tokenizers: one by token ranks and fertility, several by vocabulary size."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from curation.account.tokenizers.token_groups import CODE, CODE_OF_ALL
from curation.account.tokenizers.tokenizer_inspection import Inspection, TextGroup
from curation.core.by_language import LANGUAGE
from pipelines.render.plots import drawn, marker
from pipelines.render.tokenizer import short_names

BARS = 24  # languages and programming languages drawn for one tokenizer
ROWS = 12  # and for several
PANEL = (6, 5.5)  # inches
APART = 0.07  # of the axis, at least, between two labels
_SIZE = re.compile(r"[-_.]?(?:\d+[kK]|\d{3,})(?![A-Za-z0-9])")


def draw(path: str, inspections: Sequence[Inspection]) -> None:
    """Writes a PNG or SVG, by the suffix of the path."""
    panels = 2 if len(inspections) == 1 else 3
    with drawn(path, (PANEL[0] * panels, PANEL[1]), 10) as figure:
        axes = figure.subplots(1, panels)
        if len(inspections) == 1:
            _ranks(axes[0], inspections[0])
            _fertility(axes[1], inspections[0])
        else:
            families = _families(inspections)
            _compression(axes[0], families)
            _spread(axes[1], families)
            _tables(axes[2], inspections)


def _ranks(axes: Any, inspection: Inspection) -> None:
    ranks, counts = zip(*inspection.ranks, strict=True) if inspection.ranks else ((), ())
    axes.loglog(ranks, counts, color="tab:blue")
    unused = f"{inspection.unused.tokens:,} of {inspection.vocabulary:,} tokens unused"
    axes.set(title=f"tokens by frequency ({unused})", xlabel="rank of the token", ylabel="occurrences in the sample")
    axes.grid(alpha=0.3, which="both")


def _fertility(axes: Any, inspection: Inspection) -> None:
    groups = sorted(_named(inspection), key=lambda group: (group.tokens_per_word, group.name))
    colours = ["tab:orange" if group.kind == CODE else "tab:blue" for group in groups]
    axes.barh([_label(group) for group in groups], [group.tokens_per_word for group in groups], color=colours)
    axes.axvline(inspection.total.tokens_per_word, color="black", linestyle="--", linewidth=1)
    axes.set(title="fertility (dashed: all text)", xlabel="tokens per word")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3, axis="x")


def _named(inspection: Inspection) -> list[TextGroup]:
    """The largest languages and programming languages."""
    groups = [group for group in inspection.groups if group.kind in (LANGUAGE, CODE) and group.words]
    return sorted(groups, key=lambda group: -group.bytes)[:BARS]


def _label(group: TextGroup) -> str:
    return f"{group.name} (code)" if group.kind == CODE and group.name != CODE_OF_ALL else group.name


def _families(inspections: Sequence[Inspection]) -> dict[str, list[Inspection]]:
    """Tokenizers grouped by their names without sizes; each family is sorted by vocabulary size.

    A size has at least three digits, or a k: llama2 and llama3 are different families.
    """
    names = [
        PurePosixPath(name).with_suffix("").as_posix()
        for name in short_names([inspection.tokenizer for inspection in inspections])
    ]
    families: dict[str, list[Inspection]] = {}
    for name, inspection in sorted(zip(names, inspections, strict=True), key=lambda pair: pair[1].vocabulary):
        families.setdefault(_SIZE.sub("", name) or name, []).append(inspection)
    return families


def _compression(axes: Any, families: dict[str, list[Inspection]]) -> None:
    for number, (name, family) in enumerate(families.items()):
        sizes = [inspection.vocabulary for inspection in family]
        axes.plot(
            sizes,
            [inspection.total.bytes_per_token for inspection in family],
            marker=marker(number),
            markersize=4,
            label=name,
        )
    _by_size(axes, [inspection.vocabulary for family in families.values() for inspection in family])
    axes.set(title="compression of all text", ylabel="bytes per token")
    axes.legend(fontsize=8)


def _spread(axes: Any, families: dict[str, list[Inspection]]) -> None:
    """Draws the fertility of the largest groups, a dot per tokenizer, larger for a larger vocabulary."""
    first = next(iter(families.values()))[0]
    groups = [first.total, *_named(first)[:ROWS]][::-1]
    largest = max(inspection.vocabulary for family in families.values() for inspection in family)
    for place in range(0, len(groups), 2):  # stripes show which dots belong to one group
        axes.axhspan(place - 0.5, place + 0.5, color="black", alpha=0.04, linewidth=0)
    step = min(0.12, 0.8 / len(families))
    for number, (name, family) in enumerate(families.items()):
        points = [
            (place, inspection, inspection.group(group.kind, group.name))
            for place, group in enumerate(groups)
            for inspection in family
        ]
        axes.scatter(
            [group.tokens_per_word for _, _, group in points],
            [place + step * (number - (len(families) - 1) / 2) for place, _, _ in points],
            s=[10 + 50 * inspection.vocabulary / largest for _, inspection, _ in points],
            marker=marker(number),
            alpha=0.7,
            linewidths=0,
            label=name,
        )
    axes.set_yticks(range(len(groups)), [_label(group) for group in groups])
    axes.set(title="fertility (larger dot: larger vocabulary)", xlabel="tokens per word")
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(alpha=0.3)


def _tables(axes: Any, inspections: Sequence[Inspection]) -> None:
    ordered = sorted(inspections, key=lambda inspection: inspection.vocabulary)
    sizes = [inspection.vocabulary for inspection in ordered]
    for number, row in enumerate(ordered[0].embeddings):
        millions = [inspection.embeddings[number].parameters / 1e6 for inspection in ordered]
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
    """The sizes, ascending, whose labels do not touch the one before."""
    room = (sizes[-1] / sizes[0]) ** APART
    labelled = [sizes[0]]
    for size in sizes[1:]:
        if size >= labelled[-1] * room:
            labelled.append(size)
    return labelled
