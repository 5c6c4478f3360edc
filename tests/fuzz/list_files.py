"""Targets: damaged files of lists, rules, tokenizers and folders of models that options name. A component refuses such
a file as the user's error before work, or uses it on a few documents."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from curation.core.component import Component
from curation.core.errors import WinnowError
from curation.core.filter import Filter
from curation.filters.c4_quality import C4Quality
from curation.filters.opt_outs import OptOuts
from curation.filters.toxicity import Toxicity
from curation.filters.url_blocklist import UrlBlocklist
from curation.fit.extractor import Extractor
from curation.fit.sentencepiece import Sentencepiece
from curation.fit.tokenizer import Tokenizer
from curation.models.preferences.site_files import ROBOTS_TXT, SCHEMA, to_bytes
from curation.models.sequence_classifier.folder import opened
from curation.rewrite.secrets import Secrets
from curation.sources.documents.arxiv import Arxiv
from curation.sources.documents.books.catalogue import read_catalogue
from curation.sources.documents.dialogue import Dialogue
from curation.sources.documents.gutenberg import Gutenberg
from curation.tokens.encoders import load_tokenizer
from tests.curation.models.preferences.test_rsl import content, payment, rsl
from tests.curation.models.secrets.test_gitleaks import FILE as RULES
from tests.fuzz import models, sealed
from tests.fuzz.child import Execution, Target
from tests.mutations import mutated
from tests.support import documents, learned

Damage = Callable[[bytes, random.Random], bytes]
TEXTS = documents(models.PROSE, "read acme_Abcd", "", None)
PAPER = {
    "id": "0704.0001",
    "categories": "hep-ph",
    "license": None,
    "versions": [{"created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
}
CATALOGUE = (
    "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n1,Text,1971-12-01,Title,en,A; B,S,E,B\n"
)


NONE = ("none.zst",)  # of a source: it is not read


class ListFile(NamedTuple):
    """The name and content of a sound file, and what uses one."""

    name: str
    content: bytes
    use: Callable[[str], object]
    damage: Damage = mutated


def _component(make: Callable[[str], Component]) -> Callable[[str], object]:
    def use(path: str) -> object:
        component = make(path)
        component.assets()
        if isinstance(component, Filter) and set(component.reads) <= set(TEXTS.schema.names):
            return component.measure(TEXTS)
        return None

    return use


def _tokenizer(path: str) -> object:
    loaded = load_tokenizer.parse(Path(path).read_bytes(), path).with_ends("auto", "auto")
    return loaded.encode(TEXTS["text"]), loaded.tokens(), loaded.decode([0, 1, 2])


def _site_preferences() -> bytes:
    values = ["a.example"], [ROBOTS_TXT], [datetime(2025, 1, 2, tzinfo=UTC)], ["User-agent: *\nDisallow: /"]
    arrays = [pa.array(one, field.type) for one, field in zip(values, SCHEMA, strict=True)]
    return to_bytes(pa.Table.from_arrays(arrays, schema=SCHEMA), {"robots_txt": 3})


def _json_or_bytes(text: bytes, rng: random.Random) -> bytes:
    return sealed.json_mutated(text, rng) if rng.random() < 0.7 else mutated(text, rng)


def list_files() -> Iterator[ListFile]:
    """One of each kind that is a list or rules."""
    hosts = b"a.example\nwww.b.example\n# c\nb\xc3\xbccher.example\n"
    yield ListFile("mine.domains", hosts, _component(lambda path: UrlBlocklist(lists={"mine.domains": path})))
    yield ListFile("suffixes.dat", b"com\n*.uk\n!x.uk\n", _component(lambda path: UrlBlocklist(public_suffixes=path)))
    yield ListFile("opted.domains", hosts, _component(lambda path: OptOuts(honour=(), domain_list=path)))
    yield ListFile("words.txt", b"read\nacme abcd\n", _component(lambda path: C4Quality(bad_words=path)))
    yield ListFile("terms.txt", b"read\nacme\n", _component(lambda path: Toxicity(term_lists={"en": path})))
    yield ListFile(
        "site.parquet", _site_preferences(), _component(lambda path: OptOuts(honour=(), site_preferences=path))
    )
    terms = rsl(content(payment("use"), url="https://b.example/x"))
    yield ListFile("terms.xml", terms, _component(lambda path: OptOuts(honour=(), rsl_files=(path,))))
    yield ListFile("rules.toml", RULES.encode(), _component(lambda path: Secrets(rules=(path,))))
    yield ListFile("bots.txt", b"robot\nAda\n", _component(lambda path: Dialogue(paths=NONE, bots=path)))
    yield ListFile("catalogue.csv", CATALOGUE.encode(), lambda path: Gutenberg(paths=NONE, catalogue=path).check([]))
    paper = json.dumps(PAPER).encode() + b"\n"
    yield ListFile("arxiv.json", paper, _component(lambda path: Arxiv(paths=NONE, metadata=path)), _json_or_bytes)
    truth = json.dumps({"url": "https://a.example", "text": "some"}).encode() + b"\n"
    yield ListFile("truth.jsonl", truth, _component(lambda path: Extractor(teacher={}, truth=(path,))))


def tokenizers() -> Iterator[ListFile]:
    """One of each kind."""
    text = [pa.array([models.PROSE * 3], pa.large_string())]
    for model in ("bpe", "unigram"):
        made = learned(Tokenizer(model=model, vocab_size=300), text)
        yield ListFile(f"{model}.json", made, _tokenizer, _json_or_bytes)
    yield ListFile("pieces.model", learned(Sentencepiece(vocab_size=300), text), _tokenizer)


def lists(one: ListFile, folder: Path) -> Execution:
    """Damages one file at a time, each under a name of its own, since files are read once per process."""
    number = 0

    def path_of(data: bytes) -> Path:
        nonlocal number
        number += 1
        path = folder / f"{number}{one.name}"
        path.write_bytes(data)
        return path

    one.use(str(path_of(one.content)))

    def execute(rng: random.Random) -> None:
        read_catalogue.cache_clear()
        path = path_of(one.damage(one.content, rng))
        with suppress(WinnowError):
            one.use(str(path))
        path.unlink()

    return execute


def classifier_folder(folder: Path) -> Execution:
    """One of the files of a classifier of transformers, which is not loaded."""
    from tests.curation.models.sequence_classifier.tiny import tiny_classifier

    path = tiny_classifier(folder / "model")
    sound = {name.name: name.read_bytes() for name in Path(path).iterdir()}

    def execute(rng: random.Random) -> None:
        name = rng.choice(sorted(sound))
        damage = tensors_mutated if name.endswith(".safetensors") else _json_or_bytes
        (Path(path) / name).write_bytes(damage(sound[name], rng))
        with suppress(WinnowError):
            opened(path)
        (Path(path) / name).write_bytes(sound[name])

    opened(path)
    return execute


def tensors_mutated(data: bytes, rng: random.Random) -> bytes:
    """A safetensors file, mostly with another header of the right length."""
    if rng.random() < 0.3:
        return mutated(data, rng)
    stop = 8 + int.from_bytes(data[:8], "little")
    head = sealed.json_mutated(data[8:stop], rng)
    return len(head).to_bytes(8, "little") + head + data[stop:]


def _targets() -> Iterator[tuple[str, Target]]:
    for one in list_files():
        soak = 1_000 if one.name == "truth.jsonl" else 10_000  # DuckDB takes a fifth of a second
        yield one.name.replace(".", "_"), Target(partial(lists, one), soak, 3 if soak < 10_000 else 10)
    yield "classifier_folder", Target(classifier_folder, 10_000, 10)
    for one in tokenizers():
        yield one.name.replace(".", "_"), Target(partial(lists, one), 10_000, 10)


TARGETS = dict(_targets())
