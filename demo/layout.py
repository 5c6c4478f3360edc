"""The frames around an article (navigation, side bar, cookie notice, footer) that give an extractor real work."""

import html
from collections.abc import Sequence

Link = tuple[str, str]  # address, text

_COOKIES = (
    '<div class="cookie-notice" role="dialog"><p>This site stores one cookie to remember your colour scheme.</p>'
    '<button type="button">Accept</button> <button type="button">Settings</button></div>'
)
_STYLE = "body{margin:0;font:16px/1.5 serif}nav ul{list-style:none}aside{float:right;width:16em}footer{clear:both}"
_SCRIPT = "document.documentElement.className='js';window.addEventListener('load',function(){var n=0;n+=1;});"


def charset_tag(charset: str) -> str:
    """The old, long form of the declaration, as on most pages in legacy charsets."""
    return f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'


def links(targets: Sequence[Link]) -> str:
    return "".join(f'<li><a href="{html.escape(to)}">{html.escape(text)}</a></li>' for to, text in targets)


def documentation(*, title: str, article: str, head: str, trail: Sequence[Link], beside: Sequence[Link]) -> str:
    """A page of a documentation site: `trail` leads up from it, `beside` to its neighbours; `head` goes into <head>."""
    name = html.escape(title)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>{head}<title>{name} | Demo documentation</title>
<meta name="viewport" content="width=device-width">
<style>{_STYLE}</style><script>{_SCRIPT}</script></head>
<body>
<header class="site-header"><a class="logo" href="/">Demo documentation</a>
<form role="search" action="/search"><label>Search <input name="q" type="search"></label><button>Go</button></form>
<nav class="menu"><ul>{links(_MENU)}</ul></nav></header>
<nav class="breadcrumbs" aria-label="You are here"><ol>{links(trail)}</ol></nav>
<aside class="sidebar"><h3>In this section</h3><ul>{links(beside)}</ul></aside>
<main><article>
<h1>{name}</h1>
{article}
</article></main>
<footer class="site-footer"><ul>{links(_FOOTER)}</ul>
<p>Served from this machine for a demonstration.
Texts belong to the authors of the packages that they came with.</p></footer>
{_COOKIES}
</body>
</html>
"""


def magazine(*, title: str, article: str, language: str, related: Sequence[Link], head: str) -> str:
    """A page of a small magazine; unlike `documentation` it marks its parts with classes and has no <main>."""
    name = html.escape(title)
    return f"""<!DOCTYPE html>
<html lang="{language}">
<head>{head}<title>{name} | The Demo Courier</title>
<meta property="og:type" content="article"></head>
<body class="post">
<div id="top"><div class="brand"><a href="/">The Demo Courier</a></div>
<div class="subscribe">Get our newsletter!
<input name="email" placeholder="Your e-mail"> <button>Sign up</button></div></div>
<div id="content" class="post-content"><h1 class="headline">{name}</h1>
{article}
</div>
<div class="share">Share: <a href="#m">Mail</a> <a href="#p">Print</a> <a href="#l">Copy link</a></div>
<div class="related"><h4>More to read</h4><ul>{links(related)}</ul></div>
<div id="bottom"><p>The Demo Courier · Imprint · Privacy · Terms of use</p></div>
</body>
</html>
"""


def mirror(*, title: str, article: str, language: str, related: Sequence[Link], head: str) -> str:
    """A page of a site that copies others: the article in a table layout between advertisements."""
    name = html.escape(title)
    return f"""<html lang="{language}"><head>{head}<title>{name} - best texts online</title></head>
<body><table width="100%"><tr><td colspan="2"><b>BEST TEXTS ONLINE</b> |
<a href="/">home</a> | top 100 | random</td></tr>
<tr><td width="160" valign="top"><div class="ad">Advertisement</div><ul>{links(related)}</ul></td>
<td><h2>{name}</h2>
{article}
</td></tr>
<tr><td colspan="2"><small>
All texts are collected from the web. Contact the webmaster for removal.</small></td></tr></table>
</body></html>
"""


_MENU: tuple[Link, ...] = (
    ("http://docs.demo.invalid/", "Standard library"),
    ("http://packages.demo.invalid/", "Packages"),
    ("http://blog.demo.invalid/", "Courier"),
    ("http://docs.demo.invalid/about.html", "About"),
)
_FOOTER: tuple[Link, ...] = (
    ("http://docs.demo.invalid/legal.html", "Legal notice"),
    ("http://packages.demo.invalid/licences/", "Licences"),
    ("http://docs.demo.invalid/", "Home"),
)
