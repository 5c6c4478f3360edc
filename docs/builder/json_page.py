"""docs/json.md, made from the forms of the commands' answers: python -m docs.builder.json_page > docs/json.md"""

import sys
from collections.abc import Iterator

from pipelines.answers.answers import ANSWERS, top_level

HEAD = """\
# JSON for scripts

Every command below prints one JSON value to standard output with `--json`. Progress and errors go to standard
error, and the exit code says how the command ended (0: done, 1: failed, 2: something must be changed). `winnow
schema COMMAND` prints the JSON Schema (draft 2020-12) of the value, with the meaning of each object:

```sh
winnow funnel runs/demo --json > funnel.json
winnow schema funnel > funnel.schema.json
```

Numbers that JSON cannot write are the texts `"inf"`, `"-inf"` and `"nan"`. Credentials in addresses are masked. The
keys keep their names and meanings within a version of winnow, and the changelog says where one changes. A command
with several rows has answers of several forms, and its options decide which.

| command | answer | keys |
|---|---|---|
"""
HOW = {"one": "one object", "list": "a list of objects", "by name": "objects by name"}
PLAIN = {
    "files": ("a list of texts", "globs of Parquet files"),
    "sql": ("a list of objects", "the columns of the query"),
}


def page() -> str:
    """The page's content."""
    return HEAD + "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    for command in ANSWERS:
        for how, _, keys in top_level(command):
            form, shown = PLAIN.get(command, (HOW[how], ", ".join(f"`{key}`" for key in keys)))
            yield f"| `winnow {command}` | {form} | {shown} |"


if __name__ == "__main__":
    sys.stdout.write(page())
