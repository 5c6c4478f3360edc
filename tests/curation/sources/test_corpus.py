"""Ready corpora, on files made here by their layouts."""

import gzip
import io
import json
import lzma
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import Piece, ReadTally
from curation.sources.corpus import Corpus
from curation.sources.inspection import inspected
from curation.sources.layouts import LAYOUTS, published, without_text
from tests.curation.sources.sample import Sample

SAMPLE = Sample(
    lambda texts: b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts),
    {"max_document_bytes": 2000},
    {"name": "dolma"},
)
DAY = "2020-01-02T03:04:05Z"
WARC = {"warc-record-id": "<urn:1>", "warc-target-uri": "u", "warc-date": DAY}
TIME = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


def read(name: str, path: Path, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    corpus = Corpus(paths=(), name=name, **options)
    batches = list(corpus.read([Piece(str(path), name=path.name)], "s", tally))
    assert all(batch.schema == corpus.schema() for batch in batches)
    return [row for batch in batches for row in batch.to_pylist()], tally


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else lines)
    return path


WEB = {"text": "A", "url": "u", "timestamp": DAY}
FINE = {"text": "A", "id": "<urn:1>", "dump": "CC-MAIN-2020-05", "url": "u", "date": DAY, "language": "fr"}
DOLMA = {"id": "1", "text": "A", "source": "wiki", "added": "2023-01-01", "created": DAY}
CCNET = {"url": "u", "date_download": DAY, "digest": "d", "raw_content": "A", "language": "fr", "bucket": "head"}


