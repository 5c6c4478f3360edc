"""Compares runs by a model that learns from each: an n-gram model, or the decoder of `winnow train`."""

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from curation.account.compare.compare import Comparison, OnProgress, Options, compare
from curation.account.compare.judge import NgramJudge
from curation.account.run import Run
from curation.core.installation import importing

if TYPE_CHECKING:
    from training.config.run import TrainConfig


def compare_runs(
    runs: Sequence[str | os.PathLike[str] | Run],
    heldout: Sequence[str | os.PathLike[str]],
    decoder: "TrainConfig | None" = None,
    *,
    on_progress: OnProgress = lambda now: None,
    **options: Any,
) -> Comparison:
    """Of the files `heldout`, bits per byte with intervals after equal training tokens of each of `runs`, which are
    runs, or folders or files as PATH or NAME=PATH. `decoder` is its config, None for n-gram models; `options` are the
    fields of `Options`. Raises UserError before any training where nothing can be compared."""
    paths = [run.folder if isinstance(run, Run) else os.fspath(run) for run in runs]
    files = [os.fspath(file) for file in heldout]
    chosen = Options(**options)
    if decoder is None:
        return compare(paths, files, NgramJudge, model="ngram", options=chosen, on_progress=on_progress)
    with importing("train", "a decoder needs torch"):
        from pipelines.decoder_judge import DecoderJudge
    judge = partial(DecoderJudge, config=decoder)
    return compare(paths, files, judge, model="decoder", options=chosen, on_progress=on_progress)
