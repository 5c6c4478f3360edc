"""Translations, replies and reviews of an article, each with what it says of itself."""

from curation.sources.documents.articles.article import Article, read_article
from curation.sources.documents.articles.article_files import articles_in

WHOLE = """<article article-type="research-article" xml:lang="pt"><front>
<journal-meta><journal-title>Pomar</journal-title></journal-meta>
<article-meta><article-id pub-id-type="doi">10.1/pt</article-id>
<title-group><article-title>Peras</article-title><subtitle>Um estudo</subtitle></title-group>
<pub-date><year>2020</year><month>3</month><day>7</day></pub-date>
<permissions><license><license-p>Creative Commons Attribution 4.0</license-p></license></permissions></article-meta>
</front><body><p>Elas caem.</p></body>
<sub-article article-type="reviewer-report"><front-stub/><body><p>Muito bom.</p></body></sub-article>
<sub-article article-type="translation" xml:lang="EN"><front-stub><article-id pub-id-type="doi">10.1/en</article-id>
<title-group><article-title>Pears</article-title></title-group>
<pub-date><year>2021</year><month>1</month><day>2</day></pub-date></front-stub><body><p>They fall.</p></body>
<sub-article article-type="reviewer-report"><body><p>Very good.</p></body></sub-article></sub-article>
<response response-type="reply" xml:lang="es"><front-stub/><body><p>Gracias.</p></body></response>
<sub-article article-type="translation"><body><p>Sie fallen.</p></body></sub-article></article>"""


def test_parts_of_an_article_are_documents() -> None:
    articles = [read_article(article) for article in articles_in(WHOLE.encode())]
    day, licence = "2020-03-07", "CC-BY-4.0"
    assert articles == [
        Article("Peras\nUm estudo\nElas caem.", "10.1/pt", None, day, licence, "pt", "Pomar", "research-article"),
        Article("Muito bom.", "10.1/pt", None, day, licence, "pt", "Pomar", "reviewer-report"),
        Article("Pears\nThey fall.", "10.1/en", None, "2021-01-02", licence, "en", "Pomar", "translation"),
        Article("Very good.", "10.1/en", None, "2021-01-02", licence, "en", "Pomar", "reviewer-report"),
        Article("Gracias.", "10.1/pt", None, day, licence, "es", "Pomar", "reply"),
        Article("Sie fallen.", "10.1/pt", None, day, licence, None, "Pomar", "translation"),
    ]


def test_figures_and_tables_behind_the_body() -> None:
    floats = "<floats-group><fig><caption><p>A map.</p></caption></fig></floats-group>"
    (article,) = articles_in(f"<article><body><p>Words.</p></body>{floats}</article>".encode())
    assert read_article(article).text == "Words.\nA map."
