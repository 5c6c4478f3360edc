"""Corpora of programs."""

from collections.abc import Mapping

from curation.sources.corpora.layout import GITHUB, ODC_BY, OF_FILES, CorpusLayout, fields

REPOSITORY = r"\A(?:<reponame>[^<\n]*)?(?:<filename>[^<\n]*)?(?:<gh_stars>[^<\n]*)?\n?"
_BLOBS = (
    "its publisher's files list blob ids, not texts: fetch the contents from Software Heritage by `blob_id` and "
    "`src_encoding`, and write them into a column `content`"
)
_NEMOTRON = (
    "Nemotron-Code-Metadata lists repositories, commits and paths, not texts: fetch the files and write them into a "
    "column `content`; the folders Synthetic-Code have texts"
)

PROGRAMS: Mapping[str, CorpusLayout] = {
    "nemotron_cc_code": CorpusLayout(
        fields=fields(id="id"),
        language="en",
        version="5c5bebc",
        licence="NVIDIA Data Agreement for Model Training",
        gated=True,
    ),
    "nemotron_code": CorpusLayout(
        fields=fields("content|text", id="id"),
        subset_in=r"(?:^|/)Synthetic-Code/([a-z-]+)/",
        synthetic_in=r"(?:^|/)Synthetic-Code/",
        verified="rows",
        version="v1 01393d3, v2 7b1a453",
        licence="NVIDIA Data Agreement for Model Training",
        gated=True,
        without_text=_NEMOTRON,
        marks=("rel_path", "commit_id"),
    ),
    "stack": CorpusLayout(
        fields=fields(
            "content",
            id="hexsha|id",
            url="max_stars_repo_name",
            licence="max_stars_repo_licenses",
            subset="lang",
        ),
        url_begins=GITHUB,
        licence=OF_FILES,
        gated=True,
    ),
    "stack_edu": CorpusLayout(
        fields=fields("content|text", id="blob_id", licence="detected_licenses", subset="language"),
        verified="rows",
        licence=ODC_BY,
        without_text=_BLOBS,
        marks=("blob_id", "src_encoding", "int_score"),
    ),
    "stack_v2": CorpusLayout(
        fields=fields("content", id="blob_id", licence="detected_licenses", subset="language"),
        licence=OF_FILES,
        gated=True,
        without_text=_BLOBS,
        marks=("blob_id", "src_encoding"),
    ),
    "starcoder": CorpusLayout(
        fields=fields("content", id="id", url="max_stars_repo_name"),
        subset_in=r"(?:^|/)([\w+-]+)/train-\d+-of-\d+\.",
        prefix=REPOSITORY,
        url_begins=GITHUB,
        licence=OF_FILES,
        gated=True,
    ),
}
