"""A classifier's card: what it is, what it learned from, and how good it is, as Markdown."""

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

SHOWN = 4  # digits


def card(report: Mapping[str, Any]) -> str:
    """Of a report as `learn` makes it, before NaN became null."""
    return "\n".join([*_model(report), *_data(report), *_evaluation(report), *_limits(report)]) + "\n"


def _model(report: Mapping[str, Any]) -> Iterator[str]:
    facts = report["classifier"]
    yield f"# Classifier: {' against '.join(facts['labels'])}"
    yield ""
    kind = {
        "fasttext": "a supervised fastText model",
        "logistic": "logistic regression over hashed n-grams of words",
    }
    yield f"It is {kind[facts['kind']]}. " + (
        f"Its score is the probability of the label `{facts['positive']}`."
        if facts["positive"]
        else "It gives each label a probability."
    )
    language = f" in the language `{facts['language']}`" if facts["language"] else ""
    yield f"It reads whole texts{language}, with the normalization `{facts['normalization']}`."
    yield ""
    yield f"SHA-256 of `model.bin`: `{facts['sha256']}`"
    yield ""
    hidden = ("labels", "sha256", "kind", "positive", "language", "normalization")
    own = {name: value for name, value in facts.items() if name not in hidden}
    if facts["kind"] == "logistic":
        own = {name: value for name, value in own.items() if name not in ("dimensions", "min_count")}
    yield from _table(("option", "value"), [(name, _number(value)) for name, value in own.items()])


def _data(report: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## What it learned from", "")
    columns = ("label", "from", "learned from", "held out", "bytes", "SHA-256 of its sorted text hashes")
    rows = [
        (
            label,
            f"`{one['from']}`",
            *(f"{one[name]:,}" for name in ("documents", "held_out", "bytes")),
            f"`{one['sha256']}`",
        )
        for label, one in report["data"].items()
    ]
    yield from _table(columns, rows)
    yield ""
    yield (
        "Equal texts count once, and texts with two labels are left out. Documents are held out by a hash of their "
        "text."
    )


def _evaluation(report: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        "",
        "## How good it is, on documents held out",
        "",
        "![precision, calibration, scores](calibration.png)",
    )
    yield ""
    yield f"The likeliest label is right for {100 * report['accuracy']:.2f} % of the documents."
    if "agreement" in report:
        yield from _teacher(report["agreement"])
    for label, one in report["evaluation"].items():
        yield from ("", f"### {label}", "")
        names = ("documents", "positives", "unscored", "auc", "average_precision", "brier", "calibration_error")
        yield from _table(("figure", "value"), [(name.replace("_", " "), _number(one[name])) for name in names])
        yield ""
        columns = ("threshold", "kept", "precision", "recall", "F1")
        rows = [one["best"], *one["thresholds"]]
        yield from _table(
            columns,
            [
                (
                    _number(row["threshold"]) + (" (best F1)" if row is one["best"] else ""),
                    *(_number(row[name]) for name in ("kept", "precision", "recall", "f1")),
                )
                for row in rows
            ],
        )
        yield ""
        full = [bin for bin in one["bins"] if bin["documents"]]
        yield from _table(
            ("documents", "mean score", "share of positives"),
            [tuple(_number(bin[name]) for name in ("documents", "mean_score", "positives")) for bin in full],
        )


def _teacher(figures: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "### Grades beside those of the teacher", "")
    names = ("documents", "unscored", "spearman", "mean_absolute_error")
    yield from _table(("figure", "value"), [(name.replace("_", " "), _number(figures[name])) for name in names])
    yield ""
    columns = ("cut", "precision", "recall", "f1")
    rows = [tuple(_number(cut[name]) for name in columns) for cut in figures["cuts"]]
    yield from _table(("good from", "precision", "recall", "F1"), rows)
    yield ""
    numbers = range(figures["lowest"], figures["lowest"] + len(figures["confusion"]))
    cells = [(f"teacher {k}", *map(_number, row)) for k, row in zip(numbers, figures["confusion"], strict=True)]
    yield from _table(("", *(f"student {number}" for number in numbers)), cells)


def _limits(report: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", "## Limits", "")
    yield (
        "The score says how much a text resembles the examples of one label rather than the others, topics and layout "
        "included; it is no measure of truth or of worth. The figures hold for documents like the examples: measure "
        "again on documents of your own before a limit is set (`winnow tune`, `winnow show`)."
    )


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def _number(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "-" if isnan(value) else f"{value:.{SHOWN}g}"
    return str(value)
