"""Which files of a repository its authors did not write: copies of others' code, files that tools made, binary ones.

Sources, file by file: npm, Bower, Composer, Bundler, Go (`go mod vendor`), Cargo (`cargo vendor`), CocoaPods, Carthage
and Yarn document the folders that they fill and the lock files that they write; Protocol Buffers and gRPC name their
output; Go defines the line "Code generated … DO NOT EDIT." (go.dev/s/generatedcode), Meta's tools the mark
`@generated`; git takes a file with NUL in its first 8,000 bytes as binary (`buffer_is_binary`); GitHub Linguist takes
scripts and style sheets with more than 110 characters a line as minified. `code_quality` judges generated code further,
by its words.
"""

import re

VENDORED = frozenset(
    "node_modules bower_components jspm_packages vendor third_party Pods Carthage site-packages .yarn".split()
)
GENERATED_NAMES = frozenset(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml Cargo.lock poetry.lock Pipfile.lock uv.lock
    composer.lock Gemfile.lock Podfile.lock go.sum flake.lock mix.lock pubspec.lock""".split()
)
GENERATED_ENDS = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.go", ".pb.cc", ".pb.h", ".js.map", ".css.map", ".g.dart")
MINIFIED_ENDS = (".min.js", ".min.css", ".min.mjs")
BINARY_ENDS = frozenset(
    """.png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .war .class .pyc .o .a .so
    .dll .dylib .exe .bin .wasm .woff .woff2 .ttf .otf .mp3 .mp4 .ogg .wav .avi .mov .npy .npz .parquet""".split()
)
HEAD = 2048  # bytes in which a mark of generated code is looked for
BINARY_HEAD = 8000
MAX_MEAN_LINE = 110  # bytes, of scripts and style sheets

_SHORT_LINES = (".js", ".mjs", ".cjs", ".css")
_MARK = re.compile(rb"(?:\bCode generated .{0,200}DO NOT EDIT\.|(?<![\w`'\"])@generated\b)")


def cause_by_name(path: str) -> str | None:
    """Why a file is passed over unread: "vendored", "generated", "minified" or "binary"; None if it is to be read."""
    *folders, name = path.split("/")
    if not VENDORED.isdisjoint(folders):
        return "vendored"
    if name in GENERATED_NAMES or name.endswith(GENERATED_ENDS):
        return "generated"
    if name.endswith(MINIFIED_ENDS):
        return "minified"
    return "binary" if "." in name and "." + name.rpartition(".")[2].lower() in BINARY_ENDS else None


def cause_by_content(path: str, content: bytes) -> str | None:
    """Why a file is passed over once read: "empty", "binary", "generated" or "minified"; None if it is kept."""
    if not content:
        return "empty"
    if b"\0" in content[:BINARY_HEAD]:
        return "binary"
    if b"generated" in content[:HEAD] and _MARK.search(content, 0, HEAD):
        return "generated"
    if path.endswith(_SHORT_LINES) and len(content) > MAX_MEAN_LINE * (content.count(b"\n") + 1):
        return "minified"
    return None