@pytest.mark.parametrize(
    ("name", "file", "row", "expected"),
    [
        ("c4", "en/c4-train.00000-of-01024.json.gz", WEB, ("A", "u", TIME, None, "en", None)),
        ("mc4", "c4-zh-Latn.tfrecord-00000-of-00064.json.gz", WEB, ("A", "u", TIME, None, "zh-Latn", None)),
        ("ccnet", "fr_head_0000.json.gz", CCNET, ("A", "u", TIME, None, "fr", "head")),
        ("redpajama_2", "0000/fr_middle.json.gz", CCNET | {"language": None}, ("A", "u", TIME, None, "fr", "head")),
        ("oscar", "fr.jsonl", {"content": "A", "warc_headers": WARC, "metadata": {"identification": {"label": "fr"}}},
         ("A", "u", TIME, None, "fr", None)),
        ("pile", "00.jsonl", {"text": "A", "meta": {"pile_set_name": "PubMed Central"}},
         ("A", None, None, None, None, "PubMed Central")),
        ("slimpajama", "a.jsonl", {"text": "A", "meta": {"redpajama_set_name": "C4"}},
         ("A", None, None, None, None, "C4")),
        ("redpajama", "a.jsonl", {"text": "A", "meta": json.dumps({"url": "u", "timestamp": DAY, "language": "en"})},
         ("A", "u", TIME, None, "en", None)),
        ("redpajama", "a.jsonl", {"text": "A", "meta": {"content_hash": "h", "license": "mit"}},
         ("A", None, None, "mit", None, None)),
        ("refinedweb", "a.parquet", {"content": "A", "url": "u", "timestamp": TIME},
         ("A", "u", TIME, None, "en", None)),
        ("fineweb", "a.parquet", FINE, ("A", "u", TIME, None, "fr", "CC-MAIN-2020-05")),
        ("fineweb_2", "a.parquet", FINE, ("A", "u", TIME, None, "fr", "CC-MAIN-2020-05")),
        ("finepdfs", "a.parquet", FINE | {"page_ends": [1]}, ("A", "u", TIME, None, "fr", "CC-MAIN-2020-05")),
        ("finewiki", "a.parquet", {"text": "A", "id": "frwiki/1", "url": "u", "in_language": "fr", "title": "t"},
         ("A", "u", None, None, "fr", None)),
        ("dolma", "a.json.gz", DOLMA | {"metadata": {"url": "u", "license": "CC-BY-4.0"}},
         ("A", "u", TIME, "CC-BY-4.0", None, "wiki")),
        ("common_pile", "a.json.gz", DOLMA | {"metadata": {"license": "Public Domain"}},
         ("A", None, TIME, "Public Domain", None, "wiki")),
        ("dclm", "a.jsonl", {"text": "A", "url": "u", "metadata": {"WARC-Date": DAY}},
         ("A", "u", TIME, None, "en", None)),
        ("nemotron_cc", "quality=high/kind=actual/kind2=actual/p.jsonl",
         {"text": "A", "warc_record_id": "1", "url": "u"},
         ("A", "u", None, None, "en", "quality=high/kind=actual/kind2=actual")),
        ("hplt", "a.jsonl", {"text": "1ff8\nA", "id": "1", "u": "u", "ts": DAY, "lang": ["fra_Latn", "eng_Latn"]},
         ("A", "u", TIME, None, "fra_Latn", None)),
        ("hplt", "a.parquet", {"text": "A", "id": "1", "u": "u", "ts": DAY, "lang": ["fra_Latn", "eng_Latn"]},
         ("A", "u", TIME, None, "fra_Latn", None)),
        ("culturax", "fr/fr_part_00000.parquet", WEB | {"source": "mC4"}, ("A", "u", TIME, None, "fr", "mC4")),
        ("madlad_400", "data/zh_Latn/zh_Latn_clean_0000.jsonl.gz", {"text": "A\\nB"},
         ("A\nB", None, None, None, "zh_Latn", None)),
        ("stack", "a.parquet",
         {"content": "A", "hexsha": "h", "max_stars_repo_name": "a/b", "lang": "C",
          "max_stars_repo_licenses": ["MIT", "ISC"]},
         ("A", "https://github.com/a/b", None, "MIT AND ISC", None, "C")),
        ("starcoder", "c/train-00000-of-00055.parquet",
         {"content": "<reponame>a/b<filename>x.c<gh_stars>1-10\nint x;", "id": "1", "max_stars_repo_name": "a/b"},
         ("int x;", "https://github.com/a/b", None, None, None, "c")),
        ("cosmopedia", "a.parquet", {"text": "A", "seed_data": "web"}, ("A", None, None, None, "en", "web")),
        ("institutional_books", "a.parquet",
         {"barcode_src": "b", "text_by_page_src": ["p", "q"], "text_by_page_gen": ["P", "Q"], "language_gen": "eng"},
         ("P\n\nQ", None, None, None, "eng", None)),
        ("wikipedia", "20231101.fr/train-00000-of-00017.parquet", {"id": "1", "url": "u", "title": "t", "text": "A"},
         ("A", "u", None, None, "fr", None)),
        ("pg19", "a.parquet", {"short_book_title": "t", "publication_date": 1877, "url": "u", "text": "A"},
         ("A", "u", datetime(1877, 1, 1, tzinfo=UTC), None, "en", None)),
        ("pubmed", "a.parquet", {"article": "A", "abstract": "B"}, ("A", None, None, None, "en", None)),
        ("climbmix", "shard_00001.parquet", {"text": "A"}, ("A", None, None, None, "en", None)),
        ("climbmix", "part_0.detokenized.jsonl", {"cluster_id": 7, "text": "A", "token_count": 1},
         ("A", None, None, None, "en", "7")),
        ("climblab", "a.parquet", {"cluster_id": 7, "text": "A"}, ("A", None, None, None, "en", "7")),
        ("dclm", "a.parquet", {"text": "A", "url": "u", "id": "1"}, ("A", "u", None, None, "en", None)),
        ("essential_web", "data/crawl=CC-MAIN-2013-20/a.parquet",
         {"id": -7, "text": "A", "metadata": {"url": "u", "warc_metadata": {"WARC-Date": DAY}}},
         ("A", "u", TIME, None, "en", "CC-MAIN-2013-20")),
        ("fineweb_2", "deu_Latn/000_00000.parquet", {"text": "A", "url": "u", "dump": "CC-MAIN-2020-05"},
         ("A", "u", None, None, "deu_Latn", "CC-MAIN-2020-05")),
        ("hplt", "sorted/kor_Hang/10_1.jsonl", {"text": "A", "u": "u", "ts": DAY, "doc_scores": [9.7]},
         ("A", "u", TIME, None, "kor_Hang", None)),
        ("ultra_fineweb", "data/ultrafineweb_zh/part-001.parquet", {"content": "A", "score": 0.9, "source": "map"},
         ("A", None, None, None, "zh", "map")),
        ("nemotron_cc_v2", "High-Quality/part_1.parquet", {"id": "1", "text": "A"},
         ("A", None, None, None, None, "High-Quality")),
        ("nemotron_cc_code", "data/a.parquet", {"id": "1", "text": "A"}, ("A", None, None, None, "en", None)),
        ("nemotron_cc_math", "4plus/a.parquet", {"id": "1", "text": "A"}, ("A", None, None, None, "en", "4plus")),
        ("nemotron_code", "Nemotron-Code-Metadata/a.parquet", {"content": "A", "rel_path": "x.c", "commit_id": "c"},
         ("A", None, None, None, None, None)),
        ("nemotron_sft", "Nemotron-SFT-MATH/a.parquet", {"id": "1", "text": "A"},
         ("A", None, None, None, None, "MATH")),
        ("nemotron_specialized", "Nemotron-Pretraining-RQA/a.parquet",
         {"text": "A", "license": "cc-by-4.0", "uuid": "1", "metadata": {"category": "rqa", "models_used": "m"}},
         ("A", None, None, "cc-by-4.0", None, "rqa")),
        ("common_corpus", "a.parquet",
         {"identifier": "1", "text": "A", "license": "CC-By", "language": "French", "collection": "Gallica"},
         ("A", None, None, "CC-By", "French", "Gallica")),
        ("dolma3", "data/common_crawl-games/a.jsonl.gz",
         DOLMA | {"source": None, "metadata": json.dumps({"warc_url": "u"}), "created": None},
         ("A", "u", None, None, "en", "common_crawl-games")),
        ("german_commons", "a.parquet", {"id": "1", "source": "wiki", "text": "A", "license": "CC-BY-SA-4.0"},
         ("A", None, None, "CC-BY-SA-4.0", "de", "wiki")),
        ("kl3m", "a.parquet", {"identifier": "1", "dataset": "usc", "text": "A"},
         ("A", None, None, None, None, "usc")),
        ("smollm", "fineweb-edu-dedup/a.parquet",
         {"text": "A", "id": "1", "metadata": {"url": "u", "date": DAY, "language": "en", "dump": "CC-MAIN-2020-05"}},
         ("A", "u", TIME, None, "en", "CC-MAIN-2020-05")),
        ("txt360", "data/common-crawl/CC-MAIN-2014-10/a.jsonl.gz", {"text": "A", "meta": {"url": "u"}},
         ("A", "u", None, None, None, "common-crawl")),
        ("finemath", "finemath-3plus/a.parquet",
         {"url": "u", "fetch_time": 1, "text": "A", "crawl": "CC-MAIN-2020-05", "language": "en"},
         ("A", "u", None, None, "en", "CC-MAIN-2020-05")),
        ("megamath", "megamath-web/2014/a.parquet", {"text": "A", "url": "u"}, ("A", "u", None, None, "en", "web")),
        ("stack_edu", "Python/a.parquet",
         {"blob_id": "b", "language": "Python", "detected_licenses": ["MIT"], "content": "A"},
         ("A", None, None, "MIT", None, "Python")),
        ("stack_v2", "a.parquet", {"blob_id": "b", "language": "C", "detected_licenses": ["MIT"], "content": "A"},
         ("A", None, None, "MIT", None, "C")),
        ("finephrase", "faq/a.parquet", {"id": "1", "generated": "A"}, ("A", None, None, None, "en", "faq")),
        ("finetranslations", "data/pol_Latn/a.parquet",
         {"id": "1", "og_full_text": "B", "og_language": "pol_Latn", "translated_text": "A", "url": "u"},
         ("A", "u", None, None, "en", "pol_Latn")),
        ("synth", "a.parquet",
         {"synth_id": "1", "query": "Q", "synthetic_reasoning": "R", "synthetic_answer": "A", "language": "fr",
          "query_seed_url": "u", "exercise": "memorization"},
         ("A", "u", None, None, "fr", "memorization")),
    ],
)  # fmt: skip
def test_a_document_of(name: str, file: str, row: dict[str, Any], expected: tuple[Any, ...], tmp_path: Path) -> None:
    (found,), tally = read(name, written(tmp_path / file, [row]))
    columns = ("text", "url", "crawled_at", "licence", "declared_language")
    assert (*(found[column] for column in columns), found["corpus"]["subset"]) == expected
    assert found["drop_reason"] is None
    assert found["corpus"]["synthetic"] == (LAYOUTS[name].synthetic_in == "^")
    assert tally.faults == []


