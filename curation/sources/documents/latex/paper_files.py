"""The files of one paper: which are its main ones, and what an input of one stands for.

Main are those that a 00README names, else one that has a document class and the document itself or in its inputs; of
several the one that is no input of another, is no tenth as long as the longest, lies least deep, has a bibliography of
its name (.bbl), has inputs, has a usual name, is the longest with its inputs, in this order. Papers before LaTeX have
no class: then it is the longest of those that are no inputs.

Sources: arXiv, "The 00README File Format" and "The 00README.XXX file" (info.arxiv.org/help/00README.html), and
"Ancillary files": what is in anc/ is no part of the paper. The ranks follow what LaTeXML learnt about arXiv's papers
(its pull requests 1075, 1383 and 1889).
"""

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import islice

_SUFFIXES = (".tex", ".ltx", ".latex", ".sty", ".txt", "")
_README = re.compile(r"00README(?:\.XXX|\.json)?", re.IGNORECASE)
_LINE = re.compile(r"^[ \t]*(\S+)[ \t]+(toplevelfile|ignore)[ \t]*\r?$", re.MULTILINE)
_CLASS = re.compile(r"^[^%\n]*?\\document(?:class|style)\s*(?:\[[^\]]{0,1000}\])?\s*\{?\s*([\w-]*)", re.MULTILINE)
_PARTS = ("subfiles", "standalone")  # classes of files that are inputs of another
_INPUT = re.compile(
    r"%[^\n]*|\\(?:input|include|subfile|(?:sub)?import\s*\{([^{}\n]*)\})\s*(?:\{\s*)?([^\s\\{}%]+)|\\[^a-zA-Z]"
)
MAX_LOOKED = 20_000  # inputs that are looked at to see which file is the main one
_COMMAND = re.compile(r"\\[a-zA-Z]{2,}")
_PICTURES = (".tikz", ".pgf", ".pdf_tex", ".pdf_t", ".eps_tex", ".pstex_t")
_NO_TEXTS = (".sty", ".txt", ".json")
_WORD = re.compile(r"%[^\n]*|\\[a-zA-Z]+|\b([^\W\d_]{2,30})(?=[ \n.,;:])")
SMALL = 0.1  # of the longest paper's length, which a try of a style is shorter than
LITTLE = 0.02  # of the letters in a paper's TeX
MIN_LETTERS = 2_000  # which a paper has from which most is lost
_USUAL = ("main", "ms", "paper")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")


def may_be_read(name: str) -> bool:
    """Whether TeX may read a file of a paper, by its name; ancillary files are no part of it."""
    return (posixpath.splitext(name)[1].lower() in _SUFFIXES and not name.startswith("anc/")) or _is_readme(name)


