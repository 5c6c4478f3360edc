"""Hand-written pages of several kinds for the tests of both extractors."""

STORY = (
    "The ferry left the harbour an hour late because fog had covered the whole bay since early morning.",
    "Passengers waited on the quay with coffee from the kiosk, and the crew handed out blankets to the children.",
    "When the horn sounded at last, the gulls rose from the roofs and followed the ship far out to sea.",
)
_PARAGRAPHS = "".join(f"<p>{sentence}</p>" for sentence in STORY)
_NAVIGATION = (
    "<nav><ul>" + "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("home", "news", "shop")) + "</ul></nav>"
)

ARTICLE = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fog</title></head><body>{_NAVIGATION}
<main><article><h1>Fog over the bay</h1>{_PARAGRAPHS}</article></main>
<footer><p>Cookie settings and imprint</p></footer></body></html>"""
SCRIPTED = ARTICLE.replace("<main>", "<script>" + "document.write('<div><p>advert</p>');" * 200 + "</script><main>")
NESTED = ARTICLE.replace("<article>", "<article>" + "<div>" * 60).replace("</article>", "</div>" * 60 + "</article>")
BOILERPLATE = f"<html><head><title>Shop</title></head><body>{_NAVIGATION}</body></html>"
SCRIPT_ONLY = "<html><head><title>App</title></head><body><div id=root></div><script>start()</script></body></html>"
GREEK = ARTICLE.replace(
    STORY[0], "Το πλοίο έφυγε από το λιμάνι με μια ώρα καθυστέρηση εξαιτίας της ομίχλης στον κόλπο."
)
