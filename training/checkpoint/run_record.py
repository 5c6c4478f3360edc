"""What run an output folder belongs to, and its result: `config.json` and `result.json`."""

import json
from dataclasses import asdict
from typing import Any

from curation.core import storage
from curation.core.manifest import run_around
from training.config import LOGISTICS, TrainConfig


def refuse_other_run(output: str, config: TrainConfig, data: str) -> None:
    """Raises ValueError if `output` holds a run with other settings, and names them; LOGISTICS may differ. Also if it
    lies in a run of `curate`, whose folder holds that run's stages and nothing else.

    `data` is the fingerprint of the token data.
    """
    if run := run_around(output):
        raise ValueError(f"{output} lies in the run {run}, which holds its stages only; give an output of its own")
    path = storage.join(output, "config.json")
    if not storage.exists(path):
        return
    earlier = _flat(read_json(path))
    differing = [
        f"{name} (was {earlier.get(name)}, now {value})"
        for name, value in _flat({"config": asdict(config), "data": data}).items()
        if earlier.get(name) != value and name.removeprefix("config.") not in LOGISTICS
    ]
    if differing:
        raise ValueError(
            f"{output} holds a run with other settings: {', '.join(differing)}; restore them, or give another output"
        )


def claim(output: str, config: TrainConfig, data: str, path: str) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed."""
    record = {"config": asdict(config), "data": data, "path": storage.absolute(path)}
    write_json(storage.join(output, "config.json"), record)


def finished(output: str) -> dict[str, Any] | None:
    """The content of result.json, or None if there is none yet."""
    path = storage.join(output, "result.json")
    return read_json(path) if storage.exists(path) else None


def read_json(path: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(storage.read_bytes(path))
    return content


def write_json(path: str, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    storage.replace_bytes(path, json.dumps(content, indent=2).encode() + b"\n")


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
