"""The functions of `winnow` that take a trained model."""

import os
from collections.abc import Callable, Sequence
from typing import Any

from curation.core.installation import importing

NEEDED = "a trained model needs torch"

PathLike = str | os.PathLike[str]


def evaluate(
    model: PathLike,
    *,
    checkpoints: bool = False,
    data: PathLike | None = None,
    workers: int | None = None,
    parallel: Sequence[str] = (),
    on_step: Callable[[int], None] = lambda step: None,
    **questions: Any,
) -> list[dict[str, Any]]:
    """Evaluates the newest checkpoint of a training run, or all `checkpoints`. Returns the answers of each, with the
    `file` beside the model that holds them. `questions` are those of `pipelines.evaluate.Questions`; `data`: the folder
    of the run that the model was trained on, if it was moved. With `workers`, so many processes share the model as the
    training's did, or as settings of `parallel` (NAME=VALUE) say.

    Raises UserError before any work for what is no trained model, or no set of questions.
    """
    with importing("train", NEEDED):
        from pipelines.evaluate import Questions
        from pipelines.evaluate import evaluate as judge
        from pipelines.evaluate_layout import layout_of_options
    place = None if data is None else os.fspath(data)
    layout = layout_of_options(workers, parallel)
    asked = Questions(**questions)
    return judge(os.fspath(model), asked, data=place, every=checkpoints, layout=layout, on_step=on_step)


def release(
    model: PathLike,
    output: PathLike,
    *,
    name: str = "",
    licence: str = "",
    creator: str = "",
    dtype: str = "fp32",
    data: PathLike | None = None,
    on_step: Callable[[str], None] = lambda line: None,
    **asked: Any,
) -> dict[str, Any]:
    """Writes a trained model for others to a new folder, with its card, and returns what release.json holds. `dtype`:
    number format of the weights: fp32, bf16 or fp16. `asked` are options of `pipelines.release.safety.SafetyQuestions`;
    `data`: its token data, if they lie elsewhere now.

    Raises UserError before any work for what may not be released.
    """
    with importing("train", NEEDED):
        from pipelines.release.release import ReleaseAbout
        from pipelines.release.release import release as write
        from pipelines.release.safety import SafetyQuestions
    about = ReleaseAbout(name=name, licence=licence, creator=creator)
    place = None if data is None else os.fspath(data)
    return write(
        os.fspath(model), os.fspath(output), SafetyQuestions(**asked), about, dtype=dtype, data=place, on_step=on_step
    )
