"""The registered domains with most documents of a run, found in bounded memory.

Source: Misra and Gries 1982, "Finding repeated elements"; Agarwal et al. 2012, "Mergeable summaries": whenever the
table is full, the count in its middle is subtracted from all. A domain with more than 2 / HELD of all documents is
never lost.
"""

from collections import Counter

import pyarrow as pa

from curation.account.sealed.run_folder import RunFolder
from curation.core.composed import read_rows
from curation.models.lists import public_suffixes
from curation.text.urls.parse import Urls, parse_urls

DOMAINS = 1000  # compared, those with most documents
HELD = 1 << 18  # at a time
NONE = "(none)"  # an address without a registered domain: none at all, an IP address, or a public suffix


def domains_of(urls: Urls) -> pa.Array:
    """string[N]: registered domains, null for none."""
    return public_suffixes.load(public_suffixes.EMBEDDED).registered(urls)


def largest_domains(run: RunFolder) -> list[str]:
    """At most DOMAINS, those with most documents first, ties by name; reads the addresses in the first stages."""
    counts = Counter[str]()
    for stage in run.stages:
        for shard in stage.shards if stage.verb.begins else ():
            for table in read_rows(shard.files, ["url"]):
                found = domains_of(parse_urls(table["url"].cast(pa.large_string()).combine_chunks()))
                counts.update(
                    {entry["values"]: entry["counts"] for entry in found.drop_null().value_counts().to_pylist()}
                )
                _thin(counts)
    return sorted(counts, key=lambda name: (-counts[name], name))[:DOMAINS]


def _thin(counts: Counter[str]) -> None:
    if len(counts) > HELD:
        middle = sorted(counts.values())[len(counts) // 2]
        for name in [name for name, count in counts.items() if count <= middle]:
            del counts[name]
        for name in counts:
            counts[name] -= middle
