"""Corpora of web pages."""

from collections.abc import Mapping

from curation.sources.corpora.layout import CC0, LANGUAGE_AND_SCRIPT, ODC_BY, OF_CRAWL, CorpusLayout, fields

# The whole first line of a text is the size of a chunk of HTTP's chunked encoding: 3 to 6 hexadecimal digits.
CHUNK_SIZE = r"\A[0-9a-fA-F]{3,6}[ \t]*\r?\n"
TEXT_FILE = r"(?:^|/)([a-z]{2,3}(?:[-_][A-Za-z]+)??)(?:_dedup)?(?:_part_\d+)?\.txt"
_GPT_2 = (
    "NVIDIA's own edition holds token ids of GPT-2 (`tokens`): turn them into texts with the {script} that lies in its "
    "repository, or take an edition of texts, such as {others}"
)
_CCNET = fields(
    "raw_content", id="digest", url="url", crawled_at="date_download", declared_language="language", subset="bucket"
)
_FINEWEB = fields(id="id", url="url", crawled_at="date", declared_language="language", subset="dump")
_WEB = fields(url="url", crawled_at="timestamp")

WEB: Mapping[str, CorpusLayout] = {
    "c4": CorpusLayout(forms=("jsonl",), fields=_WEB, language="en", licence=ODC_BY),
    "ccnet": CorpusLayout(forms=("jsonl",), fields=_CCNET),
    "cc100": CorpusLayout(forms=("text",), fields=fields(), language_in=TEXT_FILE, licence=OF_CRAWL),
    "climblab": CorpusLayout(
        forms=("parquet", "jsonl"),
        fields=fields(subset="cluster_id"),
        language="en",
        verified="publisher",
        version="2025-02",
        licence="CC-BY-NC-4.0",
        without_text=_GPT_2.format(script="detokenize_climblab.py", others="OptimalScale/ClimbLab"),
        marks=("tokens", "token_count"),
    ),
    "climbmix": CorpusLayout(
        forms=("parquet", "jsonl"),
        fields=fields(subset="cluster_id"),
        language="en",
        verified="rows",
        version="Nemotron-ClimbMix of 2026-07-31",
        licence="CC-BY-NC-4.0",
        without_text=_GPT_2.format(
            script="detokenize_climbmix.py",
            others="karpathy/climbmix-400b-shuffle or OptimalScale/ClimbMix",
        ),
        marks=("tokens", "token_count"),
    ),
    "culturax": CorpusLayout(
        fields=fields(url="url", crawled_at="timestamp", subset="source"),
        language_in=r"(?:^|/)([a-z]{2,3})_part_\d+\.",
        licence=f"{ODC_BY} (mC4) and {CC0} (OSCAR)",
        gated=True,
    ),
    "dclm": CorpusLayout(
        forms=("jsonl", "parquet"),
        fields=fields(
            id="id|metadata.WARC-Record-ID",
            url="url|metadata.WARC-Target-URI",
            crawled_at="metadata.WARC-Date",
        ),
        language="en",
        verified="rows",
        version="baseline-1.0-parquet 817d675, 100BT 01022d3",
        licence="CC-BY-4.0",
    ),
    "essential_web": CorpusLayout(
        fields=fields(id="id", url="metadata.url", crawled_at="metadata.warc_metadata.WARC-Date"),
        language="en",
        subset_in=r"(?:^|/)crawl=(CC-MAIN-\d{4}-\d{2})(?:/|$)",
        verified="publisher",
        version="v1.0 ce4eccc",
        licence=ODC_BY,
    ),
    "fineweb": CorpusLayout(fields=_FINEWEB, verified="rows", version="edu 87f0914", licence=ODC_BY),
    "fineweb_2": CorpusLayout(
        fields=_FINEWEB,
        language_in=LANGUAGE_AND_SCRIPT,
        verified="publisher",
        version="2.1.1, HQ c0c06e9",
        licence=ODC_BY,
    ),
    "hplt": CorpusLayout(
        forms=("jsonl", "parquet"),
        fields=fields(id="id", url="u", crawled_at="ts", declared_language="lang"),
        language_in=LANGUAGE_AND_SCRIPT,
        prefix=CHUNK_SIZE,
        verified="publisher",
        version="2.0; 3.0 of 2025-08 has its fields, as far as is known",
        licence=f"{CC0}, of the packaging",
    ),
    "madlad_400": CorpusLayout(
        forms=("jsonl",),
        fields=fields(),
        language_in=r"(?:^|/)([a-z]{2,3}(?:_[A-Za-z]+)?)_(?:clean|noisy)_",
        escaped=True,
        licence=ODC_BY,
    ),
    "mc4": CorpusLayout(
        forms=("jsonl",),
        fields=_WEB,
        language_in=r"(?:^|/)c4-([a-z]{2,3}(?:-[A-Za-z]+)?)(?:-validation)?\.",
        licence=ODC_BY,
    ),
    "nemotron_cc": CorpusLayout(
        forms=("jsonl",),
        fields=fields(id="warc_record_id", url="url"),
        language="en",
        subset_in=r"(quality=[^/]+(?:/kind2?=[^/]+)*)",
        synthetic_in=r"(?:^|/)kind=synthetic(?:/|$)",
        verified="publisher",
        version="1.0",
        licence=OF_CRAWL,
    ),
    "nemotron_cc_v2": CorpusLayout(
        fields=fields(id="id"),
        subset_in=r"(?:^|/)((?:High|Medium|Medium-High)-Quality[\w-]*|(?:Translated-)?Diverse-QA)/",
        synthetic_in=r"(?:^|/)[\w-]*(?:Diverse-QA|-DQA|-Synthetic|-Translated-To-English)/",
        verified="rows",
        version="v2 229a2e7, v2.1 ba6f2aa",
        licence="NVIDIA Data Agreement for Model Training",
        gated=True,
    ),
    "openwebtext": CorpusLayout(forms=("tar",), fields=fields(id="name"), language="en", licence=CC0),
    "oscar": CorpusLayout(
        forms=("jsonl",),
        fields=fields(
            "content",
            id="warc_headers.warc-record-id",
            url="warc_headers.warc-target-uri",
            crawled_at="warc_headers.warc-date",
            declared_language="metadata.identification.label",
        ),
        licence=f"{CC0}, of the packaging",
        gated=True,
    ),
    "oscar_2019": CorpusLayout(
        forms=("text",), fields=fields(), language_in=TEXT_FILE, licence=f"{CC0}, of the packaging"
    ),
    "oscar_2109": CorpusLayout(
        forms=("text",),
        fields=fields(id="headers.warc-record-id", url="headers.warc-target-uri", crawled_at="headers.warc-date"),
        language_in=TEXT_FILE,
        sidecar=True,
        licence=f"{CC0}, of the packaging",
        gated=True,
    ),
    "redpajama_2": CorpusLayout(
        forms=("jsonl",),
        fields=_CCNET,
        language_in=r"(?:^|/)([a-z]{2})_(?:head|middle|tail)\.",
        licence=OF_CRAWL,
    ),
    "refinedweb": CorpusLayout(
        fields=fields("content", url="url", crawled_at="timestamp"), language="en", licence=ODC_BY
    ),
    "ultra_fineweb": CorpusLayout(
        fields=fields("content", id="uid", subset="source|style"),
        language_in=r"ultrafineweb[-_](en|zh)(?![a-z])",
        synthetic_in=r"ultrafineweb[-_](?:en|zh)[-_]l3(?![a-z0-9])",
        verified="rows",
        version="02c8564; L3 of 2026",
        licence="Apache-2.0",
    ),
}
