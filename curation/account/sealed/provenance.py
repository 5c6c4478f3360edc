"""Hosts, domains and licences of documents, by the names under which accounts count them."""

import pyarrow as pa
import pyarrow.compute as pc

from curation.models.lists import public_suffixes
from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import text_array
from curation.text.licences.expressions import NONE_STATED, UNKNOWN, asked_for
from curation.text.urls.parse import Urls, parse_urls


def licence_names(stated: pa.ChunkedArray) -> pa.Array:
    """string[N]: each statement as `licence_policy` reads it, as written if unknown, null if nothing is stated."""
    texts = pc.dictionary_encode(stated.combine_chunks())
    read = ((text, asked_for(text)) for text in texts.dictionary.to_pylist())
    names = [{UNKNOWN: text, NONE_STATED: None}.get(name, name) for text, name in read]
    return pa.array(names, pa.string()).take(texts.indices)


def domains(urls: pa.ChunkedArray) -> pa.Array:
    """string[N]: registered domains, null for what is no absolute URL, as the paths of files."""
    return public_suffixes.load(public_suffixes.EMBEDDED).registered(_parsed(urls)).cast(pa.string())


def hosts(urls: pa.ChunkedArray) -> pa.Array:
    """string[N]: whole names of hosts, of which a domain may have many; null as for `domains`."""
    parsed = _parsed(urls)
    names = text_array(*gather(parsed.data, parsed.starts, parsed.host_stops)).cast(pa.string())
    return pc.if_else(parsed.have_host, names, pa.scalar(None, pa.string()))


def _parsed(urls: pa.ChunkedArray) -> Urls:
    column = urls.combine_chunks()
    absolute = pc.if_else(pc.fill_null(pc.match_substring(column, "://"), False), column, pa.scalar(None, pa.string()))
    return parse_urls(absolute.cast(pa.large_string()))
