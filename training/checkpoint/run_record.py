"""What run an output folder belongs to, and its result: `config.json` and `result.json`."""

import json
from typing import Any

from curation.core import storage
from curation.core.manifest import run_around
from training.config.components import DEFAULTS
from training.config.parse import as_mapping, key_of
from training.config.run import LOGISTICS, TrainConfig

FORMAT = 2  # of config.json


def refuse_other_run(output: str, config: TrainConfig, data: str) -> None:
    """Raises ValueError if `output` holds a run with other settings, or other versions of its components, and names
    them; LOGISTICS may differ. Also if it was written in another format, or lies in a run of `curate`, whose folder
    holds that run's stages and nothing else.

    `data` is the fingerprint of the token data.
    """
    if run := run_around(output):
        raise ValueError(f"{output} lies in the run {run}, which holds its stages only; give an output of its own")
    path = storage.join(output, "config.json")
    if not storage.exists(path):
        return
    record = read_json(path)
    written = record.get("format", 1)
    if written != FORMAT:
        raise ValueError(
            f"{path} has format {written}, this winnow reads {FORMAT}; resume with the winnow that wrote it, or give "
            "another output to begin again"
        )
    earlier = _flat(record)
    differing = [
        f"{name} (was {earlier.get(name)}, now {value})"
        for name, value in _flat(_facts(config, data)).items()
        if earlier.get(name) != value and name.removeprefix("config.") not in LOGISTICS
    ]
    if differing:
        raise ValueError(
            f"{output} holds a run with other settings: {', '.join(differing)}; restore them, or give another output"
        )


def claim(output: str, config: TrainConfig, data: str, path: str) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed."""
    record = {"format": FORMAT, **_facts(config, data), "path": storage.absolute(path)}
    write_json(storage.join(output, "config.json"), record)


def _facts(config: TrainConfig, data: str) -> dict[str, Any]:
    """What determines a run: its settings, the versions of its components by their keys, and its data."""
    versions = {key_of(config, verb): getattr(config, verb.name).version for verb in DEFAULTS}
    return {"config": as_mapping(config), "versions": versions, "data": data}


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
