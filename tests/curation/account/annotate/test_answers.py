"""The file of answers: what is stored is read again, whatever a crash left behind it."""

import json
from pathlib import Path

import pytest

from curation.account.annotate.answers import Answer, Answers
from curation.core.errors import InputError, UserError


def stored(path: Path, prompt: str = "p", model: str = "m") -> Answers:
    return Answers(str(path), prompt=prompt, model=model)


def test_answers_come_back_by_text_prompt_and_model(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "answers"
    first = Answer("Fünf\nScore: 5", "stop", 10, 2)
    second = Answer("", "length")
    with stored(path) as answers:
        answers.add("a", first)
        answers.add("a", second)
        answers.add("b", second)
        assert answers.of("a") == [first, second]
    with stored(path) as answers:
        assert (answers.of("a"), answers.of("b"), answers.of("c")) == ([first, second], [second], [])
        assert answers.torn == 0
    for other in (stored(path, prompt="q"), stored(path, model="n")):
        with other as answers:
            assert answers.of("a") == []
    assert len(path.read_text().splitlines()) == 3


def test_every_beginning_of_the_file_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    with stored(path) as answers:
        for text in "abc":
            answers.add(text, Answer("Score: 1", "stop", 1, 1))
    content = path.read_bytes()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        whole = content[:size].count(b"}")
        with stored(path) as answers:
            assert [len(answers.of(text)) for text in "abc"] == [int(number < whole) for number in range(3)]
            answers.add("d", Answer("Score: 2", "stop"))
        with stored(path) as answers:
            assert answers.of("d") == [Answer("Score: 2", "stop")]
            assert answers.torn == (0 if content[:size].endswith((b"\n", b"}")) or not size else 1)


def test_an_answer_is_on_the_disk_when_add_returns(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    with stored(path) as answers:
        answers.add("a", Answer("Score: 1", "stop", 3, 4))
        assert json.loads(path.read_text()) == {
            **{"text": "a", "prompt": "p", "model": "m", "answer": "Score: 1", "finish": "stop"},
            **{"prompt_tokens": 3, "completion_tokens": 4},
        }


def test_one_command_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    with stored(path), pytest.raises(UserError, match="another command is writing answers to it"), stored(path):
        pass
    with stored(path) as answers:  # the lock is gone
        assert answers.of("a") == []


@pytest.mark.parametrize(
    "content", [b'{"text": 1}\n', b"doc_id,score\n", b"PAR1", b'{"choices": []}', b'{"text": "a"}\n']
)
def test_another_file_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a file of answers"), stored(path):
        pass
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", [{"text": [1]}, {"model": 5}, {"completion_tokens": "x"}, {"prompt_tokens": 10**30}])
def test_a_line_of_other_values_is_counted_and_left_out(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "answers"
    with stored(path) as answers:
        for text in "ab":
            answers.add(text, Answer("Score: 1", "stop", 1, 1))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | change)}\n{'[' * 100_000}\n")
    with stored(path) as answers:
        assert (len(answers.of("a")), len(answers.of("b")), answers.torn) == (1, 0, 2)
