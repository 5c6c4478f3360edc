"""Tasks of EleutherAI's lm-evaluation-harness over a trained decoder, in this process.

Files of tasks are the harness's own: YAML beside JSON lines. What such a file says is run, Python too, where it names
some. A context begins as the documents of the training do; an empty one is what stands before a document's first token.
A row longer than the model was trained on loses its beginning, as in the harness's backend for transformers. The
harness is the extra `evaluate`.

Source: Gao et al. 2024, "The Language Model Evaluation Harness" (doi:10.5281/zenodo.12608602), version 0.4.13.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import TemplateLM
from lm_eval.tasks import TaskManager
from lm_eval.utils import get_rolling_token_windows, make_disjoint_window

from curation.core.errors import InputError
from training.evaluate.causal import CausalNetwork
from training.evaluate.generate import generate
from training.evaluate.scores import TextTokenizer, before_text, first_token, scores

TOKENS = 256  # of a generation, where a task does not say how many
RESAMPLES = 1000  # bootstrapped, for the error of what is no mean


class HarnessModel(TemplateLM):  # type: ignore[misc]  # the harness has no types
    """A decoder as the harness asks for it; `length`: tokens of the rows that it was trained on."""

    def __init__(self, model: CausalNetwork, tokenizer: TextTokenizer, length: int) -> None:
        super().__init__()
        self._model = model
        self._texts = tokenizer
        self._length = length

    @property
    def eot_token_id(self) -> int:
        return self._texts.end_of_text

    @property
    def prefix_token_id(self) -> int:
        """What stands before an empty context."""
        return first_token(self._texts)

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **options: Any) -> list[int]:
        """As there: a text begins as the documents of the training do, unless it is said to have no special tokens."""
        before = [] if add_special_tokens is False else before_text(self._texts)
        return [*before, *self._texts.ids(string)]

    def _loglikelihood_tokens(self, requests: Sequence[Any], **options: Any) -> list[tuple[float, bool]]:
        found = scores(self._model, [(context, continuation) for _, context, continuation in requests], self._length)
        return [(one.log_likelihood, one.greedy) for one in found]

    def loglikelihood_rolling(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[float]:
        """Nats of each whole text, in windows of the model's length."""
        windows = []
        for number, request in enumerate(requests):
            ids = self._texts.ids(*request.args)
            for pair in get_rolling_token_windows(ids, self.prefix_token_id, self._length, 1):
                windows.append((number, make_disjoint_window(pair)))
        totals = [0.0] * len(requests)
        for (number, _), one in zip(windows, scores(self._model, [w for _, w in windows], self._length), strict=True):
            totals[number] += one.log_likelihood
        return totals

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """What each request is continued with, up to what it names; drawn where it says so, from seed 0."""
        alike: dict[str, list[int]] = {}
        for number, request in enumerate(requests):
            alike.setdefault(json.dumps(request.args[1], sort_keys=True), []).append(number)
        found = [""] * len(requests)
        for options, numbers in alike.items():
            texts = self._continued([requests[number].args[0] for number in numbers], json.loads(options))
            for number, text in zip(numbers, texts, strict=True):
                found[number] = text
        return found

    def _continued(self, contexts: Sequence[str], options: Mapping[str, Any]) -> list[str]:
        until = options.get("until") or []
        stops = [until] if isinstance(until, str) else until
        # A row has room for both.
        tokens = min(options.get("max_gen_toks", TOKENS), self._length // 2)
        prompts = [(self.tok_encode(one) or [self.prefix_token_id])[tokens - self._length :] for one in contexts]

        def ends(made: Sequence[int]) -> bool:
            return made[-1] == self.eot_token_id or any(stop in self._texts.text(made) for stop in stops)

        drawn = options.get("temperature", 1.0) if options.get("do_sample") else 0.0
        made = generate(self._model, prompts, tokens, temperature=drawn, ends=ends)
        texts = (self._texts.text([token for token in one if token != self.eot_token_id]) for one in made)
        return [min((text.split(stop)[0] for stop in stops if stop), key=len, default=text) for text in texts]


def run_tasks(
    model: CausalNetwork, tokenizer: TextTokenizer, length: int, tasks: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """By task: its version, the number of its documents and of examples before each, and its metrics with their
    standard errors. `tasks`: files, folders of files, or names that the harness has.

    Raises InputError for one that is neither, cannot be read, or has a document without an answer."""
    paths = [file for task in tasks for file in _files(task)]
    manager = TaskManager(include_defaults=any(not Path(path).is_file() for path in paths))
    try:
        loaded = manager.load(paths)["tasks"]
    except Exception as error:  # of any kind: the harness, YAML, the library of data sets
        raise InputError(f"{', '.join(tasks)}: no task can be read ({type(error).__name__}: {error})") from error
    for name, task in loaded.items():
        _check_answers(name, task)
    # Resampling in this process gives the same figures; the harness's own pool, forked from one with threads, can hang.
    os.environ["DISABLE_MULTIPROC"] = "1"
    found = simple_evaluate(
        HarnessModel(model, tokenizer, length),
        tasks=[*loaded.values()],
        task_manager=manager,
        bootstrap_iters=RESAMPLES,
        log_samples=False,
    )
    return {name: _facts(name, found) for name in loaded}


def _files(task: str) -> list[str]:
    if not Path(task).is_dir():
        return [task]
    files = sorted(str(path) for path in Path(task).rglob("*.yaml") if not path.name.startswith("_"))
    if not files:
        raise InputError(f"{task} has no task: no .yaml file; give a file, or a folder of the harness's task files")
    return files


def _check_answers(name: str, task: Any) -> None:
    if task.OUTPUT_TYPE == "loglikelihood_rolling":
        return
    for number, document in enumerate(task.eval_docs):
        try:
            answer = task.doc_to_target(document)
        except Exception as error:  # of the template
            raise InputError(f"task {name}: item {number} has no answer ({error}); add it, or leave it out") from error
        if answer is None or answer in ("", []):
            raise InputError(f"task {name}: item {number} has no answer; add what doc_to_target names, or leave it out")


def _facts(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """A metric's key there is "NAME,FILTER"; that of its error "NAME_stderr,FILTER"."""
    values = {key: value for key, value in found["results"][name].items() if "," in key}
    metrics = {
        key.removesuffix(",none"): {"value": value, "stderr": _number(values.get(_error_key(key)))}
        for key, value in values.items()
        if "_stderr," not in key
    }
    n = found["n-samples"][name]["effective"]
    return {"version": found["versions"].get(name), "n": n, "shots": found["n-shot"][name], "metrics": metrics}


def _error_key(key: str) -> str:
    metric, _, chain = key.partition(",")
    return f"{metric}_stderr,{chain}"


def _number(value: Any) -> float | None:
    """None for "N/A"."""
    return float(value) if isinstance(value, int | float) else None
