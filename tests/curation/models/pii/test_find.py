"""The spans of plain Presidio, on made texts and on real ones; and what our own rules change."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core.errors import RecipeError
from curation.models.pii.find import PiiSearch, as_spans, find_personal_data
from curation.models.pii.kinds import OWN, all_kinds, kind_of, presidio_kinds
from curation.models.pii.overlaps import PiiSpan
from curation.models.pii.recognizers import plain_presidio
from curation.models.pii.regions import countries_of
from curation.text.edits.redaction import SPANS
from tests.curation.models.pii.made_values import GROUPED, SCRIPTS, SEPARATORS, WHOLE, made

pytest.importorskip("presidio_analyzer")
DATA = Path(__file__).parents[5] / "shared" / "data" / "pii"
LANGUAGES = ("en", "es", "de", "it", "pl", "fi", "zh", "ko")
KINDS = tuple(kind for kind in all_kinds() if kind not in OWN)
PIECES = [
    *("212-555-0123", "+44 20 7946 0958", "078-05-1120", "078051120", "4111111111111111", "4111-1111-1111-1111"),
    *("jo@example.org", "a.b@c", "@", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "DE89 3704 0044 0532 0130 00", "::1"),
    *("10.0.0.1", "2001:db8::1", "::ffff:1.2.3.4/96", "00:1a:2b:3c:4d:5e", "12345678Z", "X1234567L", "AB123456C"),
    *("RSSMRA85T10A562S", "44051401359", "131052-308T", "A1234567", "B12", "943 476 5919", "DE136695976", "HRB  1234"),
    *("123e4567-e89b-12d3-a456-426614174000", "SW1A 1AA", "K1A 0B1", "B-AB 123", "1", "12", "123", "1234567"),
    *("card", "Phone:", "license", "number", "the", "of", "a:the", "claim no. ", "passport", "DNI", "bank", "ssn"),
    *(" ", "  ", "\n", "-", ".", ",", ":", "/", "(", ")", "_", "é", "文", "٣", "ſ", "K", "%", "\0", "x", "A"),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=25).map("".join)
engines: dict[tuple[str, tuple[str, ...]], object] = {}


def expected(text: str, language: str, kinds: tuple[str, ...], min_score: float) -> list[tuple[str, int, int, float]]:
    """What plain Presidio finds, in bytes."""
    key = (language, kinds)
    if key not in engines:
        engines[key] = plain_presidio(language, kinds)
    found = engines[key].analyze(text, language, score_threshold=min_score)  # type: ignore[attr-defined]
    return sorted(
        (kind_of(one.entity_type), len(text[: one.start].encode()), len(text[: one.end].encode()), round(one.score, 5))
        for one in found
    )


def found(
    batch: list[tuple[str, str]], kinds: tuple[str, ...], min_score: float
) -> list[list[tuple[str, int, int, float]]]:
    sought = PiiSearch(variant="presidio", kinds=kinds, min_score=min_score)
    contents = pa.array([text for text, _ in batch], pa.large_string())
    spans = find_personal_data(contents, pa.array([language for _, language in batch]), sought)
    return [sorted((s["kind"], s["start"], s["end"], round(s["score"], 5)) for s in row) for row in spans.to_pylist()]


@settings(max_examples=60, deadline=None)
@given(batch=st.lists(st.tuples(texts, st.sampled_from(LANGUAGES)), min_size=1, max_size=4))
def test_made_texts_have_the_spans_of_plain_presidio(batch: list[tuple[str, str]]) -> None:
    assert found(batch, KINDS, 0.0) == [expected(text, language, KINDS, 0.0) for text, language in batch]


@pytest.mark.parametrize("name", ["ambientmeta", "presidio_synth_v2", "echr_fr_es", "tab_en_court_cases"])
def test_real_texts_have_the_spans_of_plain_presidio(name: str) -> None:
    if not DATA.exists():
        pytest.skip(f"no {DATA}")
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file][:100:4]
    kinds = presidio_kinds()
    batch = [(row["text"], row["lang"]) for row in rows]
    for min_score, some in ((0.0, batch[::2]), (0.4, batch[1::2])):
        spans = [expected(text, language, kinds, min_score) for text, language in some]
        assert found(some, kinds, min_score) == spans


def test_blanks_between_stop_words_count_as_presidio_counts_them() -> None:
    text = "at . is in by at  ( IP of the ) . of to\n\non\n\n)\n\n- on  to ( 10.2.3.4"
    assert found([(text, "en")], ("ip",), 0.0) == [[("ip", 59, 67, 0.95)]]
    assert found([(text, "en")], ("ip",), 0.0) == [expected(text, "en", ("ip",), 0.0)]


sparse = st.lists(st.sampled_from(["the", "of", "(", ".", "-", "IP", "ip", "address", "beta", "\n\n"]), min_size=8)


@settings(max_examples=60, deadline=None)
@given(
    words=sparse,
    blanks=st.lists(st.sampled_from([" ", "  ", "\n", "\n\n"]), min_size=1),
    value=st.sampled_from(["10.2.3.4", "2001:db8::1"]),
)
def test_few_words_among_many_stop_words(words: list[str], blanks: list[str], value: str) -> None:
    text = "".join(word + blanks[at % len(blanks)] for at, word in enumerate(words)) + value
    assert found([(text, "en")], ("ip",), 0.0) == [expected(text, "en", ("ip",), 0.0)]


def test_no_texts_null_texts_and_unknown_languages() -> None:
    assert find_personal_data(pa.array([], pa.large_string()), None, PiiSearch()).to_pylist() == []
    texts = pa.array([None, "a@example.org", ""], pa.large_string())
    spans = find_personal_data(texts, pa.array([None, None, "de"], pa.string()), PiiSearch())
    assert spans.type == SPANS
    assert [[span["kind"] for span in row] for row in spans.to_pylist()] == [[], ["email"], []]


def test_bytes_that_are_no_utf8() -> None:
    text = pa.array([b"\xff call 212-555-0123 \xe2\x80 a@example.org"], pa.large_binary()).view(pa.large_string())
    (row,) = find_personal_data(text, None, PiiSearch()).to_pylist()
    assert [(span["kind"], span["start"], span["end"]) for span in row] == [("phone", 7, 19), ("email", 23, 36)]


def values(text: str, language: str = "en", url: str | None = None, **options: Any) -> list[str]:
    """The values found, each with its kind before it."""
    countries = countries_of(pa.array([url], pa.string()))
    spans = find_personal_data(pa.array([text]), pa.array([language]), PiiSearch(**options), countries)
    content = text.encode()
    return [f"{span['kind']} {content[span['start'] : span['end']].decode()}" for span in spans[0].as_py()]


def test_the_variants() -> None:
    text = "jo (at) example dot org on 09-12-2021, v10.4.3.1"
    assert values(text) == ["email jo (at) example dot org"]
    assert values(text, variant="presidio") == ["phone 09-12-2021"]


NONE = {
    "a year": "King in 1649 and 1685",
    "years": "the King (1685-1753) died",
    "a date": "on 09-12-2021 and 26.06.2014",
    "a date and a time": "on 06-29-2015 05:46 AM, 14:48/08.12.2011",
    "a DOI": "doi:10.1002/0471667196.ess0869",
    "an arXiv id": "see arXiv:0805.2450 and quant-ph/0403025",
    "an ISBN": "ISBN 0-471-66719-6, ISBN-13: 978-0-471-66719-3",
    "an ISSN": "in 0028-0836 of",
    "a URL": "https://a.org/u/0800-158-123?id=4111111111111111&x=192.0.43.10",
    "a URL's path": "https://lore.example.org/r/x.28951@ppc970.osdl.org/",
    "a decimal": "HR 0.8275550123, 95% CI 13.65-18.42",
    "an amount": "for 2 285 491 of 212 555 0123 €, $212-555-0123",
    "a version": "Chrome/91.0.4472.124, openjdk 17.0.4.1, module@v1.3.4",
    "a name with a number": "Pydantic V2 and vitamin B12, S2 steel, mut i32",
    "a section": "see section 8.2.1.4 and 1.1.1.1",
    "a formula": "so $x_1 = 212-555-0123$, \\(0800-158-123\\) holds",
    "code": "the `0800 0158 123` of\n```\ncall(0800 0158 124)\n```",
    "an identifier": "GSM219988, rs299290, PMC3963267, #138099, TRX68086-21, issuecomment-238049666",
    "six digits": "412 5509 views",
    "a number in a table": "785 1856 1697 1900 2471",
    "digits alone": "МУСТАФА 4285285160 and 62726112",
    "a licence without a word": "duplicate (see 27533478)",
    "a health number without a word": "943 476 5919x",
    "a card without a word": "id 4111111111111111 of",
    "an address at home": "at 127.0.0.1, 192.168.0.1, 0.0.0.0, ::1, fd00::/8",
    "a product": "Рейтинг@Mail.ru",
    "a handle": "@jo@mastodon.social",
    "a message": "Message-ID: <a.1@b.example.org>",
    "a clone": "git@github.com:a/b.git",
    "a placeholder": "postgres://user:password@host.org and ftp://${USER}:x@a.org",
    "a uuid": "7464e520-0dc2-473d-bd34-dbdfd7e85911",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in NONE.items()])
@pytest.mark.parametrize("after", ["", "\n", "\n\nTel. 0800 0158 123\n"])
def test_what_is_no_personal_data_alone_and_beside_what_is(text: str, after: str) -> None:
    assert values(f"{after}{text}{after}") == ["phone 0800 0158 123"] * 2 * ("Tel" in after)


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("please call 0800 0158 123 or 0800 0158 124 now", "en", ["phone 0800 0158 123", "phone 0800 0158 124"]),
        ("PA 18931\n215-794-3112\n", "en", ["phone 215-794-3112"]),
        ("Fax 1 800.420.6088", "en", ["phone 1 800.420.6088"]),
        ("+39 081.8795350 Blog", "en", ["phone +39 081.8795350"]),
        ("Telefon: 089 1258-290", "de", ["phone 089 1258-290"]),
        ("电话：010-65363263", "zh", ["phone 010-65363263"]),
        ("тел. 8 962 839-56-63", "ru", ["phone 8 962 839-56-63"]),
        ("Tel. (3022) 36-40-09, 36-42-14 (fax)", "ru", ["phone (3022) 36-40-09", "phone 36-42-14"]),
        ("tel. 22 201-41-00/71/73", "pl", ["phone 22 201-41-00", "phone /71/73"]),
        ("my passport number: 910239248", "en", ["us_passport 910239248"]),
        ("NHS no. 943-476-5919", "en", ["uk_nhs 943-476-5919"]),
        ("DNI 12345678Z", "es", ["es_nif 12345678Z"]),
        ("paid by card 4111111111111111", "en", ["credit_card 4111111111111111"]),
        ("4111-1111-1111-1111", "en", ["credit_card 4111-1111-1111-1111"]),
        ("from 203.104.12.9", "en", ["ip 203.104.12.9"]),
        ("请写kf@people.cn", "zh", ["email kf@people.cn"]),
        ("https://a.org/?mail=jo@people.cn", "en", ["email jo@people.cn"]),
        ("ftp://ann:Qx7rz@a.org", "en", ["url_credentials ann:Qx7rz@a.org"]),
    ],
)
def test_what_is_personal_data(text: str, language: str, found: list[str]) -> None:
    assert [value for value in values(text, language) if not value.startswith("phone 943")] == found


def test_the_made_values_are_of_twenty_scripts_eight_kinds_and_ten_separators() -> None:
    assert (len(SCRIPTS), len({*GROUPED, *WHOLE}), len(SEPARATORS)) == (20, 8, 10)


@pytest.mark.parametrize("kind", [*GROUPED, *WHOLE])
def test_values_beside_other_scripts_and_with_other_separators(kind: str) -> None:
    pairs = list(made(kind))
    spans = find_personal_data(pa.array([text for text, _ in pairs]), None, PiiSearch()).to_pylist()
    places = [[(span["kind"], span["start"], span["end"]) for span in row] for row in spans]
    expected = []
    for text, value in pairs:
        start = len(text[: text.index(value)].encode())
        expected.append([(kind, start, start + len(value.encode()))])
    assert places == expected


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Tél : +33.1.42.68.53.00", "fr", ["phone +33.1.42.68.53.00"]),
        ("Tél : +33·1·42·68·53·00", "fr", ["phone +33·1·42·68·53·00"]),
        ("Tlf. 33.12.34.56", "da", ["phone 33.12.34.56"]),
        ("host 33.12.34.56", "da", ["ip 33.12.34.56"]),
        ("電話０３－１２３４－５６７８です", "ja", ["phone ０３－１２３４－５６７８"]),
        ("هاتف ٠٢٢٧٩٥٢٠٣١ شكرا", "ar", ["phone ٠٢٢٧٩٥٢٠٣١"]),
        ("سجل ٠٢٢٧٩٥٢٠٣١ شكرا", "ar", []),
        ("هاتف +٢٠ ٢ ٢٧٩٥ ٢٠٣١ شكرا", "ar", ["phone +٢٠ ٢ ٢٧٩٥ ٢٠٣١"]),
        ("\u202a+49 30 901820\u202c", "de", ["phone +49 30 901820"]),
        ("短信13812345678一经", "zh", ["phone 13812345678"]),
        ("短信13812345678一经", "en", []),
        ("订单号：13812345678", "zh", []),
        ("電話号码：13812345678", "zh", ["phone 13812345678"]),
        ("メモ09012345678です", "ja", ["phone 09012345678"]),
        ("메모01012345678입니다", "ko", ["phone 01012345678"]),
        ("메모a@b.io과c@d.io입니다", "ko", ["email a@b.io", "email c@d.io"]),
        ("用户@例子.中国，иван2@почта1.рф", "zh", ["email 用户@例子.中国", "email иван2@почта1.рф"]),
        ("join\u00adt@exam\u200bple.org now", "en", ["email join\u00adt@exam\u200bple.org"]),
        ("a@b.io, golang.org/x/tools@v1.3.4, host.io/a@v2.0.io, pkg@1.2.3", "en", ["email a@b.io"]),
        ("+100 000 000 people, +12 345 678, +77 000 000 000, +1000000000", "en", []),
        ("IP:2a00:1450:4001:81b::200e, at 12:30:45", "en", ["ip 2a00:1450:4001:81b::200e"]),
        ("Card: 4111/1111/1111/1111", "en", ["credit_card 4111/1111/1111/1111"]),
        ("Year: 4111/1111/1111/1111", "en", []),
        ("IBAN DE89\n3704\n0044\n0532\n0130\n00", "en", ["iban DE89\n3704\n0044\n0532\n0130\n00"]),
        ("SSN: 536  22  8726", "en", ["us_ssn 536  22  8726"]),
        ("Row: 536  22  8726", "en", []),
        ("版本81.2.69.142", "zh", []),
    ],
)
def test_other_separators_digits_and_what_looks_alike(text: str, language: str, found: list[str]) -> None:
    assert values(text, language) == found


def test_presidio_reads_the_text_as_it_is_written() -> None:
    text = "이메일은a@b.io입니다 4111\u00a01111\u00a01111\u00a01111"
    assert values(text, variant="presidio") == []
    assert values(text) == ["email a@b.io", "credit_card 4111\u00a01111\u00a01111\u00a01111"]


def test_regions_follow_the_language_and_the_domain() -> None:
    text = "Informacje 22 46 30 066"
    assert values(text, "pl") == ["phone 22 46 30 066"]
    assert values(text, "en") == []
    assert values(text, "en", url="https://a.pl/") == ["phone 22 46 30 066"]
    assert values(text, "en", url="https://a.pl/", regions=("US",)) == []


@settings(max_examples=30, deadline=None)
@given(batch=st.lists(st.tuples(texts, st.sampled_from(LANGUAGES)), min_size=1, max_size=4))
def test_spans_do_not_depend_on_neighbours(batch: list[tuple[str, str]]) -> None:
    contents = pa.array([text for text, _ in batch])
    languages = pa.array([language for _, language in batch])
    together = find_personal_data(contents, languages, PiiSearch()).to_pylist()
    assert together == [find_personal_data(pa.array([t]), pa.array([c]), PiiSearch()).to_pylist()[0] for t, c in batch]


@pytest.mark.parametrize("options", [{"kinds": ("emial",)}, {"regions": ("UK",)}])
def test_what_is_not_known_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError):
        PiiSearch(**options).check()


@pytest.mark.soak
@pytest.mark.parametrize("unit", ["7", "1 ", "a@", "1.", "1.1.", "1-", "::", "+1 ", "(555) ", "GB82 ", "ab12 "])
def test_megabytes_without_a_line_break(unit: str) -> None:
    text = pa.array([unit * ((1 << 20) // len(unit))], pa.large_string())
    assert len(find_personal_data(text, None, PiiSearch())) == 1


def test_spans_of_rows() -> None:
    spans = as_spans([[], [PiiSpan("ip", 1, 2, 0.5)]])
    assert spans.to_pylist() == [[], [{"kind": "ip", "start": 1, "end": 2, "score": 0.5}]]
