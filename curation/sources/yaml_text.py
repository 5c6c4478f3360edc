"""Values as YAML that is safe to show and to copy: characters that cannot be printed are escapes."""

import json
from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    """Writes texts that cannot be printed, such as names of files with line breaks, in one line."""


def _represented(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if text.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represented)


def yaml_text(value: Any, *, flow: bool) -> str:
    """The value in its own order, without folded lines; `flow`: in brackets."""
    plain = json.dumps(value, ensure_ascii=False).isprintable()
    return yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, width=1 << 30, allow_unicode=plain, default_flow_style=flow
    )
