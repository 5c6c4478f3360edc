"""The `data-selection` package with our hash in the place of its SHA-256, so that its features are ours."""

from pathlib import Path

import data_selection.hashed_ngram_dsir as package
import numpy as np
import numpy.typing as npt
import pytest

from tests.curation.models.dsir.reference import bucket


def package_scores(
    monkeypatch: pytest.MonkeyPatch, folder: Path, target: str, raw: str, texts: list[str]
) -> npt.NDArray[np.float64]:
    """float64[N]: the package's log importance weights of the texts, fitted on two JSON lines files."""
    monkeypatch.setattr(package, "hash_buckets", lambda text, num_buckets: bucket(text, num_buckets))
    peer = package.HashedNgramDSIR([raw], [target], str(folder / "cache"), num_proc=1)
    peer.fit_importance_estimator(num_tokens_to_fit="all")
    return np.array([peer.importance_estimator(peer.featurizer(text)) for text in texts])
