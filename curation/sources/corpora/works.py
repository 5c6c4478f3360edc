"""Corpora of books, papers, PDF files, encyclopedias and mathematics."""

from collections.abc import Mapping

from curation.sources.corpora.layout import LANGUAGE_AND_SCRIPT, ODC_BY, CorpusLayout, fields

WORKS: Mapping[str, CorpusLayout] = {
    "finemath": CorpusLayout(
        fields=fields(url="url", declared_language="language", subset="crawl"),
        language="en",
        verified="rows",
        version="e92b25a",
        licence=ODC_BY,
    ),
    "finepdfs": CorpusLayout(
        fields=fields(id="id", url="url", crawled_at="date", declared_language="language", subset="dump"),
        language_in=LANGUAGE_AND_SCRIPT,
        verified="rows",
        version="89f5411, edu 9cfabe2",
        licence=ODC_BY,
    ),
    "finewiki": CorpusLayout(
        fields=fields(id="id", url="url", declared_language="in_language"),
        verified="rows",
        version="8bd13e7",
        licence="CC-BY-SA-4.0",
    ),
    "institutional_books": CorpusLayout(
        fields=fields(
            "text_by_page_gen|text_by_page_src", id="barcode_src", declared_language="language_gen|language_src"
        ),
        verified="publisher",
        version="1.0 d2f504a",
        licence="the Institutional Data Initiative's terms of use",
        gated=True,
    ),
    "megamath": CorpusLayout(
        fields=fields(url="url"),
        language="en",
        subset_in=r"(?:^|/)megamath-([a-z-]+)/",
        synthetic_in=r"(?:^|/)megamath-(?:qa|translated-code|text-code-block|web-pro)/",
        version="3cbc646",
        licence=ODC_BY,
    ),
    "nemotron_cc_math": CorpusLayout(
        fields=fields(id="id"),
        language="en",
        subset_in=r"(?:^|/)(3|4plus|4plus_MIND)/",
        synthetic_in=r"(?:^|/)4plus_MIND/",
        version="397a250",
        licence="NVIDIA's own",
        gated=True,
    ),
    "pg19": CorpusLayout(
        fields=fields(id="short_book_title", url="url", crawled_at="publication_date"),
        language="en",
        years=True,
        licence="Apache-2.0",
    ),
    "pubmed": CorpusLayout(
        forms=("parquet", "jsonl"), fields=fields("article|contents|text", id="PMID|id|article_id"), language="en"
    ),
    "wikipedia": CorpusLayout(
        fields=fields(id="id", url="url"),
        language_in=r"(?:^|/)\d{8}\.([a-z]{2,12}(?:-[a-z-]+)?)/",
        licence="CC-BY-SA-3.0 and GFDL",
    ),
}
