"""The files of one paper: which are its main ones, and what an input of one stands for.

Main are those that a 00README names, else one with a document class; of several the one that has a document, is no
input of another, lies least deep, has a bibliography of its name (.bbl), has a usual name, in this order. Papers
before LaTeX have no class: then it is the longest.

Sources: arXiv, "The 00README File Format" and "The 00README.XXX file" (info.arxiv.org/help/00README.html), and
"Ancillary files": what is in anc/ is no part of the paper. The ranks follow what LaTeXML learnt about arXiv's papers
(its pull requests 1075, 1383 and 1889).
"""

import json
import posixpath
import re
from collections.abc import Collection, Mapping
from functools import cached_property

_SUFFIXES = (".tex", ".ltx", ".latex", ".sty", ".txt", "")
_README = re.compile(r"00README(?:\.XXX|\.json)?", re.IGNORECASE)
_LINE = re.compile(r"^[ \t]*(\S+)[ \t]+(toplevelfile|ignore)[ \t]*\r?$", re.MULTILINE)
_CLASS = re.compile(r"^[^%\n]*?\\document(?:class|style)\s*(?:\[[^\]]*\])?\s*\{?\s*([\w-]*)", re.MULTILINE)
_PARTS = ("subfiles", "standalone")  # classes of files that are inputs of another
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*(?:\{\s*)?([^\s{}]+)")
_COMMAND = re.compile(r"\\[a-zA-Z]{2,}")
_USUAL = ("main", "ms", "paper")
_BEGIN = r"\begin{document}"
_END = r"\end{document}"


def may_be_read(name: str) -> bool:
    """Whether TeX may read a file of a paper, by its name; ancillary files are no part of it."""
    return (posixpath.splitext(name)[1].lower() in _SUFFIXES and not name.startswith("anc/")) or _is_readme(name)


class PaperFiles:
    """`texts`: those that TeX may read, by path; `others`: the paths of all others."""

    def __init__(self, texts: Mapping[str, str], others: Collection[str] = ()) -> None:
        self.texts = texts
        self.size = sum(map(len, self.texts.values()))
        self._others = others

    @cached_property
    def main(self) -> list[str]:
        """The names of the files that are typeset, one after another; none where no file is TeX."""
        stated = self._stated()
        top = [name for name, usage in stated.items() if usage in ("toplevel", "toplevelfile") and name in self.texts]
        if top:
            return top
        able = [name for name, text in self.texts.items() if stated.get(name) != "ignore" and _may_be_main(name, text)]
        classes = {name: _CLASS.search(self.texts[name]) for name in able}
        papers = [name for name, found in classes.items() if found and found[1] not in _PARTS]
        if papers:
            inputs = {self.found(name, of) for of in papers for name in _INPUT.findall(self.texts[of]) if of != name}
            return [min(papers, key=lambda name: self._rank(name, inputs))]
        plain = [name for name in able if _COMMAND.search(self.texts[name])]
        return [max(plain, key=lambda name: (_BEGIN in self.texts[name], len(self.texts[name]), name))] if plain else []

    @cached_property
    def has_document(self) -> bool:
        """Whether any of them says where the text begins."""
        return any(_BEGIN in text for text in self.texts.values())

    def input_text(self, path: str) -> str:
        """What is read for an input of this file: of a whole document its body, of a published package nothing."""
        text = self.texts[path].partition(r"\endinput")[0]
        if path.endswith(".sty") and r"\ProvidesPackage" in text:
            return ""
        _, begins, body = text.partition(_BEGIN)
        return body.partition(_END)[0] if begins and _CLASS.search(text) else text

    def found(self, name: str, main: str) -> str | None:
        """The file of this name, beside the main one or from the paper's root; a name that leads out of it has none."""
        for folder in (posixpath.dirname(main), ""):
            for suffix in (".tex", ""):
                path = posixpath.normpath(posixpath.join(folder, name + suffix))
                if path in self.texts:
                    return path
        return None

    def _stated(self) -> dict[str, str]:
        """What a 00README says of files."""
        for name, text in self.texts.items():
            if _is_readme(name) and name.endswith(".json"):
                try:
                    return {one["filename"]: one["usage"] for one in json.loads(text)["sources"] if "usage" in one}
                except (ValueError, LookupError, TypeError, RecursionError):
                    return {}
            if _is_readme(name):
                return dict(_LINE.findall(text))
        return {}

    def _rank(self, name: str, inputs: set[str | None]) -> tuple[bool, bool, int, bool, bool, str]:
        stem = posixpath.splitext(name)[0]
        return (
            _BEGIN not in self.texts[name],
            name in inputs,
            name.count("/"),
            f"{stem}.bbl" not in self._others,
            posixpath.basename(stem) not in _USUAL,
            name,
        )


def _may_be_main(name: str, text: str) -> bool:
    return not (name.endswith(".sty") or text.lstrip().startswith("%auto-ignore"))


def _is_readme(name: str) -> bool:
    return _README.fullmatch(name) is not None
