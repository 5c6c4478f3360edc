"""Names of MediaWiki's namespaces of files and categories by language, and the words for redirects and framed pictures.

A dump lists one name of each namespace, but its pages also use older names and those of other languages
(`[[Immagine:A.jpg|thumb]]`, `[[Bild:A.jpg|mini]]`).

Source: MediaWiki 1.39, languages/messages/Messages*.php: `$namespaceNames` and `$namespaceAliases` of NS_FILE and
NS_CATEGORY; `$magicWords` of img_thumbnail, img_manualthumb, img_framed, img_frameless and redirect. "file", "image"
and "category" are the names in every language.
"""

# Language: names of files | names of categories; in lower case, "_" stands for a space.
_NAMES = """
    ab: афаил файл | акатегориа категория; ace: beureukaih berkas gambar | kawan kategori; af: lêer beeld |
    kategorie; ak: | nkyekyem; aln: skeda figura | kategoria kategori; alt: файл | категория; am: ስዕል | መደብ; ami:
    faylo | kasasiwasiw; an: imachen | categoría; ang: ymele biliþ | flocc; ar: ملف صورة | تصنيف; arc: ܠܦܦܐ | ܣܕܪܐ;
    ary: فيشي ملف | تصنيف; arz: ملف صورة | تصنيف; as: চিত্ৰ चित्र চিত্র | শ্ৰেণী श्रेणी শ্রেণী; ast: ficheru imaxe
    imaxen archivu | categoría; atj: natisinahikaniwoc | tipanictawin; av: файл | категория; avk: iyeltak ewava |
    loma; awa: फाइल | श्रेणी; az: fayl şəkil | kateqoriya; azb: فایل | بؤلمه; ba: файл рәсем | категория төркөм;
    ban: berkas | kategori; bar: datei | kategorie; bcc: عکس تصویر | دسته رده; bcl: ladawan | kategorya; be: файл
    выява | катэгорыя; be-tarask: файл выява | катэгорыя; bg: файл картинка | категория; bgn: ورق اکس | تهر; bho:
    चित्र | श्रेणी; bjn: barakas berkas | tumbung kategori; blk: ဖုဲင် | ကဏ္ဍ; bn: চিত্র | বিষয়শ্রেণী; bpy: ছবি |
    থাক; br: restr skeudenn | rummad; bs: datoteka slika | kategorija; bxr: файл | категори категория; ca: fitxer
    imatge | categoria; cdo: 文件 | 分類; ce: файл сурт хlум | категори тоба кадегар; ceb: payl imahen |
    kategoriya; ch: litratu | katigoria; ckb: پەڕگە | پۆل; crh-cyrl: файл resim ресим | категория kategoriya;
    crh-latn: fayl ресим resim | kategoriya категория; cs: soubor | kategorie; csb: òbrôzk | kategòrëjô; cu: дѣло
    ви́дъ видъ | катигорїꙗ катигорї; cv: ӳкерчĕк | категори; cy: delwedd | categori; da: fil billede | kategori;
    dag: lahabali_kɔligu | pubu; de: datei bild | kategorie; din: apamduööt | bekätakthook; diq: dosya | kategori
    kategoriye; dsb: dataja wobraz | kategorija; dty: चित्र | श्रेणी; dv: ފައިލު ފައިލް | ޤިސްމު; el: αρχείο εικόνα
    | κατηγορία; eo: dosiero | kategorio; es: archivo imagen | categoría; et: fail pilt | kategooria; eu: fitxategi
    irudi | kategoria; ext: archivu | categoría categoria; fa: پرونده تصویر | رده; fat: fael | nkyekyεmu; ff:
    fichier | catégorie; fi: tiedosto kuva | luokka; fo: mynd | bólkur; fon: wékpo | akpaxwé; fr: fichier |
    catégorie; frp: fichiér émâge | catègorie; fur: figure | categorie; fy: ofbyld | kategory; ga: íomhá | catagóir
    rang; gag: dosye dosya | kategoriya kategori; gan: 文檔 | 分類; gcr: fiché | katégori; gd: faidhle |
    roinn-seòrsa; gl: ficheiro imaxe | categoría; glk: فاىل پرونده | جرگه رده; gn: ta'ãnga | ñemohenda; gom-deva:
    फायल | वर्ग श्रेणी; gor: berkas | dalala; got: 𐍆𐌴𐌹𐌻𐌰 | 𐌷𐌰𐌽𐍃𐌰; gu: ચિત્ર | શ્રેણી; guw: wepo | adà; gv: coadan |
    ronney; haw: waihona kiʻi | māhele; he: קובץ תמונה | קטגוריה; hi: चित्र | श्रेणी; hif-latn: | vibhag; hr:
    datoteka slika | kategorija; hsb: dataja wobraz | kategorija; ht: fichye imaj | kategori; hu: fájl kép |
    kategória; hy: պատկեր | կատեգորիա; ia: imagine | categoria; id: berkas gambar | kategori; ie: | categorie; ig:
    usòrò ákwúkwó_orünotu | òtù ébéonọr; ilo: papeles | kategoria; inh: файл | оагӏат; io: arkivo imajo |
    kategorio; is: mynd | flokkur; it: immagine | categoria; ja: ファイル 画像 | カテゴリ; jbo: datnyvei | klesi;
    jv: barkas gambar | kategori; ka: ფაილი სურათი | კატეგორია; kaa: su'wret | kategoriya; kab: tugna | taggayt;
    kbd-cyrl: файл | категориэ категория; kcg: fail | sa; kea: fixeru | katiguria; kg: fisye | kalasi; khw: فائل |
    زمرہ; kiu: dosye dosya | kategoriye kategori; kk-arab: سۋرەت сурет swret | سانات санат sanat; kk-cyrl: сурет
    swret سۋرەت | санат sanat سانات; kk-latn: swret сурет سۋرەت | sanat санат سانات; kl: fiileq fil billede |
    sumut_atassuseq kategori; km: ឯកសារ រូបភាព | ចំណាត់ថ្នាក់ក្រុម ចំណាត់ក្រុម ចំនាត់ថ្នាក់ក្រុម; kn: ಚಿತ್ರ | ವರ್ಗ;
    ko: 파일 그림 | 분류; krc: файл | категория; ks-arab: فَیِل | زٲژ; ks-deva: फ़ाइल | ज़ॉज़; ksh: datei beld
    belld | saachjrupp sachjrop saachjrop saachjropp kattejori kategorie katejori; ku-latn: wêne | kategorî; kv:
    файл | категория; kw: restren | klass class; ky: файл | категория; la: fasciculus imago | categoria; lad: dosya
    archivo dossia | kateggoría categoría katēggoría; lb: fichier bild | kategorie; lbe: сурат | категория; lez:
    файл | категория; lfn: fix | categoria; li: plaetje aafbeilding | categorie kategorie; lij: immaggine immagine
    | categorîa categoria; lmo: archivi immagine | categoria categuria; lo: ຮູບ | ໝວດ; lrc: جانیا أسگ | دأسە; lt:
    vaizdas | kategorija; ltg: fails | kategoreja; lv: attēls | kategorija; lzz: dosya | kʼatʼegori kategori; mad:
    bhengkek | bhângsa; mai: फाइल | श्रेणी; mdf: няйф изображение | категорие категория; mg: sary | sokajy
    catégorie; mhr: файл | категорий категория; min: berkas | kategori; mk: податотека слика | категорија; ml:
    പ്രമാണം ചി ചിത്രം പ്ര | വർഗ്ഗം വി വ വിഭാഗം; mn: файл зураг | ангилал; mni: ꯐꯥꯏꯜ | ꯃꯆꯥꯈꯥꯏꯕ; mnw: ဝှာင် | ကဏ္ဍ;
    mr: चित्र | वर्ग; mrh: faih | pho; mrj: файл | категори; ms: fail imej | kategori; ms-arab: فاءيل | کاتݢوري;
    mt: stampa | kategorija; mwl: fexeiro ficheiro imagem | catadorie categoria; my: ဖိုင် | ကဏ္ဍ; myv: артовкс |
    категория; mzn: پرونده تصویر | رج رده; nah: īxiptli imagen | neneuhcāyōtl categoría; nan: tóng-àn 文件 |
    lūi-pia̍t 分類; nap: fiùra immagine | categurìa categoria; nb: fil bilde | kategori; nds: bild datei |
    kategorie; nds-nl: bestaand ofbeelding | kategorie categorie kattegerie; ne: चित्र | श्रेणी; new: किपा | पुचः;
    nia: berkas | kategori; nl: bestand afbeelding | categorie; nn: fil | kategori; nod: ᨼᩱᩃ᩺ | ᩉ᩠ᨾ᩠ᩅᨯᩉ᩠ᨾᩪ᩵; nqo:
    ߞߐߕߐ߮ | ߦߌߟߡߊ; nso: seswantšho | setensele; nv: eʼelyaaígíí | tʼááłáhági_átʼéego; oc: fichièr imatge |
    categoria; olo: failu | kategourii; or: ଫାଇଲ | ଶ୍ରେଣୀ ବିଭାଗ; os: файл ныв | категори; pa: ਤਸਵੀਰ | ਸ਼੍ਰੇਣੀ; pcm:
    | katigori; pdc: feil datei | abdeeling kategorie; pfl: dadai datei | sachgrubb kategorie kadegorie; pi: पटिमा
    | विभाग; pl: plik grafika | kategoria; pms: figura | categorìa; pnb: فائل تصویر | گٹھ; pnt: αρχείον εικόναν |
    κατηγορίαν; prg: zūrbrukis | kategōrija; ps: دوتنه انځور | وېشنيزه; pt: ficheiro imagem arquivo | categoria;
    pt-br: arquivo imagem ficheiro | categoria; pwn: sineqetj_a_vecik | pinapapilipiliqan; qu: rikcha | katiguriya;
    qug: rikcha | samiyachiy; rm: datoteca | categoria; rmy: chitro | shopni; rn: dosiye | umuce; ro: fișier
    imagine fişier | categorie; rsk: файл | катеґория; ru: файл изображение | категория; rue: файл | катеґорія; rw:
    dosiye | ikiciro; sa: सञ्चिका चित्रं चित्रम् | वर्गः; sah: билэ ойуу | категория; sat: ᱨᱮᱫ | ᱛᱷᱚᱠ; sc: immàgini
    | categoria; scn: mmàggini | catigurìa; sd: فائل عڪس | زمرو; sdc: immagina | categuria; se: fiila |
    kategoriija; sgs: abruozdielis vaizdas | kateguorėjė kategorija; sh: datoteka | kategorija; sh-latn: datoteka |
    kategorija; shi: afaylu | taggayt; shn: ၾၢႆႇ | ပိူင်ထၢၼ်ႈ; shy-latn: afaylu | taggayt; si: ගොනුව රූපය |
    ප්‍රවර්ගය; sk: súbor obrázok | kategória; skr-arab: فائل | ونکی; sl: slika | kategorija; smn: tiätuvuárkká |
    luokka; sq: skeda figura | kategoria kategori; sr-ec: датотека slika слика | категорија kategorija; sr-el:
    datoteka слика slika | kategorija категорија; srn: gefre afbeelding | guru categorie; sro: documentu |
    categoria; stq: bielde | kategorie; su: gambar | kategori; sv: fil bild | kategori; sw: faili picha | jamii;
    syl: ꠚꠣꠁꠟ | ꠇꠦꠐꠣꠉꠞꠤ; szl: plik | kategoryjo kategoria; szy: tangan | kakuniza; ta: படிமம் | பகுப்பு; tay:
    biru’_na_zayzyuwaw biru'_na_zayzyuwaw | zyuwaw_na; tcy: ಫೈಲ್ | ವರ್ಗೊ; te: దస్త్రం బొమ్మ ఫైలు | వర్గం; tet:
    imajen | kategoria kategoría; tg-cyrl: акс | гурӯҳ; th: ไฟล์ ภาพ | หมวดหมู่; ti: ፋይል | መደብ; tk: faýl |
    kategoriýa; tl: talaksan | kategorya kaurian; tly: fajl | tispir; tn: setshwantsho | karolo; tpi: fail | grup;
    tr: dosya resim | kategori; trv: patas_bntasan | snakun; tt-cyrl: файл изображение рәсем räsem | төркем
    категория törkem; tt-latn: fayl räsem | törkem; tw: | nkyekyεmu; tyv: файл | аңгылал категория; udm: файл суред
    | категория; ug-arab: ھۆججەت | تۈر; uk: файл зображення изображение | категорія категория; ur: فائل تصویر ملف |
    زمرہ; uz: fayl tasvir | turkum kategoriya; vec: imàjine | categoria; vep: fail | kategorii; vi: tập_tin hình |
    thể_loại; vls: ofbeeldienge | categorie; vmf: dôdaj | gadâgorii; vo: ragiv magod | klad; vro: pilt |
    katõgooria; wa: imådje | categoreye; war: paypay fayl | kaarangay; wls: koga | faʻahiga; wo: dencukaay | wàll
    catégorie; xal: боомг зург | әәшл янз; yi: טעקע בילד | קאַטעגאָריע קאטעגאריע; yo: fáìlì àwòrán | ẹ̀ka; yue:
    文件 檔 檔案 档 档案 圖 圖像 图 图像 | 分類 類 类 分类; zea: plaetje | categorie; zh-hans: 文件 档案 图像 图片
    | 分类; zh-hant: 檔案 文件 圖像 圖片 | 分類; hyw: | ստորոգութիւն
"""

