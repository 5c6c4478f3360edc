"""The table of hand-written pages: address, language and purpose of each.

A text is a fragment of UTF-8 HTML in `written/`, or is generated in `oddities.py`; `layout.py` puts a frame around it.
Tests check that the crawl contains each page with the status and charset stated here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from demo import oddities

BLOG = "blog.demo.invalid"
WORLD = "world.demo.invalid"
MIRROR = "mirror.demo.invalid"
SHOP = "shop.demo.invalid"
DOCS = "docs.demo.invalid"


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page. Its body is the file `text` of `written/`, or comes from `generate`; with neither it is empty."""

    host: str
    path: str
    purpose: str
    title: str = ""
    language: str = "en"  # as declared in <html lang>
    text: str = ""
    generate: Callable[[], str | bytes] | None = None
    frame: str = "magazine"  # or mirror; ignored for a generated body
    edits: tuple[tuple[str, str], ...] = ()  # replacements that make a near copy
    charset: str = "utf-8"
    declared: str = "meta"  # where the charset is declared: meta, header or nowhere
    status: int = 200
    media_type: str = "text/html"
    location: str = ""
    coding: str = "identity"
    claims: str = ""  # a content coding that is stated but not applied
    chunked: bool = False

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


def _blog(name: str, title: str, purpose: str = "original English prose", coding: str = "identity") -> Page:
    return Page(host=BLOG, path=f"/{name}.html", title=title, text=name, purpose=purpose, coding=coding)


def _foreign(name: str, language: str, title: str, *, declared: str = "meta", chunked: bool = False) -> Page:
    page = Page(host=WORLD, path=f"/{language}/", title=title, text=name, language=language, purpose="")
    return replace(page, declared=declared, chunked=chunked, purpose=f"original prose, not English ({language})")


def _legacy(name: str, language: str, title: str, charset: str) -> Page:
    purpose = f"a legacy charset ({charset}) declared in <meta> only; the text of /{language}/ once more"
    page = _foreign(name, language, title)
    return replace(page, path=f"/legacy/{language}.html", charset=charset, purpose=purpose)


def _copy(
    host: str, path: str, title: str, purpose: str, *, frame: str = "magazine", edits: tuple[tuple[str, str], ...] = ()
) -> Page:
    text = path.rpartition("/")[2].removesuffix(".html")
    return Page(host=host, path=path, title=title, text=text, purpose=purpose, frame=frame, edits=edits)


def _odd(
    generate: Callable[[], str | bytes], purpose: str, *, media_type: str = "text/html", ending: str = "html"
) -> Page:
    path = f"/odd/{generate.__name__}.{ending}"
    return Page(host=SHOP, path=path, generate=generate, purpose=purpose, media_type=media_type)


