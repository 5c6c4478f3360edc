"""A run whose documents attack the page that shows them."""

import json
from pathlib import Path

from tests.curation.account.corpus import made, write_lines

ATTACKS = [
    "<script>document.title = 'broken'</script>",
    "</pre></details><script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title = 'broken'\">",
    "</script><script>document.title = 'broken'</script>",
    "</style><style>body { display: none }</style>",
    "<svg onload=\"document.title='broken'\"><a href='javascript:document.title=1'>x</a></svg>",
    "<iframe src='http://foreign.invalid/'></iframe><link rel=stylesheet href='http://foreign.invalid/a.css'>",
    "<meta http-equiv=refresh content='0; url=http://foreign.invalid/'>",
    "\u202egnp.exe\u202c \u2066hidden\u2069 \x00\x1b[31m \ufeff",
    "{{ 7 * 7 }} {% include 'report.css' %} ${alert(1)}",
    "w" * 1_000_000,
    "\ud83d\ude00 \U0001f469\u200d\U0001f4bb \u0301\u0301\u0301",
]
BROKEN = (  # no UTF-8, and halves of surrogate pairs, which are no characters
    b'{"text": "\xff\xfe\xc0<script>document.title = 1</script> of a page that is no UTF-8, for a test of it here", '
    b'"url": "http://broken.example/"}\n'
    b'{"text": "\\ud800<script>document.title = 1</script> of a page with a half of a pair, for a test of it here", '
    b'"url": "http://halves.example/\\udfff"}\n'
)


def hostile_run(folder: Path) -> Path:
    """In each document an attack stands in the text, the licence and, in most, the URL."""
    rows = []
    for number, attack in enumerate(ATTACKS):
        url = f"http://page{number}.example/?{attack[:2000]}"
        text = f"{attack} and here is some text of document {number}, which nobody else has."
        rows += [
            {"text": text, "url": url, "licence": attack[:500], "at": "2024-01-05"},
            {"text": f"{attack[:90]} short", "url": f"javascript:alert({number})", "licence": "MIT"},
        ]
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "pages.jsonl", rows)
    with (folder / "pages.jsonl").open("ab") as lines:
        lines.write(BROKEN * 2)  # a copy is dropped, and so shown
    name = json.dumps("<script>document.title = 'broken'")
    recipe = f"""
version: 1
name: {name}
sources:
  web:
    - read: {{jsonl: {{paths: ["{folder}/pages.jsonl"], url: url, licence: licence, crawled_at: at}}}}
    - filter: {{gopher_quality: {{min_words: 12, min_stop_words: 0, max_mean_word_length: 1.0e9}}}}
      name: gopher
    - rewrite: {{unicode: {{}}}}
    - dedup: {{exact: {{}}}}
"""
    made(recipe, folder / "run")
    return folder / "run"
