"""Hand-written pages of several kinds for the tests of both extractors."""

STORY = (
    "The ferry left the harbour an hour late because fog had covered the whole bay since early morning.",
    "Passengers waited on the quay with coffee from the kiosk, and the crew handed out blankets to the children.",
    "When the horn sounded at last, the gulls rose from the roofs and followed the ship far out to sea.",
)
_PARAGRAPHS = "".join(f"<p>{sentence}</p>" for sentence in STORY)
NAVIGATION = (
    "<nav><ul>" + "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("home", "news", "shop")) + "</ul></nav>"
)

ARTICLE = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fog</title></head><body>{NAVIGATION}
<main><article><h1>Fog over the bay</h1>{_PARAGRAPHS}</article></main>
<footer><p>Cookie settings and imprint</p></footer></body></html>"""
SCRIPTED = ARTICLE.replace("<main>", "<script>" + "document.write('<div><p>advert</p>');" * 200 + "</script><main>")
NESTED = ARTICLE.replace("<article>", "<article>" + "<div>" * 60).replace("</article>", "</div>" * 60 + "</article>")
BOILERPLATE = f"<html><head><title>Shop</title></head><body>{NAVIGATION}</body></html>"
SCRIPT_ONLY = "<html><head><title>App</title></head><body><div id=root></div><script>start()</script></body></html>"
POSTS = tuple(f"On day {day} of the crossing: {sentence}" for day in range(1, 5) for sentence in STORY)
THREAD = f"""<!doctype html><html lang="en"><head><title>Crossings</title></head><body>{NAVIGATION}
<div class="comments" id="comments"><h1>Crossings</h1>{"".join(f"<p>{post}</p>" for post in POSTS)}</div>
<footer><ul><li>Imprint</li><li>Contact</li></ul></footer></body></html>"""  # taken for side matters
WITHOUT_SCRIPTS = THREAD.replace('<div class="comments" id="comments">', "<div><noscript><div>").replace(
    "<footer>", "</div></noscript><div id=root></div><script>start()</script><footer>"
)
FRAMES = "<html><frameset cols='20%,80%'><frame src=a.html><frame src=b.html></frameset></html>"
MOVED = "<html><head><meta http-equiv=refresh content='0; url=/new'></head><body>This page has moved.</body></html>"
NOTICE = (
    f"<html><body>{NAVIGATION}<div class=modal><p>We use cookies to count visits. {STORY[0]}</p></div></body></html>"
)
LOGIN = f"""<html><body>{NAVIGATION}<form><label>Name</label><input><label>Password</label><input type=password>
<p>If you have lost your password, give your address here and we shall send you a letter with a new one.</p>
</form></body></html>"""
LINKS = (
    "<html><body><ul class=menu>"
    + "".join(
        f"<li><a href=/{n}>Part {n} of a long list of things that this shop sells, by name and by size</a></li>"
        for n in range(200)
    )
    + "</ul></body></html>"
)
GREEK = ARTICLE.replace(
    STORY[0], "Το πλοίο έφυγε από το λιμάνι με μια ώρα καθυστέρηση εξαιτίας της ομίχλης στον κόλπο."
)