_PROSE = (
    _blog("bread", "Bread without scales", coding="gzip"),
    _blog("tide", "The road that drowns twice a day", coding="br"),
    _blog("bicycle", "Repairs for the price of a story", coding="deflate"),
    _blog("archive", "Never improve the order"),
    _blog("bees", "A hive in February"),
    _blog("train", "Eleven minutes past nine"),
    _blog("recipe", "Pumpkin soup from the cellar", "a recipe: lists and short lines"),
    _blog("poem", "Tea", "a poem: short lines, few stop words"),
    _blog("code", "A program that counts words", "mostly code: words without letters"),
    _blog("grumble", "A column for bad moods", "mild insults, for lists of bad words"),
    _blog("licence", "The milestones of the salt road", "links a Creative Commons licence"),
    _blog("reserved", "The harbour, chapter three", "states all rights reserved"),
    _blog("personal", "The rowing club", "invented personal data from reserved ranges"),
    _blog("quiz", "Questions from our readers", "quotes multiple-choice items in the style of benchmarks"),
    _blog("exam", "Item 17", "quotes an examination item word for word"),
    Page(host=DOCS, path="/about.html", title="About these pages", text="about", purpose="short English prose"),
    Page(host=DOCS, path="/legal.html", title="Legal notice", text="legal", purpose="policy text, all rights reserved"),
)
_LANGUAGES = (
    _foreign("german", "de", "Wochenmarkt im November"),
    _foreign("french", "fr", "Le jardin sans portail", declared="header"),
    _foreign("spanish", "es", "El cine de los jueves", chunked=True),
    _foreign("italian", "it", "Il barbiere di via delle Rondini"),
    _foreign("portuguese", "pt", "A lata dos botões", declared="nowhere"),
    _foreign("dutch", "nl", "De boot op het droge"),
    _foreign("polish", "pl", "Zegarmistrz bez zegarka"),
    _foreign("russian", "ru", "Табуретка в лифте"),
    _foreign("greek", "el", "Το ταχυδρομείο κάτω από τον πλάτανο", declared="header"),
    _foreign("chinese", "zh", "老槐树"),
    _foreign("japanese", "ja", "駅前の傘屋", chunked=True),
    _foreign("arabic", "ar", "خبّاز الحارة"),
    _foreign("hindi", "hi", "दस मिनट पीछे", declared="nowhere"),
    _legacy("german", "de", "Wochenmarkt im November", "windows-1252"),
    _legacy("polish", "pl", "Zegarmistrz bez zegarka", "iso-8859-2"),
    _legacy("russian", "ru", "Табуретка в лифте", "koi8-r"),
    _legacy("japanese", "ja", "駅前の傘屋", "shift_jis"),
    Page(
        host=WORLD,
        path="/wrong-lang.html",
        title="Le jardin sans portail",
        text="french",
        language="en-GB",
        edits=(("mon oncle", "ma tante"),),
        purpose="French prose that declares itself English",
    ),
)
_COPIES = (
    _copy(MIRROR, "/bread.html", "Bread without scales", "exact copy on another host"),
    _copy(BLOG, "/print/bread.html", "Bread without scales", "exact copy, same host"),
    _copy(MIRROR, "/bees.html", "A hive in February", "the same article in other boilerplate", frame="mirror"),
    _copy(
        MIRROR,
        "/tide.html",
        "The road that drowns",
        "near copy: a few words changed, other boilerplate",
        frame="mirror",
        edits=(("eleven years", "twelve years"), ("sixty-three", "sixty-four"), ("ninety-one", "ninety-two")),
    ),
    _copy(
        MIRROR,
        "/train.html",
        "The night train",
        "near copy: a few words changed, other boilerplate",
        frame="mirror",
        edits=(("Anselm", "Konrad"), ("a judge", "a dentist"), ("two hundred times", "a hundred times")),
    ),
)
_POOR = (
    Page(host=SHOP, path="/lamp.html", title="Desk lamp Corvus", text="shop", purpose="a shop page: fragments, prices"),
    Page(host=SHOP, path="/forum.html", title="Washing machine: three beeps", text="forum", purpose="a forum thread"),
    Page(host=SHOP, path="/app.html", text="script", title="App", purpose="asks for JavaScript"),
    _odd(oddities.keyword_stuffing, "spam: keywords over and over"),
    _odd(oddities.link_list, "a list of links"),
    _odd(oddities.repeated_paragraph, "one paragraph twenty times"),
    _odd(oddities.lorem_ipsum, "filler text"),
    _odd(oddities.very_short, "too few words"),
    _odd(oddities.long_line, "one very long line"),
    _odd(oddities.deep_nesting, "three thousand nested elements"),
    _odd(oddities.numbers, "figures instead of words"),
    _odd(oddities.teasers, "every line ends in an ellipsis"),
    _odd(oddities.broken_markup, "markup with mistakes"),
    _odd(oddities.nothing, "an empty body"),
    _odd(oddities.no_text, "markup without text"),
    _odd(oddities.refresh, "a redirection by markup"),
    _odd(oddities.wrong_bytes, "bytes that break its charset"),
)
_NOT_PAGES = (
    _odd(oddities.text_like_html, "plain text", media_type="text/plain", ending="txt"),
    _odd(oddities.json_data, "not HTML: JSON", media_type="application/json", ending="json"),
    Page(
        host=SHOP,
        path="/img/lamp.png",
        generate=oddities.png_image,
        media_type="image/png",
        purpose="not HTML: PNG",
    ),
    Page(
        host=SHOP,
        path="/odd/claims.html",
        text="tide",
        title="Claims",
        claims="gzip",
        purpose="says gzip and is not: cannot be decoded",
    ),
    Page(host=BLOG, path="/old/bread", status=301, location=f"http://{BLOG}/bread.html", purpose="moved for good"),
    Page(host=BLOG, path="/today", status=302, location="/bees.html", purpose="moved for now, relative address"),
    Page(
        host=BLOG, path="/gone.html", status=410, text="about", title="Gone", purpose="an error that looks like a page"
    ),
    Page(host=BLOG, path="/nowhere.html", status=404, purpose="a dead link"),
    Page(host=SHOP, path="/busy.html", status=503, text="legal", title="Busy", purpose="a server error"),
)

PAGES = _PROSE + _LANGUAGES + _COPIES + _POOR + _NOT_PAGES
DISALLOWED = Page(
    host=BLOG, path="/private/diary.html", text="poem", title="Diary", purpose="forbidden by robots.txt: never crawled"
)