FRAMES = frozenset(
    """
    b'tilar bawd bez_okvira bez_rama bez_ramki bezokvira bezrama bezramki bezrámu bing bingkai bla_tilar
    brezokvirja bélyeg bélyegkép béçerçewe cadre cadru comborda commoldura conbordo conmarco câdro daing_kwadro
    daqsminuri doem doemnaegel duimnael duum duumnegel encadre encadré encâdrâ enframed enkadrita enkadrite
    enmarcada enmarcado enquagrat eta ewin_bawd faracadru figura frame framed frameless fremys fráma frámaithe
    gerahmt gerummt hebfram i_kornizuar inchu inchunnaq inchuyuq incorniciato ingenramme inramad jempol jmpl
    kaderloos kadro kaoderloos kehyksetön kehys kehystetty keretben keretes keretezett keretnélküli kerettel khung
    không_khung kornizë kwadro küçük küçükresim marc marco mały min mini miniatiūra miniatur miniatura
    miniaturadaimagem miniaturadaimaxe miniaturadeimagen miniatuur miniatyr miniatyur miniatűr minijatura minuri
    mion mionsamhail mân-lun nakakawadro net_gerummt nhỏ nirbing nobaý non_encadre non_encadré náhled náhľad
    náhľadobrázka okvir okvirjeno omkaderd omraam originale pa_kornizë pamje parapamje pas_encâdrâ pienois
    pienoiskuva pisi pisipilt quadre qıckek raam raamita raamloos rahmenlos rahmt ram ramka ramlös ramma ramme
    rammelaus rammeløs resmoqıckek rikchacha riquadrato rám sans_cadre semborda semmoldura sen_câdro senbordo
    senkadra senmarco sens_quadre sense_marc senza_cornice sin_embarcar sin_enmarcar sinenmarcar sinmarco
    skeusennik sličica sürmeli sürmesiz tanpabingkai thumb thumbnail tilar tilat umanjeno umraand vignette vinheta
    çerçeve çerçeveli çerçevesiz çerçewe çerçewekerden çerçeweyın þumall με-πλαίσιο μικρογραφία μινιατούρα
    χωρίς-πλαίσιο бе_рамка бе_чаҳорчӯба без_оквира без_рама безоквира безрама безрамка безрамки безрамкі ворамка
    врамка гурабе гурабоцаш жима жимо значак кенжешка кундовтомо кундсо къаддæр къаддæргонд мини мини-слика
    миниатюра міні мініатюра мініяцюра нобай обрамити обрамить ойуучаан оквир раамка раамката_суох рам рамка
    сүрмелі сүрмесіз умањено чаҳорчӯба մինի շրջափակել לא_ממוסגר ללא_מסגרת ממוזער ממוסגר מסגרת קליין إطار انگشتدان
    انگشتی بإطار بدون_چوکھٹا بندانگشتی بټنوک بی_قاب بیقاب بی‌قاب بێچوارچێوە تصغير تصغیر سۇرمەسىز سۇرمەلى قاب قابیق
    لاإطار مصغر من_غير_اطار نوباي وێنۆک چوارچێوە چوکھٹا ܙܥܘܪܬܐ अंगूठा अंगूठाकार अङ्गुष्ठ अङ्गुष्ठचित्रम् आबन्ध
    आबन्धः इवलेसे चौकट निराबन्ध निराबन्धः फ़्रेम फ़्रेमहीन फ्रेम फ्रेमहीन लघुचित्रम् लघुत्तम विनाचौकट विनाफ़्रेम
    सङ्कुचितचित्र सङ्कुचितचित्रम् থাম্বনেইল ফ্রেমবিহীন ফ্রেমসহ ଦେଖଣା ନଖଦେଖଣା ଫ୍ରେମକରା ଫ୍ରେମନଥିବା ചട്ടം ചട്ടത്തിൽ
    ചട്ടരഹിതം ലഘു ലഘുചിത്രം მინი მინიასლი მინიატიურა ცეროდენა គ្មានស៊ុម រូបតូច រូបភាពតូច ស៊ុម サムネイル フレーム
    フレームなし 代替画像 无框 有框 無框 縮圖 缩略图 섬네일 썸네일 축소판 프레임 프레임없음
    """.split()
)

