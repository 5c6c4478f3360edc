"""Made-up URLs that name what datatrove's lists name, and some that only look like it.

Every k-th entry of each list is put into URLs in several ways: `plain` ones spell it as datatrove looks it up, `odd`
ones otherwise, with capitals, escapes, a port or names before the listed one. The same lists give the same URLs.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

FROM_EACH = 2000  # entries of a list, evenly spread
WORD_LISTS = ("banned_words", "banned_subwords", "soft_banned_words")


def table(urls: Iterable[str]) -> pa.Table:
    """`doc_id`, `url`, `text` (empty): a row per different URL, in the order of the first of each."""
    different = list(dict.fromkeys(urls))
    ids = [f"{number:032x}" for number in range(len(different))]
    return pa.table({"doc_id": ids, "url": different, "text": pa.array([""] * len(different), pa.large_string())})


def entries(path: Path) -> list[str]:
    lines = [line for line in path.read_text().splitlines() if line]
    step = max(1, len(lines) // FROM_EACH)
    return lines[::step]


def plain(lists: Path) -> Iterator[str]:
    """`lists` is the folder of datatrove's URL lists."""
    for domain in entries(lists / "block_listed_domains.txt"):
        yield from (f"http://{domain}/", f"https://{domain}/a/page.html?y=z#f")
        yield from (f"https://x{domain}/", f"https://example.org/{domain}")
    for word, other in _pairs(lists):
        yield from (f"https://example.org/{word}", f"https://example.org/my-{word}-page")
        yield from (f"https://{word}.example.org/", f"https://example.org/pre{word}post", f"https://{word}x.org/")
        yield from (f"https://example.org/{word}_{other}/", f"https://example.org/{word}/{word}")


def odd(lists: Path) -> Iterator[str]:
    for domain in entries(lists / "block_listed_domains.txt"):
        yield from (f"https://www.{domain}/", f"https://{domain.upper()}/", f"https://user@{domain}:8080/x")
    for url in entries(lists / "block_listed_url.txt"):
        yield from (url, f"https://{url}", f"https://www.{url}?a=b")
    for word, other in _pairs(lists):
        yield from (f"https://example.org/{word.upper()}/", f"https://example.org/{word}%20{other}")


def _pairs(lists: Path) -> Iterator[tuple[str, str]]:
    """Each word with the one after it."""
    for name in WORD_LISTS:
        words: Sequence[str] = entries(lists / f"{name}.txt")
        yield from zip(words, (*words[1:], words[0]), strict=True)
