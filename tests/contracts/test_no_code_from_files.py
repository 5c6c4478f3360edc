"""No file of a run or of a user can run code: nothing that unpickles, evaluates, or builds objects from YAML is called.

Pickles travel between processes of one run, over connections that the run made, and are never read from a file. TRUSTED
says which files do so and why.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.test_shape import FILES, module_name, tree

UNPICKLERS = ("pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal", "jsonpickle")
# torch's own checkpoints: their metadata is a pickle.
READERS = ("torch.distributed.checkpoint", "torch.distributed.checkpoint.state_dict_loader", "torch.hub", "torch.jit")
READER_FUNCTIONS = ("load", "FileSystemReader")
EVALUATORS = ("eval", "exec", "compile", "__import__")
UNSAFE_YAML = ("load", "load_all", "full_load", "full_load_all", "unsafe_load", "unsafe_load_all")
UNSAFE_LOADERS = ("Loader", "FullLoader", "UnsafeLoader", "Constructor", "FullConstructor", "UnsafeConstructor")

TRUSTED = {
    "curation.engine.executor.ray_data": {"pickle"},  # results of tasks, in Ray's object store
    "curation.tokens.export.nanogpt": {"pickle"},  # writes nanoGPT's meta.pkl, and reads none
    "curation.engine.executor.worker_imports": {"cloudpickle"},  # sends a function to Ray's workers, and reads none
    "pipelines.answers.typed": {"eval"},  # annotations in winnow's own code
    "cluster.nodes": {"pickle", "cloudpickle"},  # what the driver asks of each node, in Ray's calls
    "demo.library": {"compile", "exec"},  # the list of topics in the installed Python's own pydoc_data
}


def found(path: Path) -> set[str]:
    return {name for node in ast.walk(tree(path)) for name in _in(node)}


def _in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.split(".")[0] in UNPICKLERS)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from _imported(node.module, [alias.name for alias in node.names])
    elif isinstance(node, ast.Call):
        yield from _called(ast.unparse(node.func), {one.arg: ast.unparse(one.value) for one in node.keywords})
    elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("yaml", "yaml.constructor"):
        yield from (f"yaml.{node.attr}" for name in UNSAFE_LOADERS if node.attr == name)


def _imported(module: str, names: list[str]) -> Iterator[str]:
    if module.split(".")[0] in UNPICKLERS:
        yield module
    yield from (name for name in names if name in UNPICKLERS)
    if module in READERS:
        yield from (f"{module}.{name}" for name in names if name in READER_FUNCTIONS)
    if module == "torch" and "load" in names:
        yield "torch.load"
    if module == "yaml":
        yield from (f"yaml.{name}" for name in names if name in (*UNSAFE_YAML, *UNSAFE_LOADERS))


def _called(function: str, options: dict[str | None, str]) -> Iterator[str]:
    name = function.rpartition(".")[2]
    if function in EVALUATORS:
        yield function
    if function == "torch.load" or (function.startswith("torch.") and name == "load"):
        yield function
    if function in {f"yaml.{one}" for one in UNSAFE_YAML} and "Safe" not in options.get("Loader", ""):
        yield function
    if function in ("np.load", "numpy.load") and options.get("allow_pickle") != "False":
        yield f"{function} without allow_pickle=False"
    if options.get("allow_pickle") == "True" or options.get("trust_remote_code") == "True":
        yield f"{function} of what may hold code"
    if function.startswith("AutoModel") and name == "from_pretrained" and options.get("use_safetensors") != "True":
        yield f"{function} without use_safetensors=True"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_nothing_that_is_read_can_run(path: Path) -> None:
    assert found(path) == TRUSTED.get(module_name(path), set())


def test_what_is_trusted_exists() -> None:
    assert TRUSTED.keys() <= {module_name(path) for path in FILES}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import pickle", "pickle"),
        ("from pickle import loads", "pickle"),
        ("from ray import cloudpickle", "cloudpickle"),
        ("import torch\ntorch.load(path)", "torch.load"),
        ("import torch\ntorch.load(path, weights_only=True)", "torch.load"),
        ("from torch import load", "torch.load"),
        ("torch.jit.load(path)", "torch.jit.load"),
        (
            "from torch.distributed.checkpoint.state_dict_loader import load",
            "torch.distributed.checkpoint.state_dict_loader.load",
        ),
        ("eval(text)", "eval"),
        ("exec(text)", "exec"),
        ("yaml.load(text, Loader=yaml.FullLoader)", "yaml.load"),
        ("yaml.compose(text, Loader=yaml.Loader)", "yaml.Loader"),
        ("yaml.unsafe_load(text)", "yaml.unsafe_load"),
        ("np.load(file)", "np.load without allow_pickle=False"),
        ("np.load(file, allow_pickle=True)", "np.load of what may hold code"),
        (
            "AutoTokenizer.from_pretrained(a, trust_remote_code=True)",
            "AutoTokenizer.from_pretrained of what may hold code",
        ),
        ("AutoModel.from_pretrained(folder)", "AutoModel.from_pretrained without use_safetensors=True"),
    ],
)
def test_what_would_be_found(source: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(source)
    assert name in found(tmp_path / "module.py")


@pytest.mark.parametrize(
    "source",
    [
        "yaml.load(text, Loader=yaml.SafeLoader)",
        "np.load(file, allow_pickle=False)",
        "AutoModel.from_pretrained(folder, use_safetensors=True)",
        "model.eval()",
        "re.compile(text)",
    ],
)
def test_what_is_safe(source: str, tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(source)
    assert found(tmp_path / "module.py") == set()
