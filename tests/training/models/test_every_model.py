"""What every model owes: roles of all parameters, losses that depend on no neighbour, attention counted by hand, the
same initial weights on any number of processes."""

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from curation.core import catalog
from tests.training.models.made import LENGTH, MODELS, PLACES, SEGMENTS, VOCABULARY, batch_of, example_of, model_of
from training.batch import Batch, Example, ExampleShape, Kind
from training.config.components import MODEL
from training.ending import leave
from training.initialise import initialise
from training.roles import Purpose

each_model = pytest.mark.parametrize("name", MODELS)
PLACED = (Kind.PREFIXED, Kind.PERMUTED, Kind.REPLACED)


def test_all_are_here() -> None:
    assert {catalog.key_of(type(architecture)) for architecture, _ in MODELS.values()} == set(catalog.known(MODEL))
    assert all(kind in architecture.kinds for architecture, kind in MODELS.values())


@each_model
def test_roles_name_every_parameter_and_each_gets_a_gradient(name: str) -> None:
    architecture, kind = MODELS[name]
    model = model_of(architecture)
    parameters = dict(model.named_parameters())
    roles = model.roles()
    assert roles.keys() == parameters.keys() == model.state_dict().keys()
    for own, role in roles.items():
        assert (role.part in (Purpose.NORM, Purpose.BIAS)) == (parameters[own].dim() == 1)
        assert (role.deviation > 0) == (parameters[own].dim() > 1)
        assert role.reads is not None or role.part not in (Purpose.HIDDEN, Purpose.OUTPUT)
    assert roles["embedding.weight"].reads == ("labels" if model.head is None else None)
    torch.autograd.backward(model(batch_of(kind)).total)
    assert not [own for own, one in parameters.items() if one.grad is None or not one.grad.any()]


@each_model
def test_a_model_that_knows_nothing_loses_log_v_a_label(name: str) -> None:
    architecture, kind = MODELS[name]
    model = model_of(architecture)
    batch = batch_of(kind)
    with torch.no_grad():
        model.output_matrix.zero_()
    losses = model(batch)
    assert losses.nats.tolist() == pytest.approx((batch.weights.sum(dim=1) * math.log(VOCABULARY)).tolist())
    assert losses.nats.dtype == losses.total.dtype == torch.float32
    assert not losses.nats.requires_grad


@each_model
def test_losses_are_those_of_the_logits(name: str) -> None:
    architecture, kind = MODELS[name]
    model = model_of(architecture)
    batch = batch_of(kind)
    log_p = model.logits(batch).log_softmax(-1)
    nats = -(log_p.take_along_dim(batch.labels[..., None], -1)[..., 0] * batch.weights).sum(1)
    torch.testing.assert_close(model(batch).nats, nats.detach())


def second_alone(example: Example) -> Example:
    """The second document moved to the head of the row, and padding behind it."""
    order = np.r_[5:9, 0:5, 9:LENGTH]
    segments = np.where(SEGMENTS == 2, SEGMENTS, 0)[order]
    changes: dict[str, Any] = {"segments": segments}
    for field in ("inputs", "targets", "seen", "order", "detection"):
        value = getattr(example, field)
        changes[field] = None if value is None else value[order]
    if example.places is None:
        changes |= {"labels": example.labels[order], "weights": example.weights[order]}
    else:
        changes["places"] = np.where(example.weights > 0, PLACES - 5, 0)
    if example.target_segments is not None:
        changes["target_segments"] = segments
    return replace(example, **changes)


@each_model
def test_a_document_does_not_depend_on_its_neighbours(name: str) -> None:
    """Labels of the second document alone; then the first one's tokens change, then the document moves."""
    architecture, kind = MODELS[name]
    model = model_of(architecture)
    places = PLACES if kind in PLACED else np.arange(LENGTH)
    example = example_of(kind, weights=((SEGMENTS == 2)[places]).astype(np.float32))
    other = example_of(kind, seed=9)
    first = SEGMENTS != 2
    changes = {"inputs": np.where(first, other.inputs, example.inputs)}
    if example.targets is not None and other.targets is not None:
        changes["targets"] = np.where(first, other.targets, example.targets)
    rows = [example, replace(example, **changes), second_alone(example)]
    nats = [model(Batch.of([row])).nats for row in rows]
    assert not np.array_equal(rows[0].inputs, rows[1].inputs)
    torch.testing.assert_close(nats[1], nats[0], rtol=0, atol=1e-6)
    torch.testing.assert_close(nats[2], nats[0], rtol=0, atol=2e-6)


