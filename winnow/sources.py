"""Sources by name: `winnow.sources.Warc(paths=("crawl/*.warc.gz",))`.

`dir(winnow.sources)` names them all, `help(winnow.sources.Warc)` tells the options of one.
"""

from typing import TYPE_CHECKING

from winnow.rooms import room

if TYPE_CHECKING:
    from curation.sources.arrow import Arrow as Arrow
    from curation.sources.corpus import Corpus as Corpus
    from curation.sources.csv import Csv as Csv
    from curation.sources.documents.arxiv import Arxiv as Arxiv
    from curation.sources.documents.code import Code as Code
    from curation.sources.documents.dialogue import Dialogue as Dialogue
    from curation.sources.documents.email import Email as Email
    from curation.sources.documents.gutenberg import Gutenberg as Gutenberg
    from curation.sources.documents.irc import Irc as Irc
    from curation.sources.documents.jats import Jats as Jats
    from curation.sources.documents.pdf import Pdf as Pdf
    from curation.sources.documents.stackexchange import Stackexchange as Stackexchange
    from curation.sources.documents.subtitles import Subtitles as Subtitles
    from curation.sources.documents.wikipedia_html import WikipediaHtml as WikipediaHtml
    from curation.sources.documents.wikipedia_xml import WikipediaXml as WikipediaXml
    from curation.sources.html import Html as Html
    from curation.sources.jsonl import Jsonl as Jsonl
    from curation.sources.parquet import Parquet as Parquet
    from curation.sources.plain_text import PlainText as PlainText
    from curation.sources.warc import Warc as Warc
    from curation.sources.wet import Wet as Wet
else:
    __getattr__, __dir__ = room(__name__, "read")
