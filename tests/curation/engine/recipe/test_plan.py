"""The plan refuses, before any work, what cannot work: order, columns, rules that cannot fire, missing assets."""

import subprocess
import sys
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse

HEAD = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
"""
READ_MORE = "  code:\n    - read: {jsonl: {paths: [b.jsonl]}}\n"


TWICE = "    - filter: {gopher_quality: {}}\n      name: a\n    - filter: {gopher_repetition: {}}\n      name: a\n"


def planned(rest: str) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(node.name, node.verb.name, node.upstream) for node in build_plan(parse(HEAD + rest, "m"))]


def test_chain() -> None:
    rest = "    - filter: {gopher_quality: {}}\n    - fit: {tokenizer: {}}\n    - tokenize: {tokenizer: '@tokenizer'}\n"
    assert planned(rest + "    - pack: {}\n    - mix: {}\n") == [
        ("read", "read", ()),
        ("gopher_quality", "filter", (0,)),
        ("tokenizer", "fit", (1,)),
        ("tokenize", "tokenize", (1,)),
        ("pack", "pack", (3,)),
        ("mix", "mix", (4,)),
    ]


def test_joined_sources() -> None:
    rest = "    - filter: {gopher_quality: {}}\n" + READ_MORE + "joined:\n  - dedup: exact\n"
    assert planned(rest) == [
        ("docs-read", "read", ()),
        ("docs-gopher_quality", "filter", (0,)),
        ("code-read", "read", ()),
        ("dedup", "dedup", (1, 2)),
    ]


def test_the_last_stage_of_documents_ends_a_chain() -> None:
    """Stages that pack or learn do not count."""
    rest = "    - filter: {gopher_quality: {}}\n" + READ_MORE + "joined:\n  - dedup: exact\n  - fit: {tokenizer: {}}\n"
    tokens = "  - tokenize: {tokenizer: '@tokenizer'}\n  - pack: {}\n"
    assert [node.name for node in build_plan(parse(HEAD + rest, "m")) if node.last] == ["dedup"]
    assert [node.name for node in build_plan(parse(HEAD + rest + tokens, "m")) if node.last] == ["tokenize"]


def test_a_joined_stage_has_the_columns_that_all_have() -> None:
    rest = "    - filter: {gopher_quality: {}}\n" + READ_MORE + "joined:\n  - dedup: exact\n"
    schema = build_plan(parse(HEAD + rest, "m"))[-1].schema
    assert schema is not None
    assert "gopher_quality" not in schema.names
    assert {"text", "exact", "drop_reason"} <= set(schema.names)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("    - extract: {resiliparse: {}}", "jsonl yields text already: remove this extract"),
        ("    - pack: {}", "m:6: sources.docs.1: pack reads tokens: put it right after tokenize"),
        pytest.param("    - mix: {}", "mix reads packed rows: put it right after pack", id="mix"),
        pytest.param("    - read: {jsonl: {paths: [b]}}", "read stands only at the beginning of a source", id="read"),
        pytest.param(TWICE, "two stages are called 'a'", id="twice"),
        pytest.param(
            "    - filter: {gopher_quality: {}}\n    - filter: {gopher_quality: {}}\n      name: b",
            "m:7: sources.docs.2.filter.gopher_quality: already ran in this chain",
            id="column twice",
        ),
        pytest.param("    - filter: {gopher_quality: {max_words: .inf}}", "whole number", id="no integer"),
        pytest.param(
            "    - filter: {gopher_quality: {max_hashes_per_word: .inf}}",
            "the limit on hashes_per_word can never drop a document",
            id="no limit",
        ),
        pytest.param("    - tokenize: {tokenizer: '@bpe'}", "no fit stage before named 'bpe'", id="no fit"),
        pytest.param("    - tokenize: {tokenizer: none.json}", "none.json", id="no tokenizer file"),
        pytest.param("    - filter: {language: {model: /none.ftz, languages: [en]}}", "/none.ftz", id="no model file"),
        pytest.param(
            "    - tokenize: {tokenizer: none.json, validation_by_source: {dogs: 0.5}}",
            "validation_by_source.dogs: no source 'dogs'; did you mean 'docs'",
            id="validation of no source",
        ),
        pytest.param(
            "    - tokenize: {tokenizer: none.json, validation: 0.1, validation_by_source: {docs: 0.5}}",
            "validation: it has no effect, as validation_by_source has a share for every source",
            id="validation of no source that is left",
        ),
        pytest.param(
            "    - tokenize: {tokenizer: none.json, validation_by_source: {code: 0.5}}\n" + READ_MORE,
            "validation_by_source.code: no source 'code' in this chain",
            id="validation of another chain",
        ),
        pytest.param(READ_MORE, "several sources need a `joined` chain", id="no joined"),
        (
            "    - filter: {gopher_repetition: {max_duplicate_lines: 30}}\n",
            "m:6: sources.docs.1.filter.gopher_repetition.max_duplicate_lines: 30 is impossible",
        ),
        ("    - filter: {gopher_quality: {min_words: 9, max_words: 5}}\n", "min_words: 9 is above max_words 5"),
    ],
)
def test_refusals(rest: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        planned(rest)
    assert message in str(caught.value)
    assert str(caught.value).startswith("m:")


def test_every_source_without_paths_is_named_at_once_with_what_makes_some() -> None:
    recipe = """
version: 1
sources:
  web: [read: {warc: {paths: []}}, extract: {resiliparse: {}}]
  books: [read: {jsonl: {paths: [a.jsonl]}}]
  news: [read: {warc: {paths: []}}, extract: {resiliparse: {}}]
