"""The order in which a training becomes a release: what forbids it, the model, what was found about it, the card.

SHA256SUMS comes last: a folder without it was cut off.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from curation.account.card.card import card
from curation.account.card.facts import About, Card
from curation.account.evalsets.contamination_checks import indexes
from curation.account.sealed.run_folder import RunFolder
from curation.core.errors import InputError
from curation.core.json_files import find_shape
from curation.core.manifest import run_around
from curation.tokens.step_rows import read_skipped
from pipelines.evaluate import RunTokenizer, result_path
from pipelines.release.figures import averaged, figures, judged_here, layouts
from pipelines.release.loading import free_memory, loaded_if_it_fits
from pipelines.release.model_card import model_card
from pipelines.release.released_tokenizer import check_tokenizer, released_tokenizer
from pipelines.release.safety import SafetyQuestions, safety, term_filter
from pipelines.release.takedowns import origin, refuse_taken_down
from pipelines.trained_data import prepared_as_trained
from training.checkpoint.run_record import finished, read_run_file, write_json
from training.checkpoint.run_shapes import RESTORE, AnswersFile, RunFile
from training.config.parse import as_mapping
from training.evaluate.causal import CausalNetwork
from training.evaluate.trained import TrainedRun
from training.models.folder_writer import DTYPES
from training.models.hugging_face import layout_module
from training.release.folder import write_model

FORMAT = 2  # of release.json
SUMS = "SHA256SUMS"
RECIPE = "recipe.yaml"
TRAINING = "training.yaml"

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ReleaseAbout:
    """What a training cannot know; empty: left out."""

    name: str = ""  # default: the recipe's
    licence: str = ""  # SPDX identifier or URL
    creator: str = ""


def release(
    model: str,
    output: str,
    asked: SafetyQuestions,
    about: ReleaseAbout,
    *,
    dtype: str = "fp32",
    data: str | None = None,
    on_step: Callable[[str], None] = lambda line: None,
) -> Record:
    """Writes the newest checkpoint of a training to a new folder on this disk, tensor by tensor; returns what
    release.json holds. `dtype`: a key of `training.models.folder_writer.DTYPES`. Where the model does not fit into
    memory, it is asked nothing.

    Raises InputError, before any work, for what may not be released, and for lists that cannot be read.
    """
    run = TrainedRun.of(model)
    result = _result(run)
    export = Path(output)
    if "://" in output or (export.exists() and (not export.is_dir() or any(export.iterdir()))):
        raise InputError(f"{output} is not a new folder on a disk of this machine; give one that does not exist yet")
    config = layout_module(run.config.model).config_of(run.config.model, run.config.model.vocabulary)
    if dtype not in DTYPES:
        raise InputError(f"dtype is {dtype!r}; give one of {', '.join(DTYPES)}")
    listed = term_filter(asked)
    prepared = prepared_as_trained(run, data or run.data)
    home = run_around(prepared.data.folder)
    if home is None:
        raise InputError(f"{prepared.data.folder} lies in no run, so nothing is known of its documents")
    refuse_taken_down(run.folder, prepared.data)
    source = RunFolder.open(home)
    step = run.steps[-1]
    released = released_tokenizer(prepared)
    on_step(check_tokenizer(released, prepared.data, config))
    on_step(f"writing the model of step {step:,}")
    write_model(run.weights(step), run.config, prepared.data, released, output, dtype=dtype)
    shape = run.shape()
    writes_text = isinstance(shape, CausalNetwork)
    judged = judged_here(run, result)
    wanted = writes_text and asked.samples > 0
    loaded = loaded_if_it_fits(run, shape, free_memory(), needed=judged, wanted=wanted, on_step=on_step)
    found: Record = {}
    if isinstance(loaded, CausalNetwork) and asked.samples:
        on_step("asking it for personal data, listed terms and passages of its data")
        found = safety(loaded, RunTokenizer(prepared.data), run, prepared, asked, listed)
    result = figures(run, result, loaded, prepared)
    of_data = card(source, About())
    facts = {
        **_facts(run, result, about.name or source.record.name, about, released.file),
        "dtype": dtype,
        "writes_text": writes_text,
        "safety": found,
    }
    facts["evaluation_sets"] = _evaluation_sets(source, of_data, facts["evaluation"].get("tasks", {}))
    _write_about(export, facts, of_data)
    return facts


def _write_about(folder: Path, facts: Record, data: Card) -> None:
    """What stands beside the model: what makes it again, the figures, the card and, last, the checksums."""
    _write_yaml(folder / RECIPE, data.recipe)
    _write_yaml(folder / TRAINING, json.loads(json.dumps(facts["config"])))
    write_json(str(folder / "release.json"), facts)
    (folder / "README.md").write_text(model_card(facts, data, recipe=RECIPE, training=TRAINING))
    _write_sums(folder)


def _result(run: TrainedRun) -> Record:
    """Of the training, or of the one whose checkpoints a mean is of. Raises InputError if it has not finished."""
    trained = _training(run)
    if (result := finished(trained)) is None:
        raise InputError(f"{trained} has not finished: resume it with the same winnow train, and release it then")
    return result


def _training(run: TrainedRun) -> str:
    trained: str = averaged(run).get("run", run.folder)
    return trained


def _facts(run: TrainedRun, result: Record, name: str, about: ReleaseAbout, tokenizer: str) -> Record:
    """What the files of the training say."""
    step = run.steps[-1]
    path = result_path(run.folder, step)
    judged: Record = {**(find_shape(path, AnswersFile, RESTORE) or {})}
    record = read_run_file(run.folder)
    return {
        "format": FORMAT,
        **asdict(about),
        "name": name,
        "step": step,
        "begun": record["begun"],
        "averaged": averaged(run).get("steps", []),
        "layouts": layouts(_training(run)),
        "origin": origin(run.folder),
        "branch": _branch(record),
        "tokenizer": tokenizer,
        "data_fingerprint": run.fingerprint,
        "result": result,
        "config": as_mapping(run.config),
        "skipped": [window._asdict() for window in read_skipped(run.folder)],
        "evaluation": {name: value for name, value in judged.items() if name != "model"},
    }


def _branch(record: RunFile) -> Record | None:
    """Which training runs made how many steps before those of the branch, and what it changed; None for another run."""
    if (parent := record.get("parent")) is None:
        return None
    runs = {part["run"].rpartition("/")[2]: part["end"] for part in parent["segments"]}  # no path of this machine
    return {"steps": runs, "changes": parent["changes"], "learning_rates": parent["learning_rates"]}


def _evaluation_sets(source: RunFolder, data: Card, tasks: Iterable[str]) -> dict[str, int | None]:
    """Each set that the run looked for, or that the model was judged by -> documents of the run that held an item of
    it; None: the run did not look for it."""
    held = {name: number for stage in data.contaminated for name, number in stage.by_set.items()}
    looked = {name for index in indexes(source) for name in index.sets}
    return {name: held.get(name, 0) if name in looked else None for name in sorted({*looked, *tasks})}


def _write_yaml(path: Path, content: Any) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


def _write_sums(folder: Path) -> None:
    """As `sha256sum -c` reads them."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    lines = []
    for path in files:
        with path.open("rb") as content:
            lines.append(f"{hashlib.file_digest(content, 'sha256').hexdigest()}  {path.name}\n")
    (folder / SUMS).write_text("".join(lines))
