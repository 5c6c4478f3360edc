"""The answers that were paid for: a file that grows by a line per answer, so that none is paid for twice.

A line is written and synced as soon as its answer has come. JSON lines rather than a database: appending is the only
change, a crash can tear only the last line, which is then left out, and any tool reads the file. Answers are stored as
they came, so reading them with another pattern costs nothing. The file is locked while a command uses it.
"""

import fcntl
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from curation.core import storage
from curation.core.errors import InputError, UserError

FIELDS = {"text", "prompt", "model", "answer"}
START = b'{"text": "'  # of every line


@dataclass(frozen=True)
class Answer:
    """What a model said, and the tokens that its endpoint billed; None if it did not say."""

    answer: str
    finish: str  # "stop", "length", "content_filter", …
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Answers:
    """The answers of one model to one prompt, by the hash of the text. A context that holds the file's lock.

    Raises InputError if the file is not one of answers, UserError if another command is using it.
    """

    def __init__(self, path: str, *, prompt: str, model: str) -> None:
        if storage.in_store(path):
            raise UserError(f"{path}: answers are kept on a local disk; name a file there with --cache")
        self._key = {"prompt": prompt, "model": model}
        self._answers: defaultdict[str, list[Answer]] = defaultdict(list)
        self.path = path
        self.torn = 0  # lines that a crash left unfinished

    def __enter__(self) -> Self:
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise UserError(f"{self.path}: another command is writing answers to it; wait for it to end") from error
        try:
            self._read(path)
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        os.close(self._file)

    def of(self, text: str) -> list[Answer]:
        """The answers about the text with this hash, oldest first."""
        return list(self._answers.get(text, ()))

    def add(self, text: str, answer: Answer) -> None:
        """Stores an answer; when this returns it is on the disk."""
        line = json.dumps({"text": text, **self._key, **asdict(answer)}, ensure_ascii=True) + "\n"
        content = line.encode()
        while content:
            content = content[os.write(self._file, content) :]
        os.fsync(self._file)
        self._answers[text].append(answer)

    def _read(self, path: Path) -> None:
        last = b"\n"
        with path.open("rb") as file:
            for number, last in enumerate(file, 1):
                record = _parsed(last)
                if record is None or not record.keys() >= FIELDS:
                    torn = record is None and START.startswith(last.rstrip(b"\n")[: len(START)])
                    if number == 1 and not torn:
                        raise InputError(f"{self.path} is not a file of answers; name another one with --cache")
                    self.torn += 1
                elif all(record[name] == value for name, value in self._key.items()):
                    tokens = {name: record.get(name) for name in ("prompt_tokens", "completion_tokens")}
                    answer = Answer(str(record["answer"]), str(record.get("finish", "")), **tokens)
                    self._answers[record["text"]].append(answer)
        if not last.endswith(b"\n"):
            os.write(self._file, b"\n")  # so that the next answer begins a line


def _parsed(line: bytes) -> Mapping[str, Any] | None:
    """None for a line that is not a JSON object."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
