"""Cuts the documentation of the standard library and of installed packages into pages, in several processes.

A module with enough documentation becomes a page; a class or function with a long text has a page of its own. README
and licence texts of the installed distributions are pages too. Packages that only some installations have (torch and
its dependencies) are left out, so that the crawl does not depend on them.
"""

import gc
import html
import importlib.metadata
import importlib.util
import multiprocessing
import re
import signal
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from demo.docstrings import Entry, read_cython, read_python
from demo.markup import to_html

STANDARD_LIBRARY = "python"
PACKAGES = tuple(
    "python numpy pandas pyarrow ray pydantic rich click fsspec jsonschema requests urllib3 aiohttp huggingface_hub "
    "packaging attr dateutil trafilatura tokenizers virtualenv".split()
)
_PASSED_OVER = {
    *("tests", "test", "testing", "_testing", "site-packages", "idlelib", "lib2to3", "thirdparty_files", "_vendor"),
    *("generated", "__pycache__", "examples", "turtledemo", "rllib"),
}
_OWN_PAGE = 1_600  # characters of documentation from which a class or function gets its own page
_ANY_PAGE = 800  # characters below which a module has no page
_TASK_BYTES = 2_000_000  # of source per unit of parallel work
_MAX_LICENCE = 40_000  # bytes
_TRIPLE_QUOTED = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Article:
    """The content of one page: `name` is a dotted path within the package, `body` HTML."""

    package: str
    name: str
    title: str
    body: str


def installed(packages: Iterable[str]) -> list[str]:
    """Those of `packages` that are installed, in their order."""
    return [name for name in packages if name == STANDARD_LIBRARY or importlib.util.find_spec(name)]


def articles(packages: Sequence[str], *, processes: int) -> list[Article]:
    """All pages of the packages, in an order that depends only on the installed files."""
    tasks = [(name, group) for name in installed(packages) for group in _groups(_root(name))]
    if processes == 1:
        pages = [page for task in tasks for page in _read_group(task)]
    else:
        with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is for this process
            groups = pool.map(_read_group, tasks)  # starts the others, which inherit the mask
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            try:
                pages = [page for group in groups for page in group]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    unique = {(page.package, page.name): page for page in reversed(pages)}
    return [unique[key] for key in sorted(unique)]


def _root(package: str) -> Path:
    if package == STANDARD_LIBRARY:
        return Path(sysconfig.get_paths()["stdlib"])
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations, f"{package} is not a package"
    return Path(spec.submodule_search_locations[0])


def _groups(root: Path) -> Iterator[tuple[Path, list[Path]]]:
    """The package's source files in sorted order, about `_TASK_BYTES` at a time."""
    group: list[Path] = []
    size = 0
    for path in sorted(path for path in root.rglob("*.py*") if path.suffix in {".py", ".pyx", ".pxi"}):
        if _PASSED_OVER.isdisjoint(path.relative_to(root).parts[:-1]):
            group.append(path)
            size += path.stat().st_size
        if size >= _TASK_BYTES:
            yield root, group
            group = []
            size = 0
    if group:
        yield root, group


def _read_group(task: tuple[str, tuple[Path, list[Path]]]) -> list[Article]:
    package, (root, paths) = task
    collecting = gc.isenabled()
    gc.disable()  # syntax trees have no cycles, and collecting doubles the time (measured, 2 cores)
    try:
        return [page for path in paths for page in _pages(package, path.relative_to(root), path)]
    finally:
        if collecting:
            gc.enable()


def _pages(package: str, relative: Path, path: Path) -> list[Article]:
    module = ".".join(part for part in relative.with_suffix("").parts if part != "__init__")
    source = path.read_text("utf-8", errors="replace")
    if sum(map(len, _TRIPLE_QUOTED.findall(source))) < _ANY_PAGE:  # too little for a page: no need to parse
        return []
    if package == STANDARD_LIBRARY and module == "pydoc_data.topics":
        return _topics(source)
    try:
        entries = read_python(source, module) if path.suffix == ".py" else read_cython(source, module)
    except SyntaxError:  # templates and sources for other versions of the language
        return []
    return _cut(package, module, entries)


