"""Combinations of what a training config names, and what becomes of each on two workers.

    python -m tests.training.parallel.combinations        those of the test, in a minute
    python -m tests.training.parallel.combinations every  those of the soak test

prints a line for each, and how many had which outcome. A new option of a model, an objective or an optimizer needs one
line in its table here.
"""

import json
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from tests.training.runs import counting_documents, write_run
from training.config.parse import parse
from training.data.check import check_kinds
from training.ending import leave
from training.start import train

Fragment = Mapping[str, Any]
SMALL = {"layers": 4, "width": 32, "heads": 4, "hidden": 32}
SPLIT = {"decoder": {**SMALL, "tied_embeddings": False}}
SPANS = {"mean_span_length": 2.0}
OBJECTIVES: Mapping[str, Fragment] = {
    "causal": {"causal": {}},
    "fim": {"fim": {}},
    "prefix_lm": {"prefix_lm": {}},
    "masked": {"masked": {}},
    "masked words": {"masked": {"unit": "words"}},
    "span_corruption": {"span_corruption": SPANS},
    "bart": {"bart": {"permuted_sentences": True}},
    "permutation": {"permutation": {}},
    "replaced_token": {"replaced_token": {}},
    "ul2": {"ul2": {}},
    "mixture": {"mixture": {"objectives": {"causal": {}, "fim": {}}}},
    "smoothed": {"causal": {"label_smoothing": 0.1, "z_loss": 1e-4}},
}
MODELS: Mapping[str, Fragment] = {
    "decoder": SPLIT,
    "decoder, tied": {"decoder": SMALL},
    "decoder, kv_heads": {"decoder": {**SPLIT["decoder"], "kv_heads": 2}},
    "decoder, qk_norm": {"decoder": {**SPLIT["decoder"], "qk_norm": True}},
    "decoder, dropout": {"decoder": {**SPLIT["decoder"], "dropout": 0.1}},
    "decoder, base_width": {"decoder": {**SPLIT["decoder"], "base_width": 16}},
    "decoder, gpt2": {
        "decoder": {**SMALL, "norm": "layer", "feed_forward": "gelu", "biases": "all", "learned_positions": 64}
    },
    "decoder, qkv biases": {"decoder": {**SPLIT["decoder"], "biases": "qkv", "kv_heads": 2}},
    "decoder, norm after": {"decoder": {**SPLIT["decoder"], "norm_position": "after", "qk_norm": "width"}},
    "decoder, sliding_window": {"decoder": {**SPLIT["decoder"], "sliding_window": 8}},
    "decoder, rope_scaling": {
        "decoder": {**SPLIT["decoder"], "rope_scaling": {"type": "yarn", "factor": 4.0, "original_length": 16}}
    },
    "encoder": {"encoder": SMALL},
    "encoder_decoder": {"encoder_decoder": SMALL},
    "two_stream": {"two_stream": SMALL},
    "electra": {"electra": {**SMALL, "embedding_width": 32, "generator_divisor": 2}},
}
SCHEDULES = ("gpipe", "dualpipev", "1f1b", "interleaved_zero_bubble", "zbv", "interleaved_1f1b")
AXES: Mapping[str, Fragment] = {
    "shard": {},
    "zero 2": {"zero": 2},
    "zero 1": {"zero": 1},
    "replicate": {"replicate": 2},
    "tensor": {"tensor": 2},
    "context": {"context": 2},
    "offload": {"offload": True},
    "tensor, offload": {"tensor": 2, "offload": True},
    **{name: {"pipeline": 2, "schedule": name} for name in SCHEDULES},
    "1f1b, offload": {"pipeline": 2, "offload": True},
}
OPTIMIZERS = ("adamw", "adafactor", "lamb", "lion", "muon", "sam", "sophia")
OPTIONS: Mapping[str, Fragment] = {
    "plain": {},
    "documents_apart": {"documents_apart": True},
    "micro-batches": {"micro_batch_rows": 2},
    "selective_backprop": {"selective_backprop": {"beta": 1.0}},
    "length_stages": {"length_stages": [{"steps": 1, "parts": 2}]},
    "batch_stages": {"batch_stages": [{"steps": 1, "rows": 16}]},
}
COMPILED: Mapping[str, Fragment] = {"compile": {"compile": True}}
PRECISIONS = ("fp32", "bf16", "fp16", "fp8")
RECOMPUTES = ("none", "selective", "full")
# One objective and model for each kind of example that a model reads.
FAMILIES = (
    ("causal", "decoder"),
    ("prefix_lm", "decoder"),
    ("masked", "encoder"),
    ("span_corruption", "encoder_decoder"),
    ("permutation", "two_stream"),
    ("replaced_token", "electra"),
)
WORKERS = 2
SECONDS = 120  # that a process waits for the other


