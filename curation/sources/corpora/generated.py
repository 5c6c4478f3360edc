"""Corpora that models wrote."""

from collections.abc import Mapping

from curation.sources.corpora.layout import ODC_BY, CorpusLayout, fields

_ROLLOUT = (
    "its `text` is the page of FineWeb-Edu that a model put into other words, and these are in lists: write them into "
    'a column, as `duckdb -c "COPY (SELECT * EXCLUDE (text, rollout_results), rollout_results[1].text AS generated '
    "FROM 'x.parquet') TO 'y.parquet'\"` does"
)

GENERATED: Mapping[str, CorpusLayout] = {
    "cosmopedia": CorpusLayout(
        fields=fields(subset="seed_data"), language="en", synthetic_in="^", verified="rows", licence="Apache-2.0"
    ),
    "finephrase": CorpusLayout(
        fields=fields("generated", id="id"),
        language="en",
        subset_in=r"(?:^|/)(faq|math|table|tutorial)/",
        synthetic_in="^",
        verified="rows",
        version="78cf4a5",
        licence=ODC_BY,
        without_text=_ROLLOUT,
        marks=("rollout_results",),
    ),
    "finetranslations": CorpusLayout(
        fields=fields("translated_text", id="id", url="url", subset="og_language"),
        language="en",
        synthetic_in="^",
        verified="rows",
        licence=ODC_BY,
    ),
    "nemotron_sft": CorpusLayout(
        fields=fields(id="id"),
        subset_in=r"(?:^|/)Nemotron-SFT-(Code|General|MATH)/",
        synthetic_in="^",
        verified="rows",
        version="v1 3f1a5b8",
        licence="NVIDIA Data Agreement for Model Training",
        gated=True,
    ),
    "nemotron_specialized": CorpusLayout(
        fields=fields(id="uuid", licence="license", subset="metadata.category"),
        subset_in=r"(?:^|/)Nemotron-Pretraining-([\w-]+)/",
        synthetic_in="^",
        verified="rows",
        version="v1 9ed3718, v1.1 13fa979, v1.2 807afc1",
        licence="CC-BY-4.0, parts CC-BY-SA-4.0 and GFDL-1.3",
    ),
    "synth": CorpusLayout(
        fields=fields(
            "synthetic_answer", id="synth_id", url="query_seed_url", declared_language="language", subset="exercise"
        ),
        synthetic_in="^",
        version="0d6813a",
    ),
}
