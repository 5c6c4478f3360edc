"""Words of twelve languages, with and without spaces: where they begin, and that their share is hidden."""

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from curation.tokens.shards import TokenData
from tests.training.data.test_special_ids import Facts
from training.batch import Row, SpecialIds
from training.data.special_ids import special_ids
from training.objectives.masked import Masked
from training.objectives.masking import Masking
from training.objectives.text import text_of
from training.objectives.words import word_starts

LANGUAGES = {
    "Arabic": "وصلنا إلى الميناء في المساء وكان البحر هادئاً جداً. ",
    "Burmese": "မနေ့ညက မိုးရွာခဲ့သည်။ ကျွန်ုပ်တို့ အိမ်မှာ နေခဲ့ကြသည်။",
    "Chinese": "昨天晚上下了雨，我们没有出门。今天天气很好，船都回到了港口。",
    "English": "The boats came back to the harbour before noon. ",
    "Finnish": "Veneet palasivat satamaan ennen puoltapäivää ja kalastajat lepäsivät. ",
    "Hindi": "कल हम नदी के किनारे गए थे और शाम को घर लौटे। ",
    "Japanese": "今日は天気がいいので、カメラを持って出かけます。船は港に戻りました。",
    "Khmer": "ម្សិលមិញយើងទៅផ្សារ ហើយទិញត្រីជាច្រើន។",
    "Korean": "어제는 눈이 많이 와서 배가 항구로 돌아왔습니다. ",
    "Lao": "ມື້ວານນີ້ພວກເຮົາໄປຕະຫຼາດ ແລະຊື້ປາຫຼາຍ",
    "Russian": "Вчера мы видели, как лодки вернулись в гавань. ",
    "Thai": "เมื่อวานนี้เราไปตลาดและซื้อปลามากมายกลับบ้าน",
}
ALPHABET = pre_tokenizers.ByteLevel.alphabet()


@pytest.fixture(scope="module")
def own() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    common: dict[str, Any] = {"special_tokens": ["</s>", "<pad>", "<mask>"], "show_progress": False}
    made.train_from_iterator(
        LANGUAGES.values(), trainers.BpeTrainer(vocab_size=800, initial_alphabet=ALPHABET, **common)
    )
    return made


@pytest.fixture(scope="module")
def ids(own: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> SpecialIds:
    path: Path = tmp_path_factory.mktemp("own") / "tokenizer.json"
    own.save(str(path))
    data = cast(TokenData, Facts(str(path), own.get_vocab_size()))
    return special_ids(Masked(unit="words"), 8, data).ids


@pytest.mark.parametrize("unit", ["words", "spans"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_share_is_hidden(own: Tokenizer, ids: SpecialIds, language: str, unit: Any) -> None:
    objective = Masking(unit=unit)
    tokens = own.encode(LANGUAGES[language] * 60).ids
    shares = []
    for seed in range(20):
        row = Row(np.array(tokens[seed : seed + 257], np.uint16), np.ones(257, np.int32), True, ids)
        places, units = objective.hidden(text_of(row), row, np.random.default_rng(seed))
        shares.append(len(places) / 256)
        assert len(set(units.tolist())) > 1
    assert abs(np.mean(shares) - 0.15) < 0.005


def spelt(*texts: bytes | str) -> SpecialIds:
    """A tokenizer of these tokens; those that begin with a space begin a word."""
    found = [text.encode() if isinstance(text, str) else text for text in texts]
    begins = np.array([text[:1] == b" " for text in found])
    return SpecialIds(len(found), 0, 1, {}, begins, texts=found)


@pytest.mark.parametrize(
    ("texts", "starts"),
    [
        pytest.param(["我们", "没有", "出", "门", "。"], [1, 1, 1, 0, 0], id="Chinese"),
        pytest.param(["今日", "は", "天", "気", "が"], [1, 1, 1, 0, 1], id="Japanese"),
        pytest.param(["เรา", "ไป", "ตล", "าด"], [1, 1, 1, 0], id="Thai"),
        pytest.param(["我", "们没", "有"], [1, 1, 0], id="a word begins within a token"),
        pytest.param([" the", " bo", "ats", "."], [1, 1, 0, 0], id="English"),
        pytest.param([" use", " win", "now", "我们"], [1, 1, 0, 1], id="both"),
        pytest.param(["我们", "win", "now"], [1, 1, 0], id="a word behind a script without spaces"),
        pytest.param([b"\xe6", b"\x88\x91", "们", "没有"], [1, 0, 0, 1], id="bytes of a character"),
        pytest.param([b"\x91", "我们", b"\xe6\xb2"], [0, 1, 0], id="a character cut by the row"),
        pytest.param(["我们", b"", "没有"], [1, 0, 1], id="a token without text"),
        pytest.param([], [], id="no tokens"),
    ],
)
def test_where_words_begin(texts: list[Any], starts: list[int]) -> None:
    assert word_starts(np.arange(len(texts)), spelt(*texts)).tolist() == [bool(start) for start in starts]


def test_pieces_of_words(tmp_path: Path) -> None:
    """WordPiece, which drops the spaces and cuts Chinese into characters."""
    model = {"type": "WordPiece", "continuing_subword_prefix": "##"}
    vocabulary = {name: at for at, name in enumerate(["[CLS]", "[PAD]", "我", "们", "没", "the", "##n"])}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"model": {**model, "vocab": vocabulary}}))
    ids = special_ids(Masked(unit="words"), 8, cast(TokenData, Facts(str(path), 7))).ids
    assert word_starts(np.array([2, 3, 4, 5, 6]), ids).tolist() == [True, False, True, True, False]
