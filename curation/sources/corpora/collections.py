"""Collections of many sources."""

from collections.abc import Mapping

from curation.sources.corpora.layout import ODC_BY, OF_PARTS, CorpusLayout, fields

_DOLMA = fields(id="id", url="metadata.url", crawled_at="created", licence="metadata.license|license", subset="source")
# Folders of Dolma 3's pools whose texts a model wrote or put into other words.
_DOLMINO = (
    r"(?:synth|meta[-_]reasoning|reasoning[-_](?:mix|traces)|rewrite|crane(?:code|math)|megamatt|flashcards|to_rcqa|"
    r"verifiable)"
)

COLLECTIONS: Mapping[str, CorpusLayout] = {
    "common_corpus": CorpusLayout(
        fields=fields(id="identifier", licence="license", declared_language="language", subset="collection"),
        version="307910e",
        licence=OF_PARTS,
    ),
    "common_pile": CorpusLayout(
        forms=("jsonl",),
        fields=_DOLMA,
        verified="rows",
        version="v0.1, its Comma training set 5afc546",
        licence=OF_PARTS,
    ),
    "dolma": CorpusLayout(forms=("jsonl",), fields=_DOLMA, verified="rows", version="v1 to v1.7", licence=ODC_BY),
    "dolma3": CorpusLayout(
        forms=("jsonl",),
        fields={
            **_DOLMA,
            "url": "metadata.url|metadata.WARC-Target-URI|metadata.warc_url",
            "crawled_at": "created|metadata.WARC-Date",
        },
        language="en",
        subset_in=r"(?:^|/)data/([^/]+)/",
        synthetic_in=rf"(?:^|/)data/[^/]*{_DOLMINO}",
        placeholder="[REMOVED]",
        verified="publisher",
        version="mix-6T 689a3ea, pool 6462556, dolmino_pool 091589c, longmino_pool bb78287",
        licence=ODC_BY,
    ),
    "german_commons": CorpusLayout(
        fields=fields(id="id", licence="license", subset="source"), language="de", licence=f"{OF_PARTS}, {ODC_BY}"
    ),
    "kl3m": CorpusLayout(
        fields=fields(id="identifier", subset="dataset"),
        verified="rows",
        licence="CC-BY-4.0",
        without_text="its publisher's files hold token ids (`tokens`): turn them into texts with the tokenizer "
        "alea-institute/kl3m-004-128k-cased, and write these into a column `text`",
        marks=("tokens", "identifier"),
    ),
    "pile": CorpusLayout(forms=("jsonl", "parquet"), fields=fields(subset="meta.pile_set_name"), licence=OF_PARTS),
    "redpajama": CorpusLayout(
        forms=("jsonl", "parquet"),
        fields=fields(
            id="meta.content_hash|meta.arxiv_id",
            url="meta.url",
            crawled_at="meta.timestamp",
            licence="meta.license",
            declared_language="meta.language",
            subset="red_pajama_subset|meta.source|source",
        ),
        licence=OF_PARTS,
    ),
    "slimpajama": CorpusLayout(
        forms=("jsonl", "parquet"), fields=fields(subset="meta.redpajama_set_name"), licence=OF_PARTS
    ),
    "smollm": CorpusLayout(
        fields=fields(
            id="id",
            url="metadata.url",
            crawled_at="metadata.date",
            declared_language="metadata.language",
            subset="seed_data|metadata.dump",
        ),
        language="en",
        synthetic_in="cosmopedia",
        verified="rows",
        licence=ODC_BY,
        without_text="its part python-edu lists blob ids, not texts: fetch the contents from Software Heritage by "
        "`blob_id`, and write them into a column `text`",
        marks=("blob_id", "repo_name", "int_score"),
    ),
    "txt360": CorpusLayout(
        forms=("jsonl",),
        fields=fields(url="meta.url"),
        subset_in=r"(?:^|/)data/([^/]+)/",
        licence=ODC_BY,
    ),
}
