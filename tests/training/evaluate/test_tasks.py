"""Five task files over a random model: the figures of the harness's own backend for transformers."""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("lm_eval", reason="the harness is not installed: the extra `evaluate`")

import datasets
from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from curation.core.errors import InputError
from tests.training.models.made import SMALL, model_of
from training.evaluate.causal import causal_network
from training.evaluate.tasks import HarnessModel, run_tasks
from training.models.decoder import Decoder
from training.models.folder_writer import WholeWeights, export

LENGTH = 48
WORDS = "the a sea ship sails sinks red blue one two three is on over under green".split()
RNG = np.random.default_rng(7)
DECODER = Decoder(**SMALL, kv_heads=2, initial_deviation=0.5)


class LibraryTokenizer:
    """Of the `tokenizers` library."""

    end_of_text = 0

    def __init__(self, own: Tokenizer, begin_of_text: int | None = None) -> None:
        self.own = own
        self.begin_of_text = begin_of_text

    def ids(self, text: str) -> list[int]:
        found: list[int] = self.own.encode(text).ids
        return found

    def text(self, ids: Any) -> str:
        text: str = self.own.decode(list(ids), skip_special_tokens=False)
        return text


def sentence(words: int) -> str:
    return " ".join(RNG.choice(WORDS, words))


def choices() -> list[dict[str, Any]]:
    return [
        {"q": sentence(5), "options": [sentence(length) for length in (1, 4, 2)], "answer": int(RNG.integers(3))}
        for _ in range(20)
    ]


MULTIPLE = {
    "output_type": "multiple_choice",
    "doc_to_text": "{{q}}",
    "doc_to_choice": "{{options}}",
    "doc_to_target": "{{answer}}",
    "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}],
}
TASKS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "choice": (MULTIPLE, choices()),
    "choice_shots": (MULTIPLE | {"num_fewshot": 2}, choices()),
    "last_word": (
        {
            "output_type": "loglikelihood",
            "doc_to_text": "{{q}}",
            "doc_to_target": " {{a}}",
            "metric_list": [{"metric": "perplexity"}, {"metric": "acc"}],
        },
        [{"q": sentence(6), "a": sentence(1)} for _ in range(20)],
    ),
    "text": (
        {
            "output_type": "loglikelihood_rolling",
            "doc_to_text": "",
            "doc_to_target": "{{q}}",
            "metric_list": [{"metric": "word_perplexity"}, {"metric": "bits_per_byte"}],
        },
        [{"q": sentence(length)} for length in (3, 40, 60)],
    ),
    "continued": (
        {
            "output_type": "generate_until",
            "doc_to_text": "{{q}}",
            "doc_to_target": "{{a}}",
            "generation_kwargs": {"until": [" red"], "max_gen_toks": 8},
            "metric_list": [{"metric": "exact_match"}],
        },
        [{"q": sentence(6), "a": sentence(1)} for _ in range(8)],
    ),
}


@pytest.fixture(scope="module")
def tokenizer() -> LibraryTokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<|endoftext|>", *letters, *(f"Ġ{word}" for word in WORDS)]
    own = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, [], ignore_merges=True))
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.decoder = decoders.ByteLevel()
    own.add_special_tokens(["<|endoftext|>"])
    return LibraryTokenizer(own)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    datasets.config.HF_DATASETS_CACHE = tmp_path_factory.mktemp("cache")
    folder = tmp_path_factory.mktemp("tasks")
    for name, (task, rows) in TASKS.items():
        write(folder, name, task, rows)
    return folder


def write(folder: Path, name: str, task: dict[str, Any], rows: list[dict[str, Any]]) -> Path:
    data = folder / f"{name}.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = {"test": str(data)} | ({"train": str(data)} if "num_fewshot" in task else {})
    content = {"task": name, "dataset_path": "json", "dataset_kwargs": {"data_files": files}, "test_split": "test"}
    content |= {"fewshot_split": "train", "training_split": "train"} if "num_fewshot" in task else {}
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(content | {"metadata": {"version": 3}} | task))  # JSON is YAML
    return path


@pytest.fixture(scope="module")
def models_of_both(tokenizer: LibraryTokenizer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, HFLM]:
    model = causal_network(model_of(DECODER, vocabulary=384))
    folder = tmp_path_factory.mktemp("exported")
    export(WholeWeights.of(model), DECODER, str(folder))
    theirs = LlamaForCausalLM.from_pretrained(folder)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer.own, eos_token="<|endoftext|>")
    return model, HFLM(theirs, tokenizer=fast, max_length=LENGTH, batch_size=4, device="cpu")


