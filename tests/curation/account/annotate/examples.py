"""What the tests of this room ask: a short rubric, an endpoint that is quick to give up, and texts."""

import asyncio
from pathlib import Path
from typing import Any

from curation.account.annotate.annotate import text_hash
from curation.account.annotate.answers import Answers
from curation.account.annotate.budget import Prices, Spend
from curation.account.annotate.endpoint import Endpoint
from curation.account.annotate.rubric import Rubric
from curation.account.annotate.teacher import Teacher, TeacherOutcome, TeacherProgress
from tests.chat_server import ChatServer

RUBRIC = Rubric(name="short", version=1, prompt="Rate it.\nText: {text}", score=r"Score: *([0-5])\b")
KEY = "sk-very-secret-0123456789"


def endpoint(server: ChatServer, **options: Any) -> Endpoint:
    return Endpoint(url=server.url, model="m", **{"timeout": 5.0, "backoff": 0.01, "concurrency": 4, **options})


def ask(
    server: ChatServer,
    folder: Path,
    texts: list[str],
    *,
    prices: Prices | None = None,
    rubric: Rubric = RUBRIC,
    **options: Any,
) -> tuple[dict[str, int], dict[str, str], TeacherProgress, TeacherOutcome]:
    """Scores and reasons without a score by text, and the figures; answers are stored in the folder."""
    spend = Spend(prices or Prices(), 512)
    progress = TeacherProgress(len(texts), spend)
    by_hash = {text_hash(text): text for text in texts}
    with Answers(str(folder / "answers"), prompt="p", model="m") as answers:
        teacher = Teacher(endpoint(server, **options), rubric, answers, progress, lambda _: None)
        outcome = asyncio.run(teacher.ask(list(by_hash), by_hash.__getitem__))
    scores = {by_hash[key]: score for key, (score, _) in outcome.scores.items()}
    return scores, {by_hash[key]: why for key, why in outcome.unscored.items()}, progress, outcome
