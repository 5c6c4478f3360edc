"""Targets: files of models that are damaged behind their checksums, or that have none. Each is either refused as the
user's error, or used on a few texts."""

import io
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from curation.core.document import bucket_of
from curation.core.errors import UserError
from curation.extract.learnt import Learnt, text_of
from curation.extract.student import student_file
from curation.filters.contamination import Contamination
from curation.models.bloom import filter_folder
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import plan
from curation.models.classifier import model_file as classifier_file
from curation.models.classifier.metadata import Metadata, packed
from curation.models.embeddings import kmeans
from curation.models.embeddings.directions import nearest, unit
from curation.models.embeddings.word_vectors import load_encoder
from curation.models.evalsets import index
from tests.curation.extract.student.made_pages import made_page
from tests.curation.extract.student.small_model import small_model
from tests.curation.models.evalsets import HENS, ITEMS, SHIPS, index_file
from tests.curation.models.keys import drawn
from tests.fuzz import models, sealed
from tests.fuzz.child import Execution, Target
from tests.mutations import mutated
from tests.support import documents

Damage = Callable[[bytes, random.Random], bytes]
Use = Callable[[str], object]
MOST_MB = 1000  # of a whole process


class SoundFile(NamedTuple):
    """A file's content, and what uses a file, which raises UserError for one that it refuses. `name` is what the use
    expects of the file's name."""

    content: bytes
    use: Use
    name: str = "damaged"


def reading(make_file: Callable[[Path], SoundFile], damage: Damage = mutated) -> Callable[[Path], Execution]:
    """Damages the file in its folder, uses it, and does so again."""

    def make(folder: Path) -> Execution:
        sound = make_file(folder)
        path = folder / sound.name
        path.write_bytes(sound.content)
        sound.use(str(path))

        def execute(rng: random.Random) -> None:
            path.write_bytes(damage(sound.content, rng))
            with suppress(UserError):
                sound.use(str(path))

        return execute

    return make


def extractor(_: Path) -> SoundFile:
    learnt = Learnt(model=small_model())
    pages = [learnt.scan(page) for page in (made_page(1)[0], b"<p>a", b"", b"<table>" * 9)]

    def use(path: str) -> object:
        student = student_file.read(path)[0]
        return [text_of(page, student) for page in pages]

    return SoundFile(Path(small_model()).read_bytes(), use)


def _score(path: str) -> object:
    model = classifier_file.load.__wrapped__(path)
    return model.judge(models.TEXT), model.numbers


def logistic(folder: Path) -> SoundFile:
    return SoundFile(models.logistic(folder)[0], _score)


def fasttext_with_metadata(folder: Path) -> SoundFile:
    body, _ = models.fasttext_plain(folder)
    metadata = Metadata(kind="fasttext", labels=("sweet", "sour"), positive="sweet", normalization="lowercase")
    return SoundFile(packed(metadata, body), _score)


def fasttext_of_words(folder: Path) -> SoundFile:
    """A model of two labels and n-grams of words, which has kernels of its own."""
    return SoundFile(models._trained(folder, dim=4, wordNgrams=2, bucket=50), _score)


def fasttext_tree(folder: Path) -> SoundFile:
    body = models._trained(folder, dim=4, minn=2, maxn=3, bucket=50, loss="hs")
    return SoundFile(body, _score)


HI, LO = drawn(400, 1)
SIZING = plan(400, 1e-3, partitions=2, max_mb=1)


def _write_filter(folder: Path) -> filter_folder.BloomFilter:
    for number in range(SIZING.partitions):
        own = bucket_of(HI, SIZING.partitions) == number
        partition = Partition.empty(SIZING, number)
        partition.insert(HI[own], LO[own])
        filter_folder.write(str(folder), partition, unit="url", key_version=2)
    return filter_folder.seal(str(folder))


def _ask_filter(path: str) -> object:
    known = filter_folder.BloomFilter.open(str(Path(path).parent))
    return known.contains(HI, LO), known.line(), known.warning()