def test_the_figures_of_the_backend_for_transformers(
    folder: Path, tokenizer: LibraryTokenizer, models_of_both: tuple[Any, HFLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(multiprocessing, "Pool")  # one forked from a process with threads can hang
    model, theirs = models_of_both
    found = run_tasks(model, tokenizer, LENGTH, [str(folder)])
    expected: Any = simple_evaluate(
        theirs,
        tasks=[str(folder / f"{name}.yaml") for name in TASKS],
        task_manager=TaskManager(include_defaults=False),
        bootstrap_iters=1000,
    )
    assert found.keys() == TASKS.keys()
    for name, (task, rows) in TASKS.items():
        own = found[name]
        assert (own["version"], own["n"], own["shots"]) == (3, len(rows), task.get("num_fewshot", 0))
        assert own["metrics"].keys() == {one["metric"] for one in task["metric_list"]}
        for metric, figures in own["metrics"].items():
            there = expected["results"][name]
            assert figures["value"] == pytest.approx(there[f"{metric},none"], rel=1e-5), (name, metric)
            if figures["stderr"] is not None:
                assert figures["stderr"] == pytest.approx(there[f"{metric}_stderr,none"], rel=1e-4)
    assert found["choice"]["metrics"]["acc"]["value"] != found["choice"]["metrics"]["acc_norm"]["value"]


def test_texts_begin_as_the_documents_of_the_training(
    tokenizer: LibraryTokenizer, models_of_both: tuple[Any, HFLM]
) -> None:
    model, _ = models_of_both
    without = HarnessModel(model, tokenizer, LENGTH)
    begun = HarnessModel(model, LibraryTokenizer(tokenizer.own, begin_of_text=300), LENGTH)
    ids = tokenizer.ids("the sea")
    assert (without.tok_encode("the sea"), without.prefix_token_id) == (ids, 0)
    assert (begun.tok_encode("the sea"), begun.prefix_token_id) == ([300, *ids], 300)
    assert begun.tok_encode("the sea", add_special_tokens=False) == ids
    asked = Instance("loglikelihood", {}, ("the", " sea"), 0)
    context, continuation = begun._encode_pair(*asked.args)
    assert (context, continuation) == ([300, *tokenizer.ids("the")], tokenizer.ids(" sea"))


def test_log_likelihoods_and_continuations(tokenizer: LibraryTokenizer, models_of_both: tuple[Any, HFLM]) -> None:
    model, theirs = models_of_both
    ours = HarnessModel(model, tokenizer, LENGTH)
    pairs = [(sentence(int(a)), f" {sentence(int(b))}") for a, b in RNG.integers(1, 40, (30, 2))] + [("", "the sea")]
    asked = [Instance("loglikelihood", {}, pair, number) for number, pair in enumerate(pairs)]
    both = zip(
        ours.loglikelihood(asked, disable_tqdm=True), theirs.loglikelihood(asked, disable_tqdm=True), strict=True
    )
    for own, there in both:
        assert own[0] == pytest.approx(there[0], abs=1e-4)
        assert own[1] == there[1]
    texts = [Instance("loglikelihood_rolling", {}, (sentence(length),), 0) for length in (1, 47, 48, 49, 130)]
    assert ours.loglikelihood_rolling(texts) == pytest.approx(theirs.loglikelihood_rolling(texts), abs=1e-4)
    options: dict[str, Any] = {"until": [" blue"], "max_gen_toks": 12}
    prompts = [Instance("generate_until", {}, (sentence(length), options), 0) for length in (1, 5, 60)]
    assert ours.generate_until(prompts) == theirs.generate_until(prompts)


def test_what_is_no_task(
    folder: Path, tokenizer: LibraryTokenizer, models_of_both: tuple[Any, HFLM], tmp_path: Path
) -> None:
    model, _ = models_of_both
    no_answer = write(tmp_path, "empty", TASKS["last_word"][0] | {"doc_to_target": "{{a}}"}, [{"q": "a", "a": ""}])
    no_field = write(tmp_path, "absent", TASKS["choice"][0], [{"q": "a", "options": ["a", "b"]}])
    no_data = tmp_path / "gone.yaml"
    no_data.write_text((folder / "text.yaml").read_text().replace("text.jsonl", "gone.jsonl"))
    (tmp_path / "none").mkdir()
    for given, message in (
        (no_answer, "task empty: item 0 has no answer; add what doc_to_target names"),
        (no_field, r"no task can be read .*'answer' is undefined"),
        (no_data, "no task can be read"),
        (tmp_path / "none", "has no task: no .yaml file"),
        ("no_such_task_at_all", "no task can be read"),
    ):
        with pytest.raises(InputError, match=message):
            run_tasks(model, tokenizer, LENGTH, [str(given)])
