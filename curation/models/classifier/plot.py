"""Draws how good a classifier is: precision over recall, calibration, and the scores of each class.

The same figures give the same file: without times, and with matplotlib's own fonts.
"""

import io
from typing import Any

import numpy as np

from curation.models.classifier.evaluation import BINS, Bools, Evaluation, Floats, precision_recall

PANEL = (5.5, 4.6)  # inches
COLOURS = ("tab:orange", "tab:blue")


def png(title: str, scores: Floats, positive: Bools, evaluation: Evaluation) -> bytes:
    """Three panels as a PNG file, of scores float64[N] and bool[N]."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 10}):
        figure: Any = Figure(figsize=(PANEL[0] * 3, PANEL[1]), layout="constrained")
        FigureCanvasAgg(figure)
        first, second, third = figure.subplots(1, 3)
        _precision_recall(first, scores, positive, evaluation)
        _calibration(second, evaluation)
        _scores(third, scores, positive)
        figure.suptitle(title)
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=110, metadata={"Software": None})
        return content.getvalue()


def _precision_recall(axes: Any, scores: Floats, positive: Bools, evaluation: Evaluation) -> None:
    _, precision, recall = precision_recall(np.nan_to_num(scores), positive)
    axes.plot(recall, precision, drawstyle="steps-pre", color=COLOURS[1])
    axes.axhline(evaluation.positives / evaluation.documents, color="black", linestyle="--", linewidth=1)
    axes.plot(evaluation.best.recall, evaluation.best.precision, "o", color="black", markersize=4)
    axes.annotate(
        f"F1 {evaluation.best.f1:.3f} from {evaluation.best.threshold:.2f} on",
        (evaluation.best.recall, evaluation.best.precision),
        xytext=(-6, -14),
        textcoords="offset points",
        ha="right",
    )
    title = f"average precision {evaluation.average_precision:.4f}, AUC {evaluation.auc:.4f}"
    axes.set(title=title, xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.01))
    axes.grid(alpha=0.3)


def _calibration(axes: Any, evaluation: Evaluation) -> None:
    full = [one for one in evaluation.bins if one.documents]
    axes.plot([0, 1], [0, 1], color="black", linestyle="--", linewidth=1)
    axes.plot([one.mean_score for one in full], [one.positives for one in full], marker="o", color=COLOURS[1])
    for one in full:
        axes.annotate(
            f"{one.documents:,}", (one.mean_score, one.positives), xytext=(4, -11), textcoords="offset points", size=7
        )
    title = f"calibration error {evaluation.calibration_error:.4f}"
    axes.set(title=title, xlabel="mean score", ylabel="share of positives", xlim=(0, 1), ylim=(0, 1.02))
    axes.grid(alpha=0.3)


def _scores(axes: Any, scores: Floats, positive: Bools) -> None:
    edges = np.linspace(0, 1, 4 * BINS + 1)
    for name, mask, colour in (("negative", ~positive, COLOURS[0]), ("positive", positive, COLOURS[1])):
        axes.hist(np.nan_to_num(scores[mask]), edges, alpha=0.6, label=name, color=colour)
    axes.set(title="held-out documents by score", xlabel="score", ylabel="documents", yscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