def _topics(source: str) -> list[Article]:
    """The language reference that `help()` shows: a page per topic in pydoc_data/topics.py."""
    namespace: dict[str, dict[str, str]] = {}
    exec(compile(source, "topics", "exec"), namespace)  # one dictionary of strings
    return [
        Article(STANDARD_LIBRARY, f"reference.{name}", name.replace("-", " ").capitalize(), to_html(text))
        for name, text in namespace["topics"].items()
    ]


def _cut(package: str, module: str, entries: list[Entry]) -> list[Article]:
    """Decides which entries get a page of their own and which stay with their class or module."""
    alone = {entry.name for entry in entries if entry.name and len(entry.doc) >= _OWN_PAGE}
    held: dict[str, int] = {}
    for entry in entries:
        if entry.owner and entry.name not in alone:
            held[entry.owner] = held.get(entry.owner, 0) + len(entry.doc)
    alone |= {owner for owner, size in held.items() if size >= _OWN_PAGE}
    pages: dict[str, list[Entry]] = {}
    for entry in entries:
        home = next((name for name in (entry.name, entry.owner) if name in alone), "")
        pages.setdefault(home, []).append(entry)
    return [
        _article(package, ".".join(part for part in (module, home) if part), home, page)
        for home, page in pages.items()
        if sum(len(entry.doc) for entry in page) >= _ANY_PAGE
    ]


def _article(package: str, name: str, home: str, entries: list[Entry]) -> Article:
    parts = []
    for entry in entries:
        if entry.name != home:
            parts.append(f"<h2><code>{html.escape(entry.name)}</code></h2>")
        if entry.signature:
            parts.append(f'<pre class="signature">{html.escape(entry.signature, quote=False)}</pre>')
        parts.append(to_html(entry.doc))
    title = f"{package}.{name}" if name and package != STANDARD_LIBRARY else name or package
    return Article(package, name, title, "\n".join(parts))


def distributions() -> dict[str, importlib.metadata.Distribution]:
    """Distributions installed for this interpreter, sorted by normalised name."""
    paths = sorted({sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"]})
    named = {
        re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower(): distribution
        for distribution in importlib.metadata.distributions(path=paths)
    }
    return dict(sorted(named.items()))


def readmes() -> list[Article]:
    """The long description of every installed distribution, in package "projects"."""
    markdown = MarkdownIt("commonmark").enable("table")
    pages = []
    for name, distribution in distributions().items():
        metadata = distribution.metadata
        text = metadata.get_payload() or metadata["Description"] or ""  # type: ignore[attr-defined]
        if len(text) >= _ANY_PAGE:
            is_markdown = "markdown" in (metadata["Description-Content-Type"] or "")
            body = markdown.render(text) if is_markdown else to_html(text)
            pages.append(Article("projects", name, f"{name} {distribution.version}", body))
    return pages


def licences() -> list[Article]:
    """The licence texts that came with the installed distributions, in package "licences"."""
    pages = []
    for name, distribution in distributions().items():
        for file in sorted(distribution.files or [], key=str):
            is_licence = re.match(r"(?i)(licen[cs]e|copying|notice)", file.name) and ".dist-info" in file.parts[0]
            path = Path(str(file.locate()))
            if is_licence and len(file.parts) <= 3 and path.is_file() and path.stat().st_size <= _MAX_LICENCE:
                paragraphs = re.split(r"\n\s*\n", path.read_text("utf-8", errors="replace"))
                body = "\n".join(
                    f"<p>{html.escape(text.strip(), quote=False)}</p>" for text in paragraphs if text.strip()
                )
                pages.append(Article("licences", f"{name}.{file.stem}", f"{file.name} of {name}", body))
    return list({page.name: page for page in pages}.values())
