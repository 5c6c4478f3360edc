"""PDF files of given pages, written by hand."""

from collections.abc import Iterable, Mapping, Sequence

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>"
PAGE = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
    " /Resources << /Font << /F 3 0 R >> {} >> /Contents {} 0 R {} >>"
)


def shown(*texts: tuple[float, float, str], size: float = 10) -> bytes:
    """The content of a page that shows texts of Latin-1 from (x, y) on, in this order."""
    lines = [f"BT /F {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, text in texts]
    return "\n".join(lines).encode("cp1252")


def column(x: float, y: float, lines: Iterable[str], *, pitch: float = 12) -> list[tuple[float, float, str]]:
    """Lines below one another."""
    return [(x, y - pitch * number, line) for number, line in enumerate(lines)]


def pdf(
    *contents: bytes,
    info: Mapping[str, str] | None = None,
    extra: str = "",
    resources: str = "",
    objects: Sequence[bytes] = (),
    trailer: str = "",
    kids: int = 1,
) -> bytes:
    """A file with a page for each content, each page listed `kids` times. `extra` and `resources` go into each page's
    dictionaries, `objects` have numbers from 5 on."""
    first = 5 + len(objects)
    pages = range(first, first + 2 * len(contents), 2)
    stated = "".join(f"/{name} ({_escaped(value)})" for name, value in (info or {}).items())
    listed = " ".join(f"{number} 0 R" for number in pages for _ in range(kids))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {kids * len(contents)} /Kids [{listed}] >>".encode(),
        FONT,
        f"<< {stated} >>".encode("cp1252"),
        *objects,
    ]
    for number, content in zip(pages, contents, strict=True):
        bodies += [PAGE.format(resources, number + 1, extra).encode(), stream(content)]
    out = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, b"".join(places))
    ending = f"trailer << /Size {len(places) + 1} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + table + ending.encode()


def stream(content: bytes, entries: str = "") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries.encode(), content)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
