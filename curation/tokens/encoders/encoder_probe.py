"""Text on which two encoders of one tokenizer are compared before one replaces the other.

It covers what they might treat differently: many scripts, code, runs of every kind of space and punctuation, digits,
contractions, emoji, combining and invisible characters, control characters, and the names of special tokens.
"""

from collections.abc import Iterable, Iterator
from itertools import product

PROSE = """\
It's what they'd said: we'll go, I'm sure you've seen that she'd've stayed — don't ask 'em, 'tis 'TWAS and THEY'LL.
Am nächsten Morgen lag überall Schnee; die Straßenbahn fuhr nicht. L'été dernier, j'ai vu qu'il n'y avait plus d'eau.
El niño comió piñas en la mañana. Žluťoučký kůň běžel po poli. Zażółć żółtą łódź. Ağaç çiçek açtı, İstanbul ışıl ışıl.
Вчера мы видели, как поезд ушёл в 7:45. Το σπίτι ήταν άσπρο και μικρό. Երեկ անձրև էր։ ზღვა მშვიდი იყო.
כשהגענו הביתה, האור כבר כבה. وصلنا إلى البيت في المساءِ، وكان البابُ مفتوحاً. هوا سرد است و می‌خواهم بروم.
कल हम नदी के किनारे गए थे। গতকাল বৃষ্টি হয়েছিল। நேற்று மழை பெய்தது. ఇల్లు పెద్దది. เมื่อวานเราไปตลาด ລາວມາແລ້ວ ခရီးသွားခဲ့တယ်။
昨天晚上下了雨，我们没有出门。今日は天気がいいので、カメラを持って出かけます。어제는 눈이 많이 왔습니다. አውቶቡሱ ዘግይቷል።
"""
CODE = """\
def area(width: float, *, height=2.0e-3) -> float:\n    \"\"\"m²\"\"\"\n\treturn width*height  # 100%\n\n
for(int i=0;i<10;++i){a[i]^=0xFF&~b;}//x\r\n\r\n<a href="http://example.org/?q=1&amp;r=%20">x</a>\n$x_1$ \\frac{1}{2}
SELECT * FROM t WHERE id>=3 AND name!='a''b';\n{"key":[1,2.50,-3e8,null,true],"k2":{}}\nC:\\temp\\new ~/.cache ${HOME}\n
"""
SPACES = ("\r\n", *" \t\n\r\u00a0\u2003\u3000\u2028\u0085\u200b\ufeff\x0b\x1c")
EMOJI = "😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ☃️ ❤ 1️⃣ 🧑🏿‍🚀😀😀😀"
MARKS = "한글 각 e\u0301 a\u0308\u0323 क\u094d\u0937 \u0301start ﬁ ﬆ ſ ß ẞ ŉ İ ı ǆ ﷺ \u115f\u200d\u2060\ufe0f\u202e"
NUMBERS = (
    "0 7 42 365 1984 10000 123456789012345678901234567890 3.14159 1,000,000.00 ²³½¾ Ⅷ ٣٤٥ १२३ 一二三 ①② 𝟘𝟙 a1b22c333"
)
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'ſ", "'LL", "'Re", "’s", "''s", "'", " 's")
RUNS = ("a", "A", "é", "字", ".", "!?", "-", "=", "0", "12", "\u0301", "😀", "aB", "_", "/*", "\0", "«»", "ab ")
LENGTHS = (*range(1, 18), 31, 32, 33, 63, 65, 100, 129, 260)


def sample(names: Iterable[str]) -> Iterator[str]:
    """Texts to compare; `names` are those of special tokens, which text may spell out."""
    yield from ("", " ", PROSE, CODE, EMOJI, MARKS, NUMBERS, PROSE.upper(), "  ".join(PROSE.split(" ")))
    yield "".join(map(chr, range(0x300)))
    yield " ".join(map(chr, range(0x300)))
    yield "".join(map(chr, [*range(0x300, 0xD800, 61), *range(0xE000, 0x20000, 83)]))
    yield "".join(f"{before}x{after}y.{before}{after}9" for before, after in product(SPACES, SPACES))
    yield "".join(f"I{ending} {ending} {ending}9{ending}\n" for ending in CONTRACTIONS)
    for run in RUNS:
        yield "".join(f" {run * length}\n{run * length}" for length in LENGTHS)
    for space in SPACES:
        yield "".join(f"x{space * length}y{space * length}1{space * length}." for length in LENGTHS) + space * 9
    for name in names:
        yield f"{name} a{name}{name}\n{name.upper()}{name[:-1]} {name[1:]}"