ROWS = next(mark for mark in test_a_document_of.pytestmark if mark.name == "parametrize").args[1]


def test_every_corpus_is_tested() -> None:
    elsewhere = {"cc100", "oscar_2019", "oscar_2109", "openwebtext"}
    assert {row[0] for row in ROWS} | elsewhere == set(LAYOUTS)


@pytest.mark.parametrize(("name", "file", "row"), [row[:3] for row in ROWS])
def test_it_is_known_by_its_folder_and_its_fields(name: str, file: str, row: dict[str, Any], tmp_path: Path) -> None:
    assert inspected(str(written(tmp_path / name.replace("_", "-") / file, [row]))).corpus == name


@pytest.mark.parametrize(
    ("name", "file", "field", "synthetic"),
    [
        ("nemotron_cc", "quality=high/kind=synthetic/kind2=distill/p.jsonl", "text", True),
        ("nemotron_cc_v2", "High-Quality-Synthetic/p.parquet", "text", True),
        ("nemotron_cc_v2", "High-Quality-DQA/p.parquet", "text", True),
        ("nemotron_cc_v2", "Translated-Diverse-QA/p.parquet", "text", True),
        ("nemotron_cc_v2", "Medium-High-Quality-Translated-To-English/p.parquet", "text", True),
        ("nemotron_cc_v2", "Medium-Quality/p.parquet", "text", False),
        ("nemotron_code", "Synthetic-Code/synthetic-rewriting/p.parquet", "content", True),
        ("nemotron_cc_math", "4plus_MIND/p.parquet", "text", True),
        ("dolma3", "data/ingredient1-nemotron-synth-qa/p.jsonl", "text", True),
        ("dolma3", "data/ingredient2-code-meta-reasoning/p.jsonl", "text", True),
        ("dolma3", "data/olmocr_science_pdfs-games/p.jsonl", "text", False),
        ("megamath", "megamath-qa/llama3.3/p.parquet", "text", True),
        ("ultra_fineweb", "data/ultrafineweb_en_l3/qa/p.parquet", "content", True),
        ("ultra_fineweb", "data/ultrafineweb_en/p.parquet", "content", False),
        ("smollm", "cosmopedia-v2/p.parquet", "text", True),
    ],
)
def test_generated_texts_are_told_by_their_path(
    name: str, file: str, field: str, synthetic: bool, tmp_path: Path
) -> None:
    assert read(name, written(tmp_path / file, [{field: "A"}]))[0][0]["corpus"]["synthetic"] is synthetic


