"""The answers that were paid for: a file that grows by a line per answer, so that none is paid for twice.

A line is written and synced as soon as its answer has come. JSON lines rather than a database: appending is the only
change, a crash can tear only the last line, which is then left out, and any tool reads the file. Answers are stored as
they came, so reading them with another pattern costs nothing. The file is locked while a command uses it.
"""

import fcntl
import json
import os
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NotRequired, Self, TypedDict

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.json_files import CutShortError, parse_json
from curation.core.shapes import Count, checked

MOST_LINE = 128 << 20  # bytes; a reply has 16 MiB at most, and JSON may write a byte as six
START = b'{"text": "'  # of every line


@dataclass(frozen=True)
class Answer:
    """What a model said, and the tokens that its endpoint billed; None if it did not say."""

    answer: str
    finish: str  # "stop", "length", "content_filter", …
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class StoredAnswer(TypedDict):
    """A line of the file."""

    text: str
    prompt: str
    model: str
    answer: str
    finish: NotRequired[str]
    prompt_tokens: NotRequired[Count | None]
    completion_tokens: NotRequired[Count | None]


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
            for number, last in enumerate(iter(lambda: file.readline(MOST_LINE), b""), 1):
                record, torn = _parsed(last)
                if record is None:
                    if number == 1 and not torn:
                        raise InputError(f"{self.path} is not a file of answers; name another one with --cache")
                    self.torn += 1
                elif self._key == {"prompt": record["prompt"], "model": record["model"]}:
                    counts = record.get("prompt_tokens"), record.get("completion_tokens")
                    answer = Answer(record["answer"], record.get("finish", ""), *counts)
                    self._answers[record["text"]].append(answer)
        if not last.endswith(b"\n"):
            os.write(self._file, b"\n")  # so that the next answer begins a line


def _parsed(line: bytes) -> tuple[StoredAnswer | None, bool]:
    """The answer, None for a line that is none, and whether it may be the beginning of one."""
    try:
        return checked(parse_json(line), StoredAnswer), False
    except CutShortError:
        return None, START.startswith(line.rstrip(b"\n")[: len(START)])
    except ValueError:
        return None, False
