"""A run killed while it redacts, replaces originals and cuts items of evaluation sets ends with the same bytes."""

import json
import random
from pathlib import Path

import pytest
from warcio.warcwriter import WARCWriter

from tests.crawl import add, page, prose
from tests.curation.engine.erase.redacting_runs import words_in
from tests.end_to_end.test_kill import killed
from tests.runs import data_hashes, winnow

RECIPE = """
version: 1
name: private
shards: {group_mb: 0}
privacy: {originals: until_sealed}
sources:
  web:
    - read: {warc: {paths: ["%(folder)s/crawl/*.warc.gz"]}}
    - extract: {resiliparse: {}}
    - filter: {gopher_quality: {}}
      name: gopher
    - rewrite:
        pii: {language: en, action: surrogate, key: {file: %(folder)s/key}, key_id: first}
        secrets: {action: surrogate, key: {file: %(folder)s/key}, key_id: first}
      name: redact
    - fit: {evalsets: {sets: {riddles: {files: %(folder)s/riddles.jsonl, answer: answer}}}}
    - filter: {contamination: {evalsets: "@evalsets", method: gpt3}}
      name: leaks
    - rewrite: {cut_spans: {of: [contamination]}}
      name: cut
    - fit: {tokenizer: {vocab_size: 400}}
    - tokenize: {tokenizer: "@tokenizer"}
    - pack: {sequence_length: 64}
    - mix: {}
"""
MOMENTS = [
    "*-redact-*/part-*",
    "*-redact-*/_manifest.json",
    "*-redact-*/_originals",
    "*-redact-*/_originals/*/part-*",
    "*-redact-*/_originals/group-*",
    "*-redact-*/_originals/*/_buckets/*",
    "*-redact-*/_originals/written",
    "*-redact-*/_originals/*-extract-*/part-00002.parquet",
    "*-evalsets-*/*.npy",
    "*-leaks-*",
    "*-leaks-*/part-*",
    "*-cut-*/part-*",
    "*-tokenizer-*/tokenizer.json",
    "*-pack-*/tokens-00000.bin",
]
RIDDLES = [
    "Which of the seven lanterns of the drowned abbey must the ferryman leave unlit when two moons rise together?",
    "How many copper thimbles does a clockmaker from Brindlewick trade for one unlucky weather vane and some salt?",
]
ADDRESS = "wilhelmina.okonjo@quagmire-post.net"
PHONE = "(212) 736-5037"
TOKEN = "AKIAQ7ZT4KXWPL2MVB6N"
IN_URLS = (ADDRESS.replace("@", "%40"), "wilhelmina.okonjo")
ORIGINALS = (ADDRESS, PHONE, TOKEN, *IN_URLS)


def quoted(riddle: str) -> str:
    return f"<p>The old keeper asks this at the gate: {riddle} Nobody in the town has ever answered her.</p>"


def write_inputs(folder: Path) -> None:
    """Prose of which every third page has personal data, with it in the title of the site, every fourth has it in its
    URL, or quotes a riddle between its paragraphs, and every fifth is too short to be kept."""
    rng = random.Random(0)
    (folder / "crawl").mkdir()
    for archive in range(3):
        with (folder / "crawl" / f"{archive}.warc.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for number in range(40):
                body = prose(rng, 2 if number % 5 == 2 else 24)
                if number % 3 == 0:
                    body += f"<p>Write to {ADDRESS}, call {PHONE}, or sign in with the key {TOKEN} before noon.</p>"
                if number % 4 == 1:
                    body += quoted(RIDDLES[number % 8 // 4]) + prose(rng, 24)
                title = f"The house of {ADDRESS}" if number % 6 == 0 else "The chronicle"
                query = f"?mail={IN_URLS[0]}&page={number}" if number % 4 == 2 else ""
                add(writer, f"http://town.example/{archive}-{number}{query}", page(title, body))
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_text("a key of the test, of thirty-two")
    lines = [json.dumps({"question": riddle, "answer": "None of them at all."}) for riddle in RIDDLES]
    (folder / "riddles.jsonl").write_text("\n".join(lines))


def originals_of(run: Path) -> dict[str, object]:
    """What each stage's manifest says of its originals, by folder."""
    manifests = {path.parent.name: json.loads(path.read_bytes()) for path in run.glob("*/_manifest.json")}
    return {name: manifest["originals"] for name, manifest in manifests.items()}


def leaks(run: Path) -> list[str]:
    """The files in which something is left of the originals, or a riddle after it was cut."""
    found = {path for path, words in words_in(str(run)) if any(original in words for original in ORIGINALS)}
    late = [(path, words) for path, words in words_in(str(run)) if "-cut-" in path]
    return sorted(found) + [path for path, words in late if any(riddle in words for riddle in RIDDLES)]


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param(MOMENTS[3:4], id="some", marks=pytest.mark.soak),
        pytest.param(MOMENTS, id="all", marks=pytest.mark.soak),
    ],
)
@pytest.mark.timeout(1200)
def test_the_driver_killed_while_originals_go_and_items_are_cut(tmp_path: Path, moments: list[str]) -> None:
    write_inputs(tmp_path)
    recipe = tmp_path / "private.yaml"
    whole = tmp_path / "whole"
    output = tmp_path / "run"
    recipe.write_text(RECIPE % {"folder": tmp_path})
    undisturbed = winnow("curate", recipe, "--output", whole, "--cpus", "2")
    assert undisturbed.returncode == 0, undisturbed.stderr
    gone = originals_of(whole)
    (redacting,) = (facts for name, facts in gone.items() if "-redact-" in name)
    assert redacting["replaced"] > redacting["emptied"] > 0
    assert leaks(whole) == []
    kills = killed(recipe, output, moments, random.Random(4))
    done = winnow("curate", recipe, "--output", output, "--cpus", "2")
    assert done.returncode == 0, done.stderr
    assert kills >= len(moments) - 2  # a step may be over before it is seen
    assert data_hashes(output) == data_hashes(whole)
    assert originals_of(output) == gone
    assert leaks(output) == []
    assert list(output.glob("*/_originals")) == []
    verified = winnow("verify", output, "--deep")
    assert verified.returncode == 0, verified.stdout + verified.stderr
