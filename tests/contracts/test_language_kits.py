"""Every shipped kit: its options exist in the rule sets that it names, in every variant, and good text passes it."""

from typing import Any

import pyarrow as pa
import pytest

from curation.core.by_language import languages_of
from curation.core.rules import first_failure
from curation.engine.recipe.recipe import parse
from curation.text.languages.kits import SHIPPED, kits

RULE_SETS = ("gopher_quality", "gopher_repetition", "fineweb_quality", "c4_quality")
LANGUAGES = sorted(kits(SHIPPED).by_language)
# Made up for this test, each language's own words for much the same: an old house by a river, and who sits there.
SENTENCES = {
    "ar": "البيت القديم يقع على التل قرب النهر، في المساء يأتي الناس من القرية و يجلسون على الحجر.",
    "bg": "Старата къща стои на хълма до реката, а вечер хората идват от селото и седят на камъка.",
    "bn": "পুরানো বাড়িটি নদীর পাশে এবং সন্ধ্যায় গ্রাম থেকে মানুষ এসে পাথরের উপর বসে গল্প করে না এমন হয় না।",
    "ca": "La casa vella és prop del riu, i durant el vespre la gent arriba per seure als bancs de pedra.",
    "cs": "Starý dům stojí na kopci u řeky a večer lidé z vesnice přijdou, aby se posadili na kámen.",
    "da": "Det gamle hus ligger på bakken ved åen, og om aftenen kommer folk fra byen og sidder på en sten.",
    "de": "Das alte Haus steht am Fluss, und am Abend kommen die Leute aus dem Dorf und sitzen in der Sonne.",
    "el": "Το παλιό σπίτι είναι κοντά στο ποτάμι και το βράδυ οι άνθρωποι έρχονται από το χωριό να καθίσουν.",
    "en": "The old house stands by the river, and in the evening people come from the village to sit with it.",
    "es": "La casa vieja está cerca del río, y por la tarde la gente del pueblo viene a sentarse en una piedra.",
    "et": "Vana maja seisab jõe ääres ja õhtul tulevad inimesed külast ning istuvad kivil, kui ilm on hea.",
    "fa": "خانه قدیمی در کنار رود است و مردم در شب از ده به آن جا می آیند که با هم بنشینند.",
    "fi": "Vanha talo on joen rannalla, ja illalla ihmiset tulevat kylästä ja istuvat kivellä, kun sää on hyvä.",
    "fr": "La vieille maison est près de la rivière, et le soir les gens du village viennent y parler.",
    "he": "הבית הישן עומד על הגבעה ליד הנהר, וגם בערב אנשים באים מן הכפר לשבת על האבן עם כל השכנים.",
    "hi": "पुराना घर नदी के पास है और शाम को गाँव से लोग आकर पत्थर पर बैठते हैं।",
    "hr": "Stara kuća je na brdu uz rijeku, a navečer ljudi dolaze iz sela i sjede na kamenu.",
    "hu": "A régi ház a folyó mellett áll, és este az emberek a faluból jönnek, hogy egy kövön üljenek.",
    "id": "Rumah tua itu ada di tepi sungai, dan pada malam hari warga dari desa datang untuk duduk dengan teman.",
    "it": "La vecchia casa sta vicino al fiume, e la sera la gente del paese viene a sedere in un prato.",
    "ja": "古い家は川のそばにあります。夕方になると、村の人がここに来て、石の上に座って話をします。",
    "km": "ផ្ទះចាស់មាននៅក្បែរទន្លេ ហើយនៅពេលល្ងាចមនុស្សមកពីភូមិដើម្បីអង្គុយនិងនិយាយគ្នាក្នុងសួនដែលមានផ្កា។",
    "ko": "강가에 있는 오래된 집에는 커다란 나무가 있고 저녁이면 다른 마을에서 사람들이 찾아와 돌에 앉을 수 있습니다.",
    "lo": "ເຮືອນເກົ່າຢູ່ໃກ້ແມ່ນ້ຳ ແລະ ຕອນແລງຄົນຈາກບ້ານມານັ່ງຢູ່ທີ່ນີ້",
    "lt": "Senas namas stovi prie upės, ir vakare žmonės iš kaimo ateina, kad sėdėtų ant akmens su draugais.",
    "lv": "Vecā māja stāv pie upes, un vakarā cilvēki no ciema nāk, lai sēdētu uz akmens ar draugiem, kas ir labi.",
    "mr": "जुने घर नदीजवळ आहे आणि संध्याकाळी गावातील सर्व लोक येथे येऊन दगडावर बसतात असे ते म्हणतात.",
    "ms": "Rumah lama itu ada di tepi sungai, dan pada waktu petang orang dari kampung datang untuk duduk dengan saya.",
    "my": "အိမ်ဟောင်းသည် မြစ်အနီးတွင် ရှိပြီး ညနေတိုင်း ရွာသားများ လာ၍ ထိုင်ကြသည်။",
    "nl": "Het oude huis staat op de heuvel bij de rivier, en in de avond komen mensen van het dorp er met een boek.",
    "no": "Det gamle huset står på bakken ved elva, og om kvelden kommer folk fra bygda for å sitte i sola.",
    "pl": "Stary dom stoi na wzgórzu nad rzeką, a wieczorem ludzie z wioski siadają na kamieniu i mówią, że to jest.",
    "pt": "A casa velha fica perto do rio, e à tarde a gente da aldeia vem sentar com os amigos em um banco.",
    "ro": "Casa veche este pe deal, și seara oamenii din sat vin să stea pe o piatră cu cei care cântă.",
    "ru": "Старый дом стоит на холме у реки, и вечером люди из деревни приходят, как и раньше, посидеть с соседями.",
    "sk": "Starý dom je na kopci pri rieke a večer sa ľudia z dediny zídu a sedia na kameni.",
    "sl": "Stara hiša je na hribu ob reki in zvečer se ljudje iz vasi zberejo, da sedijo na kamnu.",
    "sr": "Стара кућа је на брду крај реке, и увече људи из села долазе да седе на камену.",
    "sv": "Det gamla huset står på kullen vid ån, och på kvällen kommer folk från byn för att sitta i solen.",
    "ta": "பழைய வீடு ஆற்றின் அருகில் உள்ளது மற்றும் மாலையில் ஊர் மக்கள் இந்த இடத்தில் ஒரு கல்லில் அமர்வார்கள்.",
    "te": "పాత ఇల్లు నది పక్కన ఉంది మరియు సాయంత్రం ఊరి నుంచి మనుషులు ఈ రాయి మీద కూర్చుంటారు.",
    "th": "บ้านเก่าอยู่ใกล้แม่น้ำ และในตอนเย็นคนจากหมู่บ้านจะมานั่งที่นี่ เป็นความสุขของทุกคน",
    "tr": "Eski ev nehrin kenarında durur ve akşam köyden bir sürü insan gelir, çok güzel hava için bu taşa oturur.",
    "uk": "Старий дім стоїть на горбі біля річки, і ввечері люди з села приходять до нього, як і колись.",
    "ur": "پرانا گھر دریا کے پاس ہے اور شام کو گاؤں سے لوگ اس میں آ کر بیٹھتے ہیں",
    "vi": "Ngôi nhà cũ đã có từ lâu bên bờ sông, và buổi chiều dân làng được ngồi với nhau cho vui.",
    "zh": "老房子在河边的山上，到了晚上，村里的人都来这里坐着，他们说的是从前的事和明天的天气。",
}
SENTENCES |= dict.fromkeys(("wuu", "yue"), SENTENCES["zh"])