class Combination(NamedTuple):
    """Names in the tables above."""

    objective: str = "causal"
    model: str = "decoder"
    axis: str = "shard"
    option: str = "plain"
    optimizer: str = "adamw"
    precision: str = "fp32"
    recompute: str = "none"

    def __str__(self) -> str:
        return ", ".join(self)

    @property
    def settings(self) -> dict[str, Any]:
        """A config of two steps; pipelines get as many micro-batches as every schedule takes."""
        rounds = {"micro_batch_rows": 2} if "pipeline" in AXES[self.axis] else {}
        return {
            "objective": OBJECTIVES[self.objective],
            "model": MODELS[self.model],
            "optimizer": {self.optimizer: {}},
            "schedule": {"constant": {"warmup_steps": 0}},
            "steps": 2,
            "batch_rows": 8,
            "parallel": AXES[self.axis],
            "precision": self.precision,
            "recompute": self.recompute,
            "validation_rows": 4,
            "log_every": 1,
            **rounds,
            **OPTIONS.get(self.option, COMPILED["compile"]),
        }


class Outcome(NamedTuple):
    """What became of a combination."""

    result: Literal["trained", "refused", "failed"]
    reason: str = ""  # the message, unless it trained


def fitting() -> list[tuple[str, str]]:
    """The objectives and models of the tables that fit each other."""
    return [pair for pair in product(OBJECTIVES, MODELS) if _fits(Combination(*pair))]


def covering() -> list[Combination]:
    """Each name of each table at least once, and documents that are kept apart in each layout."""
    pairs = fitting()
    of_objectives = {objective: (objective, model) for objective, model in reversed(pairs)}
    of_models = {model: (objective, model) for objective, model in reversed(pairs)}
    rows = []
    for number, pair in enumerate(dict.fromkeys([*of_objectives.values(), *of_models.values()])):
        option = [*OPTIONS][number % len(OPTIONS)]
        axes = [*AXES] if pair[1].startswith("decoder") else [*AXES][:4]
        if option == "selective_backprop":
            axes = [*AXES][:4]  # of which each process has rows of its own
        names = (axes, [option], OPTIMIZERS, PRECISIONS[:2], RECOMPUTES)
        rows.append(Combination(*pair, *(choices[number % len(choices)] for choices in names)))
    rows += [Combination(axis=axis, option="documents_apart") for axis in AXES]
    rows += [Combination(precision=precision) for precision in PRECISIONS[2:]]
    rows += [Combination(axis="zbv", recompute="selective"), Combination(model="decoder, tied", axis="1f1b")]
    return [*dict.fromkeys(rows)]


def every() -> list[Combination]:
    """All fitting objectives and models in all layouts, and one of each kind with all else."""
    rows = [Combination(*pair, axis) for pair, axis in product(fitting(), AXES)]
    families = [Combination(*pair, axis) for pair, axis in product(FAMILIES, AXES)]
    rows += [start._replace(option=option) for start, option in product(families, OPTIONS)]
    rows += [start._replace(optimizer=name) for start, name in product(families, OPTIMIZERS)]
    numbers = product(families, PRECISIONS[:2], RECOMPUTES)
    rows += [start._replace(precision=precision, recompute=how) for start, precision, how in numbers]
    compiled = product(FAMILIES, ("shard", "tensor", "context", "1f1b"))
    rows += [Combination(*pair, axis, "compile") for pair, axis in compiled]
    return [*dict.fromkeys(rows + covering())]


