"""Makes a real crawl of this machine's documentation: serves it, fetches it over HTTP, stores it as WARC files.

    python -m demo.crawl FOLDER

The same packages give the same archives, byte for byte. A finished crawl is reused: a new one would
change everything made from it.
"""

import hashlib
import json
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from curation.core.errors import InputError
from demo import library
from demo.archives import archive_names, write_archives
from demo.crawler import Crawler, Exchange
from demo.server import serve
from demo.site import DOMAIN, SEEDS, build_site

MARKER = "_crawl.json"  # written last; the underscore hides it from a glob over the folder
_REPORT_EVERY = 1_000  # requests


def make_crawl(
    folder: str | Path,
    *,
    packages: Sequence[str] = library.PACKAGES,
    projects: bool = True,
    archives: int = 8,
    max_requests: int = 20_000,
    processes: int | None = None,
    on_progress: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Crawls, unless `folder` holds a finished crawl, and returns the archives' paths in order.

    The site documents those of `packages` that are installed; `projects` adds the README and licence texts of every
    distribution. `processes` read the sources (None: one per CPU, at most 4). Raises InputError if the finished crawl
    in `folder` was made with other arguments.
    """
    folder = Path(folder)
    wanted = {"packages": list(packages), "projects": projects, "archives": archives, "max_requests": max_requests}
    if (folder / MARKER).exists():
        return _finished(folder, wanted, on_progress)
    folder.mkdir(parents=True, exist_ok=True)
    on_progress("reading the documentation of the installed packages")
    articles = library.articles(packages, processes=processes or min(4, os.cpu_count() or 1))
    if projects:
        articles += library.readmes() + library.licences()
    site = build_site(articles)
    on_progress(f"crawling {len(site)} pages on 127.0.0.1")
    with serve(site) as address:
        crawler = Crawler(address=address, domain=DOMAIN, max_requests=max_requests)
        written = write_archives(folder, _counted(crawler.crawl(SEEDS), on_progress), archives=archives)
    _seal(folder, {"wanted": wanted, "made_from": _installed(), "responses": written})
    paths = [folder / name for name in archive_names(archives)]
    on_progress(f"stored {written} responses in {archives} archives, {sum(p.stat().st_size for p in paths) >> 20} MiB")
    return paths


def _finished(folder: Path, wanted: dict[str, object], on_progress: Callable[[str], None]) -> list[Path]:
    marker = json.loads((folder / MARKER).read_text("utf-8"))
    if marker["wanted"] != wanted:
        raise InputError(f"{folder} holds a crawl made with other arguments; delete it or choose another folder")
    paths = [folder / name for name in marker["archives"]]
    sizes = marker["archives"]
    damaged = [path.name for path in paths if not path.is_file() or path.stat().st_size != sizes[path.name]]
    if damaged:
        raise InputError(
            f"{folder} has missing or changed files: {', '.join(damaged)}; delete the folder to crawl again"
        )
    if marker["made_from"] != _installed():
        on_progress(f"packages or pages have changed since {folder} was crawled; delete it to crawl again")
    on_progress(f"using the finished crawl in {folder}: {marker['responses']} responses")
    return paths


def _seal(folder: Path, marker: dict[str, object]) -> None:
    sizes = {path.name: path.stat().st_size for path in sorted(folder.glob("demo-*.warc.gz"))}
    (folder / MARKER).write_text(json.dumps({**marker, "archives": sizes}, indent=1) + "\n", "utf-8")


def _installed() -> dict[str, str]:
    """Versions of everything the pages are made from, and one hash over the sources and texts in this folder."""
    own = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*")):
        if path.suffix in (".py", ".html"):
            own.update(path.read_bytes())
    versions = {name: distribution.version for name, distribution in library.distributions().items()}
    return {"python": platform.python_version(), "pages": own.hexdigest(), **versions}


def _counted(exchanges: Iterable[Exchange], on_progress: Callable[[str], None]) -> Iterator[Exchange]:
    for number, exchange in enumerate(exchanges, 1):
        yield exchange
        if number % _REPORT_EVERY == 0:
            on_progress(f"{number} responses")


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code: 0 after a crawl, 2 for wrong arguments or an unusable folder."""
    if len(arguments) != 1:
        print("usage: python -m demo.crawl FOLDER", file=sys.stderr)
        return 2
    try:
        make_crawl(arguments[0], on_progress=print)
    except InputError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: sys.exit("stopped; make curate begins the crawl again"))
    sys.exit(main(sys.argv[1:]))
