"""The programming language of a file, as its source declares it or else by its name.

Names are those of GitHub's list in lower case: "c++", "objective-c", "graphviz (dot)". Only languages that rules treat
specially or whose comment syntax is known are listed; other files have none. N files.
"""

import pyarrow as pa
import pyarrow.compute as pc

NAMED_TEXTS = ("readme", "notes", "todo", "description", "cmakelists")
EXTENSIONS = {
    "ada": "adb ads ada",
    "assembly": "asm s nasm",
    "c": "c h",
    "c#": "cs csx",
    "c++": "cc cpp cxx c++ hh hpp hxx h++",
    "clojure": "clj cljs cljc",
    "cmake": "cmake",
    "css": "css",
    "csv": "csv",
    "cuda": "cu cuh",
    "dart": "dart",
    "dockerfile": "dockerfile",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "go": "go",
    "graphviz (dot)": "dot gv",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "html": "html htm xhtml",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json geojson jsonl webmanifest",
    "julia": "jl",
    "jupyter notebook": "ipynb",
    "kotlin": "kt kts",
    "lisp": "lisp lsp cl el",
    "lua": "lua",
    "makefile": "mk mak makefile",
    "markdown": "md markdown mdown mkd",
    "matlab": "m",
    "motorola 68k assembly": "x68",
    "objective-c": "mm",
    "perl": "pl pm",
    "php": "php php3 php4 php5 phtml",
    "powershell": "ps1 psm1 psd1",
    "python": "py pyi pyw",
    "r": "r",
    "restructuredtext": "rst",
    "roff": "roff nroff man",
    "roff manpage": "1 2 3 4 5 6 7 8 9",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sbt",
    "scheme": "scm ss rkt",
    "scss": "scss",
    "shell": "sh bash zsh ksh",
    "smt": "smt smt2",
    "sql": "sql",
    "swift": "swift",
    "tex": "tex sty cls bib",
    "text": "txt",
    "toml": "toml",
    "typescript": "ts tsx mts cts",
    "vue": "vue",
    "web ontology language": "owl",
    "webassembly": "wat wast",
    "xml": "xml xsd svg rss plist",
    "xslt": "xsl xslt",
    "yaml": "yaml yml",
    "zig": "zig",
}
FILES = {"cmakelists.txt": "cmake", "dockerfile": "dockerfile", "gnumakefile": "makefile", "makefile": "makefile"}
ALIASES = {"cpp": "c++", "csharp": "c#", "c-sharp": "c#", "golang": "go", "jsx": "javascript", "tsx": "typescript"}

_BY_EXTENSION = {extension: name for name, extensions in EXTENSIONS.items() for extension in extensions.split()}
_BY_NAME = {**{name: name for name in EXTENSIONS}, **ALIASES}


def file_names(urls: pa.Array) -> pa.Array:
    """string[N]: the last segment of each URL or path in lower case, without query and fragment, or null."""
    path = pc.replace_substring_regex(urls, r"(?s)^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|[?#].*$", "")
    name = pc.struct_field(pc.extract_regex(path, r"(?s)(?P<name>[^/]+)$"), "name")
    return pc.utf8_lower(name)


def programming_languages(names: pa.Array, declared: pa.Array) -> pa.Array:
    """string[N]: the declared language in any case if it is listed, else that of the file's name, else null.

    `names` come from `file_names`.
    """
    extensions = pc.struct_field(pc.extract_regex(names, r"(?s)\.(?P<extension>[^.]+)$"), "extension")
    return pc.coalesce(
        _looked_up(pc.utf8_lower(declared), _BY_NAME),
        _looked_up(names, FILES),
        _looked_up(extensions, _BY_EXTENSION),
    )


def _looked_up(keys: pa.Array, table: dict[str, str]) -> pa.Array:
    """string[N]: table[key] for each key, null if it is not there."""
    return pa.array(list(table.values()), pa.string()).take(pc.index_in(keys, pa.array(list(table), pa.string())))


def unnamed_texts(names: pa.Array, languages: pa.Array) -> pa.Array:
    """int64[N]: 1 for a text file without one of the names that belong to code, otherwise 0."""
    stems = pc.replace_substring_regex(names, r"(?s)\.[^.]*$", "")
    named = pc.or_(pc.match_substring(names, "requirement"), pc.is_in(stems, pa.array(NAMED_TEXTS, pa.string())))
    texts = pc.and_(pc.equal(languages, "text"), pc.invert(pc.fill_null(named, False)))
    return pc.fill_null(texts, False).cast(pa.int64())