def rule_set(key: str, options: str = "") -> Any:
    recipe = f"version: 1\nsources: {{web: [{{filter: {{{key}: {{by_language: shipped{options}}}}}}}]}}"
    (stage,) = parse(recipe, "m").sources["web"]
    return dict(stage.components)[key]


def failure(rules: Any, text: str, language: str) -> str | None:
    label = pa.StructArray.from_arrays([pa.array([language])], ["label"])
    batch = pa.RecordBatch.from_pydict({"text": pa.array([text], pa.large_string()), "language": label})
    signals = rules.measure(batch)
    reason: str | None = first_failure(signals, rules.rules(), 1, languages_of(batch, rules.rules()))[0].as_py()
    return reason


@pytest.mark.parametrize("variant", ["paper", "datatrove", "dolma", "dclm"])
@pytest.mark.parametrize("key", RULE_SETS)
def test_kits_fit_every_variant(key: str, variant: str) -> None:
    if (key, variant) in {("fineweb_quality", "dolma"), ("fineweb_quality", "dclm")}:
        return
    made = rule_set(key, f", variant: {variant}")
    assert set(LANGUAGES) == made.by_language.keys()
    assert made.rules()


def test_kits_name_known_rule_sets() -> None:
    named = {key for own in kits(SHIPPED).by_language.values() for kit, _ in own for key in kit.options}
    assert named == {*RULE_SETS, "c4_lines"} - {"gopher_repetition"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_good_sentence_passes(language: str) -> None:
    assert failure(rule_set("gopher_quality", ", min_words: 5"), SENTENCES[language], language) is None


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {"en", "lo", "my"}))
def test_stop_words_of_another_language_do_not_pass(language: str) -> None:
    """The text of another script, or a list of names, is no prose of this language."""
    names = "Madrid Toronto Zaragoza Boston Istanbul Chicago Pontevedra Hamburg"
    assert failure(rule_set("gopher_quality", ", min_words: 5"), names, language) == "stop_words:low"
