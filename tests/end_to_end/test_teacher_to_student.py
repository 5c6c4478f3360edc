"""A language model scores texts, a classifier learns its scores, and grades texts that it never saw alike."""

import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.annotate.endpoint import Endpoint
from curation.core.fits import Examples
from curation.fit.classifier import Classifier
from curation.models.agreement import agreement
from curation.models.classifier.model_file import load
from pipelines import api
from tests.chat_server import Reply, Request, chat_server

TAUGHT = "theorem lesson exercise proof example reason".split()
IDLE = "buy click login cookie discount follow".split()
RUBRIC = "name: words\nversion: 1\nscore: 'Score: ([0-5])'\nprompt: |\n  Rate it.\n  Text: {text}\n"


def judged(request: Request) -> Reply:
    words = request.text.split()
    return Reply(f"Counted.\nScore: {round(5 * sum(word in TAUGHT for word in words) / len(words))}")


def test_the_student_agrees_on_texts_that_it_did_not_see(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [
        " ".join(rng.choices(TAUGHT, k=taught) + rng.choices(IDLE, k=20 - taught))
        for taught in (rng.randrange(21) for _ in range(400))
    ]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    (tmp_path / "r.yaml").write_text(RUBRIC)
    with chat_server(judged) as server:
        endpoint = Endpoint(url=server.url, model="m", concurrency=8)
        output = tmp_path / "s.parquet"
        api.annotate(tmp_path / "d.jsonl", output, rubric=tmp_path / "r.yaml", endpoint=endpoint, documents=400)
    table = pq.read_table(output)
    scores = np.asarray(table["score"])
    unseen = np.array([int(key[-1], 16) < 5 for key in table["text_hash"].to_pylist()])
    rows = pa.table([table["text"], table["score"].cast(pa.string()), unseen], names=["text", "label", "held_out"])
    student = Classifier(labelled=Examples(files=(str(output),), label="score"), epochs=50)
    (tmp_path / student.asset).write_bytes(student.fit(iter(rows.to_batches()))[student.asset])
    graded = load(str(tmp_path / student.asset)).judge(table["text"].filter(unseen)).grades
    judgement = agreement(scores[unseen], graded)
    assert 80 < judgement.documents < 180
    assert judgement.spearman is not None
    assert judgement.spearman > 0.9
    assert all(cut.f1 > 0.8 for cut in judgement.cuts[:4])
    shuffled = agreement(scores[unseen], graded[::-1])
    assert abs(shuffled.spearman or 0) < 0.3