joined: [dedup: {exact: {}}]
"""
    with pytest.raises(RecipeError) as caught:
        build_plan(parse(recipe, "m"))
    given = "no paths: give them here or with --input web='crawl/*.warc.gz' --input news='crawl/*.warc.gz'; no archives"
    assert str(caught.value).startswith(f"m:4: sources.web.0.read.warc: {given}")
    assert "wget --mirror --warc-file=crawl" in str(caught.value)


def test_an_unknown_column_is_named_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from curation.filters.gopher_quality import GopherQuality

    monkeypatch.setattr(GopherQuality, "reads", ("texts",))
    with pytest.raises(RecipeError, match=r"reads column 'texts', which no stage before makes; did you mean 'text'"):
        planned("    - filter: {gopher_quality: {}}")


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ("gopher_quality: {by_language: {de: {min_words: 9}}}", '"- filter: {language: …}" before it'),
        pytest.param("refinedweb_quality: {}", '"- rewrite: {refinedweb_lines: …}" before it', id="rewrite"),
    ],
)
def test_a_missing_column_is_named_with_the_stage_that_makes_it(rest: str, hint: str) -> None:
    with pytest.raises(RecipeError) as caught:
        planned(f"    - filter: {{{rest}}}")
    assert f"which no stage before makes; put a stage {hint}" in str(caught.value)
    assert "did you mean" not in str(caught.value)


FOUR = """
version: 1
sources:
  web: [read: {jsonl: {paths: [a]}}, filter: {language: {}}]
  books: [read: {jsonl: {paths: [b]}}, filter: {language: {}}, dedup: {exact: {}}]
  code: [read: {jsonl: {paths: [c]}}]
  maths: [read: {jsonl: {paths: [d]}}, filter: {language: {}}]
joined:
  - rewrite: {unicode: {}}
  - %s
"""


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        pytest.param(
            "rewrite: {pii: {}}",
            "m:10: joined.1.rewrite.pii: reads column 'language', which the source code lacks, unlike web, books, "
            'maths; put a stage "- filter: {language: …}" there too, or give it `language: {code: …}`',
            id="rewriter",
        ),
        pytest.param(
            "filter: {gopher_quality: {by_language: {de: {min_words: 9}}}}",
            "m:10: joined.1.filter.gopher_quality: reads column 'language', which the source code lacks, unlike web, "
            'books, maths; put a stage "- filter: {language: …}" there too',
            id="filter",
        ),
        pytest.param(
            "fit: {tokenizer: {sample_by: language.label}}",
            "m:10: joined.1.fit.tokenizer.sample_by: no column 'language', which "
            "the source code lacks, unlike web, books, maths",
            id="fit",
        ),
        pytest.param(
            "fit: {tokenizer: {}}\n"
            "  - tokenize: {tokenizer: '@tokenizer'}\n  - pack: {split_by: {column: language.label}}",
            "m:12: joined.3.pack.split_by: no column 'language', which the source code lacks, unlike web, books, maths",
            id="pack",
        ),
        pytest.param(
            "filter: {text_left: {}}",
            "m:10: joined.1.filter.text_left: reads column 'cut_spans', which no stage before makes; put a stage "
            '"- rewrite: {cut_spans: …}" before it',
            id="that no source has",
        ),
    ],
)
def test_a_column_that_some_sources_have_is_missed_by_source(stage: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        build_plan(parse(FOUR % stage, "m"))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", None),
        ("{code: en}", None),
        ("{web: en, code: en}", None),
        ("{web: en}", "column 'language' is not there for code; add `code: …`"),
        ("{cod: en}", "no source 'cod' here; did you mean 'code'?"),
    ],
)
def test_an_option_by_source_stands_in_for_a_column(language: str, message: str | None) -> None:
    recipe = parse(FOUR % f"rewrite: {{pii: {{language: {language}}}}}", "m")
    if message is None:
        build_plan(recipe)
        return
    with pytest.raises(RecipeError) as caught:
        build_plan(recipe)
    assert message in str(caught.value)


ALL_BUT_DEDUP = """
version: 1
sources:
  web:
    - read: {warc: {paths: [crawl.warc.gz]}}
    - extract:
        cascade:
          first: resiliparse
          judge: {language: {languages: [en], min_score: 0.4}, gopher_quality: {min_words: 30}}
          then: trafilatura
    - rewrite: {unicode: {}}
    - filter: {language: {languages: [en]}, url_blocklist: {}, licence_policy: {}}
    - filter: {gopher_quality: {by_language: shipped}, gopher_repetition: {}, toxicity: {}, page_prose: {}}
    - rewrite: {c4_lines: {}}
    - filter: {c4_quality: {from_lines: true}, fineweb_quality: {}, code_quality: {}}
    - rewrite: {refinedweb_lines: {}}
    - filter: {refinedweb_quality: {}}
    - rewrite: {secrets: {}}
    - rewrite: {pii: {}}
    - fit: {unigrams: {}}
    - filter: {unigram_divergence: {reference: "@unigrams"}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer"}
    - pack: {}
    - mix: {}
"""
PLAN = """
import sys

from curation.text.kernels.compiler.kernel import Kernel

def load(kernel):
    raise AssertionError(f"a plan loads {kernel.function.__module__}.{kernel.function.__name__}")

Kernel._load = load
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse

print(len(build_plan(parse(open(sys.argv[1]).read(), "recipe.yaml"))))
assert "ray" not in sys.modules
"""


def test_a_plan_loads_no_kernel(tmp_path: Path) -> None:
    """In a process of its own, since other tests have loaded kernels in this one."""
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(ALL_BUT_DEDUP)
    made = subprocess.run([sys.executable, "-c", PLAN, str(recipe)], capture_output=True, text=True, check=False)
    assert (made.stdout, made.stderr) == ("16\n", "")