def test_a_text_that_its_publisher_took_out_is_dropped(tmp_path: Path) -> None:
    rows = [{"text": "one"}, {"text": "[REMOVED]"}, {"text": " [REMOVED]\n"}, {"text": "what [REMOVED] means"}]
    found, _ = read("dolma3", written(tmp_path / "a.jsonl", rows))
    assert [row["text"] for row in found] == ["one", None, None, "what [REMOVED] means"]
    assert [row["drop_reason"] for row in found] == [None, "extract:removed", "extract:removed", None]


TOKENS = {"cluster_id": 1, "tokens": [15496, 995], "token_count": 2}
BLOBS = {"blob_id": "b", "src_encoding": "UTF-8", "language": "C"}


@pytest.mark.parametrize(
    ("name", "file", "row", "told"),
    [
        ("climbmix", "part_0.tokenized.jsonl", TOKENS, "cluster_id, tokens, token_count: NVIDIA's own edition holds"),
        ("climbmix", "shard_0.tokenized.parquet", TOKENS, "detokenize_climbmix.py that lies in its repository"),
        ("climblab", "a.parquet", TOKENS, "such as OptimalScale/ClimbLab"),
        ("kl3m", "a.parquet", {"identifier": "1", "tokens": [1]}, "the tokenizer alea-institute/kl3m-004-128k-cased"),
        ("stack_v2", "a.parquet", BLOBS, "list blob ids, not texts"),
        ("stack_edu", "a.parquet", BLOBS | {"int_score": 3}, "fetch the contents from Software Heritage by `blob_id`"),
        ("nemotron_code", "a.parquet", {"repo": "a/b", "rel_path": "c", "commit_id": "d"}, "commits and paths, not"),
        ("finephrase", "faq/a.parquet", {"text": "x", "rollout_results": [{"text": "y"}]}, r"rollout_results\[1\]"),
        ("smollm", "a.parquet", {"blob_id": "b", "repo_name": "a/b", "int_score": 3}, "its part python-edu lists"),
        ("fineweb", "a.parquet", {"txt": "A"}, "no field 'text', which is the text in fineweb; it has txt: it is of"),
        ("dolma", "a.jsonl", {"body": "A"}, "no field 'text', which is the text in dolma; it has body: it is of an"),
    ],
)
def test_a_file_without_texts_says_what_to_do(
    name: str, file: str, row: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = written(tmp_path / file, [row])
    with pytest.raises(InputError, match=told):
        Corpus(name=name, paths=()).check([str(path)])
    with pytest.raises(InputError, match=told):
        inspected(str(path), name)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (TOKENS, "it may be of climblab or climbmix: NVIDIA's own"),
        ({"blob_id": "b", "src_encoding": "UTF-8", "int_score": 3}, "it may be of stack_edu: its publisher's"),
        ({"identifier": "1", "tokens": [1]}, "it may be of kl3m: its"),
        ({"tokens": [1]}, ""),
    ],
)
def test_fields_of_an_edition_without_texts(row: dict[str, Any], told: str) -> None:
    assert without_text(row).startswith(told)
    assert bool(without_text(row)) == bool(told)


