"""A page with every kind of block, and its text in the normal form, the same for all extractors."""

_SENTENCE = "The ferry left the harbour an hour late because fog had covered the whole bay since early morning"
_PARAGRAPH = f"{_SENTENCE}, and nobody on the quay knew when it would lift."

PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Fog over the bay | Harbour news</title></head><body>
<main><article>
<p>{_SENTENCE},
   and nobody  on the <b>quay
   knew</b> when it
would lift.<br>The next boat,
 too, was late, and the one after that did not leave the harbour before noon.</p>
<h2>What
 to bring</h2>
<p>{_PARAGRAPH}</p>
<ul><li>a warm
 coat, because the wind is cold at sea</li><li><p>a book, because the crossing is long</p>
<ul><li>with pictures</li></ul></li></ul>
<p>{_PARAGRAPH}</p>
<ol><li>first,
 the tickets</li><li>then, the luggage</li></ol>
<p>{_PARAGRAPH}</p>
<table><tr><th>Tide</th><th>Hour</th><th>Metres</th></tr>
<tr><td>low
 tide</td><td><p>six</p></td><td>1</td></tr>
<tr><td>high tide</td><td>noon<br>midnight</td><td>4</td></tr></table>
<p>{_PARAGRAPH}</p>
<pre><code>def depart(fog):
    if fog:
        return "later"

    return  "now"
</code></pre>
<p>{_PARAGRAPH}</p>
</article></main></body></html>"""
HEADED = PAGE.replace("<main>", "<header><h1>Fog\n over the <i>bay</i></h1></header><main>")

_BODY = f"""{_PARAGRAPH}
The next boat, too, was late, and the one after that did not leave the harbour before noon.

What to bring

{_PARAGRAPH}

- a warm coat, because the wind is cold at sea
- a book, because the crossing is long
  - with pictures

{_PARAGRAPH}

1. first, the tickets
2. then, the luggage

{_PARAGRAPH}

Tide\tHour\tMetres
low tide\tsix\t1
high tide\tnoon midnight\t4

{_PARAGRAPH}

def depart(fog):
    if fog:
        return "later"

    return  "now"

{_PARAGRAPH}"""
TEXT = f"Fog over the bay\n\n{_BODY}"
UNTITLED = _BODY