def outcomes(rows: Sequence[Combination]) -> Iterator[Outcome]:
    """What becomes of each, in one pair of processes; a new pair goes on behind one that failed."""
    with tempfile.TemporaryDirectory() as folder:
        write_words(Path(folder, "data"))
        done = 0
        while done < len(rows):
            files = [Path(folder, f"from-{done}-{rank}") for rank in range(WORKERS)]
            with suppress(mp.ProcessRaisedException):  # type: ignore[attr-defined]
                mp.spawn(_all_rows, (rows[done:], folder, files), nprocs=WORKERS)  # type: ignore[attr-defined, no-untyped-call]
            both = [[Outcome(*json.loads(line)) for line in file.read_text().splitlines()] for file in files]
            found = [_worst(filter(None, some)) for some in zip_longest(*both)]
            assert found, f"no process could begin {rows[done]}"
            yield from found
            done += len(found)


def _worst(of_processes: Iterable[Outcome]) -> Outcome:
    return max(of_processes, key=lambda outcome: outcome.result == "failed")


def _all_rows(rank: int, rows: Sequence[Combination], folder: str, files: Sequence[Path]) -> None:
    torch.set_num_threads(1)
    wait = timedelta(seconds=SECONDS)
    dist.init_process_group("gloo", init_method=f"file://{files[0]}.meet", rank=rank, world_size=WORKERS, timeout=wait)
    files[rank].touch()
    for number, row in enumerate(rows):
        outcome = _outcome(row, f"{folder}/data", f"{files[0]}-{number}")
        with files[rank].open("a") as output:
            print(json.dumps(outcome), file=output)
        if outcome.result == "failed":
            raise RuntimeError(outcome.reason)
    leave()


def _outcome(row: Combination, data: str, output: str) -> Outcome:
    steps: list[Any] = []

    def heard(record: Mapping[str, Any]) -> None:
        if record["kind"] == "step":
            steps.append(record["loss"])

    try:
        train(parse(row.settings), data, output, on_record=heard)
    except ValueError as error:
        clean = "\n" not in str(error) and not steps
        return Outcome("refused" if clean else "failed", str(error))
    except Exception:
        return Outcome("failed", traceback.format_exc())
    return Outcome("trained")


def _fits(row: Combination) -> bool:
    config = parse(row.settings)
    try:
        check_kinds(config)
    except ValueError:
        return False
    return True


def write_words(folder: Path) -> None:
    """A run whose tokenizer shows where words begin and sentences end."""
    pieces = ["<|endoftext|>", "<|padding|>", *(f"{'Ġ' if number % 3 else ''}{number}" for number in range(2, 63)), "."]
    stated = {
        "added_tokens": [{"id": number, "content": pieces[number], "special": True} for number in (0, 1)],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "vocab": {piece: number for number, piece in enumerate(pieces)}, "merges": []},
    }
    validation = counting_documents(8, seed=1)
    tokenizer = json.dumps(stated).encode()
    write_run(folder, counting_documents(60), validation=validation, sequence_length=32, tokenizer=tokenizer)


def main() -> None:
    rows = every() if sys.argv[1:] == ["every"] else covering()
    counts: Counter[tuple[str, str]] = Counter()
    for row, outcome in zip(rows, outcomes(rows), strict=True):
        counts[outcome.result, outcome.reason.strip().rpartition("\n")[2]] += 1
        print(f"{outcome.result:8} {row}", flush=True)
        if outcome.result == "failed":
            print(outcome.reason, flush=True)
    for (result, reason), count in sorted(counts.items()):
        print(f"{count:6,} {result} {reason}")


if __name__ == "__main__":
    main()
