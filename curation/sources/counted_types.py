"""Names under which records of other media types are counted: a closed set, however many types servers make up.

Every unit's counts go into its stage's manifest, so a name that a server chooses must not become a key there. A type
that is not in `TYPES` counts as `other` of its top level (`image/other`), and one of no known top level as `other`.

Source: Common Crawl's statistics of media types (the frequent ones), IANA's media types (the top levels).
"""

TOP_LEVELS = frozenset(
    ("application", "audio", "chemical", "font", "image", "message", "model", "multipart", "text", "video")
)
TYPES = frozenset(
    f"{top}/{name}"
    for top, names in {
        "application": """atom+xml dash+xml epub+zip font-woff font-woff2 force-download gzip java-archive javascript
            json ld+json manifest+json msword octet-stream ogg opensearchdescription+xml pdf pgp-signature
            php postscript rdf+xml rss+xml rtf soap+xml vnd.android.package-archive vnd.apple.mpegurl
            vnd.apple.pkpass vnd.google-earth.kml+xml vnd.google-earth.kmz vnd.ms-excel vnd.ms-fontobject
            vnd.ms-powerpoint vnd.ms-word vnd.oasis.opendocument.text
            vnd.openxmlformats-officedocument.presentationml.presentation
            vnd.openxmlformats-officedocument.spreadsheetml.sheet
            vnd.openxmlformats-officedocument.wordprocessingml.document wasm xhtml+xml x-7z-compressed x-bibtex
            x-bittorrent x-bzip2 x-compressed x-download x-font-ttf x-font-woff x-gzip x-httpd-php
            x-javascript x-msdos-program x-msdownload x-mpegurl x-octet-stream x-php x-rar x-rar-compressed
            x-research-info-systems x-rss+xml x-shockwave-flash x-tar x-tex x-www-form-urlencoded
            x-x509-ca-cert x-xz x-zip x-zip-compressed xml zip zstd""",
        "audio": "aac basic flac midi mp3 mp4 mpeg mpegurl ogg wav webm x-m4a x-mpegurl x-ms-wma x-wav",
        "font": "collection otf sfnt ttf woff woff2",
        "image": """apng avif bmp gif heic icon jp2 jpeg jpg pjpeg png svg+xml tiff vnd.adobe.photoshop vnd.djvu
            vnd.microsoft.icon webp x-icon x-ms-bmp x-png""",
        "message": "http rfc822",
        "multipart": "form-data mixed related x-mixed-replace",
        "text": """calendar css csv dns ecmascript html javascript json markdown plain richtext rtf
            tab-separated-values turtle vcard vnd.wap.wml vtt x-bibtex x-c x-component x-diff x-java
            x-javascript x-json x-patch x-perl x-python x-sh x-vcalendar x-vcard x-web-markdown xml xsl""",
        "video": """3gpp mp2t mp4 mpeg ogg quicktime vnd.dlna.mpeg-tts webm x-flv x-m4v x-matroska x-ms-asf
            x-ms-wmv x-msvideo""",
    }.items()
    for name in names.split()
)
RECORDS = frozenset(  # WARC-Type, ISO 28500:2017
    ("continuation", "conversion", "metadata", "request", "resource", "response", "revisit", "warcinfo")
)


def counted_type(media: str) -> str:
    """The type itself if it is frequent, else `<top level>/other`, `other`, or what `media_type` gives for none."""
    if media in TYPES or "/" not in media:
        return media
    top = media.partition("/")[0]
    return f"{top}/other" if top in TOP_LEVELS else "other"


def counted_record(kind: str) -> str:
    """A record's WARC-Type, `unknown` unless it is in the standard."""
    return kind if kind in RECORDS else "unknown"