def bloom_manifest(folder: Path) -> SoundFile:
    _write_filter(folder)
    return SoundFile((folder / filter_folder.MANIFEST).read_bytes(), _ask_filter, filter_folder.MANIFEST)


def bloom_partition(folder: Path) -> SoundFile:
    _write_filter(folder)

    def use(path: str) -> object:
        partition = Partition.from_bytes(Path(path).read_bytes())
        own = bucket_of(HI, partition.sizing.partitions) == partition.number
        return partition.contains(HI[own], LO[own]), partition.rate()

    def refusing(path: str) -> object:
        """A partition is read by its filter, which makes one line of a ValueError."""
        with suppress(ValueError):
            use(path)
        return None

    return SoundFile((folder / "part-00001.bloom").read_bytes(), refusing)


def _npy(array: np.ndarray[Any, Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def centroids(_: Path) -> SoundFile:
    vectors = unit(np.random.default_rng(0).standard_normal((9, 4)))

    def use(path: str) -> object:
        found = kmeans.load.__wrapped__(path)
        return nearest(vectors, found) if found.shape[1] == vectors.shape[1] else None

    return SoundFile(_npy(vectors), use)


def word_vectors(folder: Path) -> SoundFile:
    words = sorted(set(models.PROSE.split()))
    (folder / "words.txt").write_text("\n".join(words))
    vectors = np.random.default_rng(0).standard_normal((len(words), 5)).astype(np.float32)
    return SoundFile(_npy(vectors), lambda path: load_encoder((path, str(folder / "words.txt"))).embed(models.TEXT))


EVALSET_FILES = (
    *("evalsets.json", "items.parquet", "folded.npy", "starts.npy", "part.npy", "segment.npy", "first.npy"),
    *(f"{name}-5.npy" for name in ("hashes", "firsts", "places", "counts", "weights", "filter", "directory")),
)


def evalsets(folder: Path) -> Execution:
    """One of the files of an index is damaged at a time."""
    path = index_file(folder, ITEMS, sizes=(5,))
    contents = {name: (folder / name).read_bytes() for name in EVALSET_FILES}
    texts = documents(f"{HENS} {SHIPS}", HENS[:90], "", None)

    def use() -> None:
        index.load.cache_clear()
        index._array.cache_clear()
        for method in ("decon", "n_gram"):
            options: dict[str, Any] = {"n": 5, "max_overlap": 0.5} if method == "n_gram" else {}
            component = Contamination(evalsets=path, method=method, min_tokens=2, **options)
            component.assets()
            component.measure(texts)
        loaded = index.load(path)
        for name in ("sums/1", HENS, "none"):
            loaded.numbers(name), loaded.item(name), loaded.unchecked(5)

    use()

    def execute(rng: random.Random) -> None:
        name = rng.choice(EVALSET_FILES)
        damage = sealed.json_mutated if name.endswith(".json") and rng.random() < 0.8 else sealed.npy_mutated
        (folder / name).write_bytes(damage(contents[name], rng))
        with suppress(UserError):
            use()
        (folder / name).write_bytes(contents[name])

    return execute


FILES: dict[str, tuple[Callable[[Path], SoundFile], Damage]] = {
    "extractor": (extractor, sealed.extractor),
    "logistic": (logistic, sealed.classifier),
    "fasttext_with_metadata": (fasttext_with_metadata, sealed.classifier),
    "fasttext_of_words": (fasttext_of_words, mutated),
    "fasttext_tree": (fasttext_tree, mutated),
    "bloom_manifest": (bloom_manifest, sealed.json_mutated),
    "bloom_partition": (bloom_partition, sealed.bloom_partition),
    "centroids": (centroids, sealed.npy_mutated),
    "word_vectors": (word_vectors, sealed.npy_mutated),
}
TARGETS = {
    name: Target(partial(lambda folder, one: reading(*one)(folder), one=one), 10_000, 10, MOST_MB)
    for name, one in FILES.items()
} | {"evalsets": Target(evalsets, 10_000, 10, MOST_MB)}