class PaperFiles:
    """`texts`: those that TeX may read, by path; `others`: the paths of all others."""

    def __init__(self, texts: Mapping[str, str], others: Collection[str] = ()) -> None:
        self.texts = texts
        self.size = sum(map(len, self.texts.values()))
        self._others = others
        self._looked = 0

    @cached_property
    def main(self) -> list[str]:
        """The names of the files that are typeset, one after another; none where no file is TeX."""
        stated = self._stated()
        top = [name for name, usage in stated.items() if usage in ("toplevel", "toplevelfile") and name in self.texts]
        if top:
            return top
        able = [name for name, text in self.texts.items() if stated.get(name) != "ignore" and _may_be_main(name, text)]
        able = [name for name in able if _COMMAND.search(self.texts[name])]
        if len(able) < 2:
            return able
        inner = {path for name in able for path in self._inputs[name]}
        wholes = {name: self._whole(name) for name in able}
        classes = {name: found[1] for name in able if (found := _CLASS.search(self.texts[name]))}
        papers = [
            name
            for name, whole in wholes.items()
            if classes.get(name) not in _PARTS and any(path in classes for path in whole)
        ]
        if papers:
            longest = max(self._length(wholes[name]) for name in papers)
            return [min(papers, key=lambda name: self._rank(name, inner, wholes[name], longest))]
        return [min(able, key=lambda name: self._plain_rank(name, inner, wholes[name]))]

    def has_document(self, main: str) -> bool:
        """Whether a main file says where the text begins, itself or in its inputs."""
        return self._begins([main]) or (self._begins(self.texts) and self._begins(self._whole(main)))

    def _begins(self, names: Iterable[str]) -> bool:
        return any(_BEGIN.search(self.texts[name]) for name in names)

    def input_text(self, path: str) -> str:
        """The text read for an input of this file: of a whole document its body, of a published package nothing."""
        text = self.texts[path].partition(r"\endinput")[0]
        if path.endswith(".sty") and r"\ProvidesPackage" in text:
            return ""
        begin = _BEGIN.search(text)
        if begin is None or not _CLASS.search(text):
            return text
        end = _END.search(text, begin.end())
        return text[begin.end() : end.start() if end else None]

    def says_more_than(self, text: str) -> bool:
        """Whether a text is so short, beside the letters of the files' words, that most of the paper is lost."""
        if len(text) >= LITTLE * self.size:
            return False
        words = sum(
            len(word) for name, tex in self.texts.items() if not name.endswith(_NO_TEXTS) for word in _WORD.findall(tex)
        )
        return words >= MIN_LETTERS and len(text) < LITTLE * words

    def found(self, name: str, main: str) -> str | None:
        """The file of this name, beside the main one or from the paper's root; a name that leads out of it has none."""
        return next((path for path in _places(name, main) if path in self.texts), None)

    def has_picture(self, name: str, main: str) -> bool:
        """Whether an input is a picture in TeX, which shows nothing in words."""
        return name.endswith(_PICTURES) and any(path in self._others for path in _places(name, main))

    def _stated(self) -> dict[str, str]:
        """Reads what a 00README says of files."""
        for name, text in self.texts.items():
            if _is_readme(name) and name.endswith(".json"):
                try:
                    return {one["filename"]: one["usage"] for one in json.loads(text)["sources"] if "usage" in one}
                except (ValueError, LookupError, TypeError, RecursionError):
                    return {}
            if _is_readme(name):
                return dict(_LINE.findall(text))
        return {}

    @cached_property
    def _inputs(self) -> Mapping[str, list[str]]:
        """The files that are inputs of each."""
        inputs: dict[str, list[str]] = {}
        for name, text in self.texts.items():
            stated = [(folder or "") + file for folder, file in _INPUT.findall(text) if file]
            paths = (
                self.found(file, name) for file in islice(dict.fromkeys(stated), max(0, MAX_LOOKED - self._looked))
            )
            inputs[name] = [path for path in dict.fromkeys(paths) if path not in (None, name)]
            self._looked += len(stated)
        return inputs

    def _whole(self, name: str) -> set[str]:
        """A file, its inputs, theirs, and so on."""
        whole = {name}
        waiting = [name]
        while waiting and self._looked < MAX_LOOKED:
            more = [path for path in self._inputs[waiting.pop()] if path not in whole]
            self._looked += len(more)
            whole.update(more)
            waiting += more
        return whole

    def _rank(self, name: str, inner: Set[str], whole: Set[str], longest: int) -> tuple[float | str, ...]:
        stem = posixpath.splitext(name)[0]
        return (
            not self._begins(whole),
            name in inner,
            self._length(whole) < SMALL * longest,
            name.count("/"),
            f"{stem}.bbl" not in self._others,
            len(whole) == 1,
            posixpath.basename(stem) not in _USUAL,
            -self._length(whole),
            name,
        )

    def _plain_rank(self, name: str, inner: Set[str], whole: Set[str]) -> tuple[bool, bool, int, str]:
        return (not self._begins(whole), name in inner, -self._length(whole), name)

    def _length(self, whole: Set[str]) -> int:
        return sum(len(self.texts[path]) for path in whole)


def _places(name: str, main: str) -> Iterator[str]:
    """The paths where a file of this name may be."""
    for folder in (posixpath.dirname(main), ""):
        for suffix in (".tex", ""):
            yield posixpath.normpath(posixpath.join(folder, name + suffix))


def _may_be_main(name: str, text: str) -> bool:
    return not (name.endswith(".sty") or text.lstrip().startswith("%auto-ignore"))


def _is_readme(name: str) -> bool:
    return _README.fullmatch(name) is not None