def test_the_version_and_the_licence_are_told(tmp_path: Path) -> None:
    file = inspected(str(written(tmp_path / "finewiki/a.parquet", [{"text": "A", "id": "1", "in_language": "en"}])))
    assert (file.corpus, file.published) == ("finewiki", "layout as of 8bd13e7; licence CC-BY-SA-4.0")
    assert published(LAYOUTS["nemotron_sft"]) == (
        "layout as of v1 3f1a5b8; licence NVIDIA Data Agreement for Model Training; its publisher asks you to "
        "log in and to accept its terms"
    )
    assert published(LAYOUTS["ccnet"]) == ""


def test_pages_that_are_not_there_are_taken_from_the_scan(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text_by_page_gen": None, "text_by_page_src": ["one", None, "two"]},
        {"text_by_page_gen": ["three"], "text_by_page_src": ["x"]},
        {"text_by_page_gen": None, "text_by_page_src": None},
    ]
    found, tally = read("institutional_books", written(tmp_path / "a.parquet", rows))
    assert [row["text"] for row in found] == ["one\n\n\n\ntwo", "three", None]
    assert found[2]["drop_reason"] == "extract:no_text"
    assert dict(tally.records) == {"lenient.no_field.id": 3, "lenient.no_field.declared_language": 3}


def test_a_year_is_no_chunk_size_within_a_text(tmp_path: Path) -> None:
    rows = [{"text": "ab\ntwo"}, {"text": "A\n1ff8\n"}, {"text": "1ff8\nA"}, {"text": "1ff8 people"}]
    found, tally = read("hplt", written(tmp_path / "a.jsonl", rows))
    assert [row["text"] for row in found] == ["ab\ntwo", "A\n1ff8\n", "A", "1ff8 people"]
    assert dict(tally.records) == {"lenient.prefix": 1}


@pytest.mark.parametrize("name", ["cc100", "oscar_2019"])
def test_a_blank_line_ends_a_document(name: str, tmp_path: Path) -> None:
    path = tmp_path / "zh-Hans.txt.xz"
    path.write_bytes(lzma.compress("\none\ntwo\n\n\n \nthrée\r\n\r\nfour".encode()))
    found, tally = read(name, path)
    assert [row["text"] for row in found] == ["one\ntwo", "thrée", "four"]
    assert {row["declared_language"] for row in found} == {"zh-Hans"}
    assert [row["origin_offset"] for row in found] == [1, 13, 23]
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_a_text_that_is_too_long_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text("one\n\n" + "long line\n" * 100 + "\ntwo")
    found, _ = read("cc100", path, max_document_bytes=100)
    assert [(row["text"], row["drop_reason"]) for row in found] == [
        ("one", None),
        (None, "extract:too_many_bytes"),
        ("two", None),
    ]


def test_a_text_file_that_is_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "en.txt.xz"
    path.write_bytes(lzma.compress(b"".join(b"text %d\n\n" % number for number in range(10_000)))[:-40])
    found, tally = read("cc100", path)
    assert found[0]["text"] == "text 0"
    assert [fault["error"] for fault in tally.faults] == ["xz stream is cut short by the end of the file"]