REDIRECTS = frozenset(  # which stand behind "#"
    """
    aanstuur adkas ail-cyfeirio ailgyfeirio al aliah alidirekti alidirektu alih ancaminar athsheoladh aýdaw
    beralîkirin birzuzendu daskedyans deurverwiezing dirección dirijar doorverwijzing duurverwiezing endrecera
    fihodinana hetenayiş i̇sti̇qamətləndi̇r i̇sti̇qamətləndi̇rmə kiahou kúfù leidt_öm_op lencong ohjaus omdiriger
    omdirigering ođđasitstivren patrz peradresavimas presmeruj preusmeri preusmeritev preusmjeri przekieruj pupinah
    pusapuna přesměruj redireccio redireccion redirecció redirección redirecionamento redirect redirecteaza
    redirection redirèccion reendrecera renviament ridrejto rimando rindirizza rinvia rinvio saadaq stir stivren
    suuna tam tilvísun tojədən_i̇sti̇ğomət_doy uudelleenohjaus varda viruleedung weiterleitung wiederleiden
    yonaltirish yoʻnaltirish yönlendi̇r yönlendi̇rme yönnendi̇r yönnendi̇rmä yönnendi̇rmäkler yünältü átirányítás
    æрвитæн æрвыст ömleide ömleide_op ömleidung đổi ανακατευθυνση айдау види виж джибериу дӏасахьажор көжүрүлге
    перанакіраваньне перенапр перенаправление перенаправлення пренасочване пренасочување преусмери преусмјери
    прѣнаправлєниѥ равона рарвыст редирект утаарыы утр хьажайо чиглүүлэг шигледир юнәлтү վերահղում վերայղում הפניה
    ווייטערפירן ايداۋ بور تحويل تغییر_مسیر تغییرمسیر رجوع_مکرر مڑجوڑ چوريو ڕەوانەکەر ܨܘܝܒܐ अनुप्रेषित अनुप्रेषितम्
    पुनर्निदेशन पुनर्निर्दिष्टम् पुनर्निर्देशन पुनर्प्रेषित पुर्ननिर्देशन পুনঃনির্দেশ পুনঃর্নির্দেশ পুননির্দেশ
    ਰੀਡਿਰੈਕਟ ଲେଉଟାଣି வழிமாற்று దారిమార్పు തിരിച്ചുവിടുക തിരിച്ചുവിടൽ යළියොමුව เปลี่ยนทาง გადამისამართება បញ្ជូនបន្ត
    ប្ដូរចំណងជើង ប្ដូរទីតាំង ប្ដូរទីតាំងទៅ ប្តូរទីតាំង ប្តូរទីតាំងទៅ リダイレクト 転送 重定向 重新導向 넘겨주기
    """.split()
)


def _by_language() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Names of files and names of categories."""
    table = {}
    for entry in _NAMES.replace("\n", " ").split(";"):
        language, _, names = entry.strip().partition(":")
        files, _, categories = names.partition("|")
        table[language] = (_spaced(files), _spaced(categories))
    return table


def _spaced(names: str) -> frozenset[str]:
    return frozenset(name.replace("_", " ") for name in names.split())


_BY_LANGUAGE = _by_language()
CATEGORIES = frozenset({"category"}.union(*(categories for _, categories in _BY_LANGUAGE.values())))


def file_names(language: str) -> frozenset[str]:
    """Names of the namespace of files in wikis of a language (`pt-br`: those of `pt` too; none: those of all), in lower
    case."""
    root = language.partition("-")[0]
    known = (files for code, (files, _) in _BY_LANGUAGE.items() if root in ("", code.partition("-")[0]))
    return frozenset({"file", "image"}.union(*known))