@each_model
def test_dropout_is_of_a_row_and_not_of_its_batch(name: str) -> None:
    architecture, kind = MODELS[name]
    model = model_of(replace(architecture, dropout=0.3))
    examples = [example_of(kind, seed) for seed in range(2)]
    whole = model(Batch.of(examples, keys=[5, 6])).nats
    alone = model(Batch.of(examples[1:], keys=[6])).nats
    torch.testing.assert_close(alone, whole[1:])
    for other in ([7], None):
        assert not torch.allclose(model(Batch.of(examples[1:], keys=other)).nats, alone, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [  # layers, width of all heads, queries, keys: of rows of 12 inputs, 8 targets and 4 labels
        pytest.param("decoder", 2 * 16 * 12 * 12, id="decoder"),
        pytest.param("decoder_olmo2", 2 * 16 * 12 * 3, id="a window of 3"),
        pytest.param("encoder", 16 * 12 * 12 + 16 * 12 * 4, id="encoder: the second layer sees 4 keys"),
        pytest.param("encoder_decoder", 2 * 16 * (12 * 12 + 8 * 8 + 8 * 12), id="encoder, decoder, across"),
        pytest.param("two_stream", 2 * 16 * (12 * 12 + 4 * 12), id="content, query"),
        pytest.param("electra", 2 * (8 + 16) * 12 * 12, id="generator, discriminator"),
    ],
)
def test_flops_of_attention(name: str, pairs: int) -> None:
    shape = ExampleShape(inputs=12, labels=4, targets=8)
    sizes = model_of(MODELS[name][0]).attentions()
    assert sum(size.flops(shape, halved=False) for size in sizes) == 12 * pairs
    halved = sum(size.flops(shape, halved=True) for size in sizes)
    causal = {
        "decoder": 2 * 16 * 12 * 12,
        "decoder_olmo2": 2 * 16 * 3 * 3,  # the first two see one and two fewer, of about 3 * 3 / 2 pairs
        "encoder": 0,
        "encoder_decoder": 2 * 16 * 8 * 8,
        "two_stream": 2 * 16 * 12 * 12,
        "electra": 0,
    }
    assert halved == 12 * (pairs - causal[name] / 2)


@each_model
def test_memory_of_a_label_is_not_that_of_a_row(name: str) -> None:
    """Logits are of the labels' places alone."""
    architecture, kind = MODELS[name]
    labels = 4 if kind in PLACED else LENGTH
    assert model_of(architecture).logits(batch_of(kind)).shape == (2, labels, VOCABULARY)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # read by torch as it compiles
@pytest.mark.parametrize(
    ("name", "graphs"),
    [  # norms or keys before the first block, and the forms of blocks, that differ
        pytest.param("decoder", 1, id="decoder"),
        pytest.param("decoder_gpt2", 1, id="decoder with learned positions"),
        pytest.param("decoder_olmo2", 1, id="decoder with norms after"),
        pytest.param("encoder", 2, id="encoder: the first has no norm"),
        pytest.param("encoder_decoder", 2, id="encoder, decoder"),
        pytest.param("two_stream", 2, id="two streams: the first query is one vector"),
        pytest.param("electra", 4, id="two encoders"),
    ],
)
def test_blocks_share_their_compiled_code(name: str, graphs: int) -> None:
    """Else torch gives up at the eighth, and the others run as they are."""
    architecture, kind = MODELS[name]
    model = model_of(replace(architecture, layers=9, dropout=0.1))
    batch = Batch.of([example_of(kind)], keys=[1])
    expected = model(batch).nats
    compiled = 0

    def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Any:
        nonlocal compiled
        compiled += 1
        return graph.forward

    torch._dynamo.reset()
    for block in model.blocks:
        block.compile(backend=backend, fullgraph=True, dynamic=False)
    torch.testing.assert_close(model(batch).nats, expected)
    assert compiled == graphs


def _digest(rank: int, world: int, folder: str) -> None:
    """Writes the hash of all models' initial weights, as the first of `world` processes gathers them."""
    dist.init_process_group("gloo", init_method=f"file://{folder}/group{world}", rank=rank, world_size=world)
    mesh = init_device_mesh("cpu", (world,))
    digest = hashlib.blake2b()
    for architecture, _ in MODELS.values():
        with torch.device("meta"):
            model = architecture.build(VOCABULARY)
        for block in model.blocks:
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)
        model.to_empty(device="cpu")
        initialise(model, 3)
        for name, parameter in model.named_parameters():
            assert isinstance(parameter, DTensor)
            digest.update(name.encode() + parameter.full_tensor().detach().numpy().tobytes())
    if rank == 0:
        (Path(folder) / f"digest{world}").write_text(digest.hexdigest())
    dist.destroy_process_group()
    leave()


@pytest.mark.slow
def test_initial_weights_are_the_same_on_1_2_and_3_processes(tmp_path: Path) -> None:
    for world in (1, 2, 3):
        mp.spawn(_digest, args=(world, str(tmp_path)), nprocs=world)
    plain = hashlib.blake2b()
    for architecture, _ in MODELS.values():
        for name, parameter in model_of(architecture, seed=3).named_parameters():
            plain.update(name.encode() + parameter.detach().numpy().tobytes())
    assert {(tmp_path / f"digest{world}").read_text() for world in (1, 2, 3)} == {plain.hexdigest()}