def beside(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "fr_part_1.txt.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\n\nthree\n\nfour\n"))
    written(folder / "fr_meta_part_1.jsonl.gz", rows)
    return path


def test_metadata_beside_texts(tmp_path: Path) -> None:
    rows = [{"headers": WARC, "offset": 0, "nb_sentences": lines} for lines in (2, 1, 1)]
    found, tally = read("oscar_2109", beside(tmp_path, rows))
    assert [(row["url"], row["crawled_at"], row["declared_language"]) for row in found] == [("u", TIME, "fr")] * 3
    assert (dict(+tally.records), tally.faults) == ({}, [])
    units = Corpus(name="oscar_2109", paths=()).split(list_files(str(tmp_path)), group_bytes=1, split_bytes=1)
    assert [Path(piece.path).name for unit in units for piece in unit] == ["fr_part_1.txt.gz"]


@pytest.mark.parametrize(
    ("lines", "known", "error"),
    [
        pytest.param([2, 7, 1], [True, False, False], "is not of the text", id="of other texts"),
        pytest.param([2, 1], [True, True, False], "is not of the text", id="shorter"),
        pytest.param([2, 1, 1, 1], [True, True, True], "more texts", id="longer"),
    ],
)
def test_metadata_that_does_not_fit(lines: list[int], known: list[bool], error: str, tmp_path: Path) -> None:
    rows = [{"headers": WARC, "nb_sentences": number} for number in lines]
    found, tally = read("oscar_2109", beside(tmp_path, rows))
    assert [row["url"] is not None for row in found] == known
    assert tally.records["lenient.sidecar"] == known.count(False)
    assert error in str(tally.faults[0]["error"])


def test_missing_metadata_is_refused_before_work(tmp_path: Path) -> None:
    path = beside(tmp_path, [])
    (tmp_path / "fr_meta_part_1.jsonl.gz").unlink()
    with pytest.raises(InputError, match=r"metadata in .*fr_meta_part_1\.jsonl\.gz, which is not there"):
        Corpus(name="oscar_2109", paths=()).check([str(path)])


def tar(files: dict[str, bytes], *links: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for link in links:
            member = tarfile.TarInfo(link)
            member.type = tarfile.SYMTYPE
            member.linkname = "/etc/passwd"
            archive.addfile(member)
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def test_a_tar_of_compressed_tars(tmp_path: Path) -> None:
    path = tmp_path / "openwebtext.tar.xz"
    inner = [tar({f"000{n}.txt": f"text {n}".encode(), "../../out.txt": b"outside"}, "link.txt") for n in range(2)]
    whole = tar({f"openwebtext/urlsf_{n}_data.xz": lzma.compress(one) for n, one in enumerate(inner)})
    path.write_bytes(lzma.compress(whole))
    found, tally = read("openwebtext", path)
    assert [row["text"] for row in found] == ["text 0", "outside", "text 1", "outside"]
    assert dict(tally.records) == {"skipped.not_a_file": 2}
    assert [file.name for file in tmp_path.rglob("*")] == ["openwebtext.tar.xz"]


def test_a_damaged_archive_within_another_costs_what_is_after_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    first = lzma.compress(tar({"a.txt": b"a", "b.txt": bytes(range(256)) * 1000}))
    path.write_bytes(tar({"1.xz": first[:-100], "2.xz": lzma.compress(tar({"c.txt": b"c"}))}))
    found, tally = read("openwebtext", path)
    assert [row["text"] for row in found][-1] == "c"
    assert tally.faults


def test_what_cannot_be_read_is_one_line() -> None:
    with pytest.raises(ValueError, match="no corpus named 'dolma2'; did you mean 'dolma'"):
        Corpus(name="dolma2", paths=())


def test_parquet_without_the_text_is_refused_before_work(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [{"txt": "A"}])
    with pytest.raises(InputError, match=r"has no field 'text', which is the text in fineweb; it has txt: it is of"):
        list(Corpus(name="fineweb", paths=()).read([Piece(str(path), name="a")], "s", ReadTally()))


def test_a_file_that_is_neither_texts_nor_metadata_is_refused(tmp_path: Path) -> None:
    paths = [str(beside(tmp_path, [])), str(tmp_path / "fr_meta_part_1.jsonl.gz"), str(tmp_path / "notes.md")]
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError, match=r"notes\.md is not named as a file of texts"):
        Corpus(name="oscar_2109", paths=()).check(paths)
