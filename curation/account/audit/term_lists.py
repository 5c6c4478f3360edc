"""Lists of terms: cues of dialects, mentions of groups of people, and attributes that stereotypes are made of.

The built-in lists are short, ours, and for a first look: cues of dialects in several languages, mentions and attributes
in English. A word that means something common in another language ("men", "kind") is left out, since a list is looked
for in every text. Give lists of your own by path, one term per line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from curation.core.errors import UserError
from curation.models.lists.terms import read_terms

# Separated by commas.
DIALECTS = {
    "African American English": "finna, tryna, imma, bruh, deadass, she be, he be, they be, ion know, gone be",
    "Australian English": "arvo, bogan, brekkie, smoko, bottle shop, ute, dunny",
    "Austrian German": "heuer, Jänner, Paradeiser, Erdäpfel, Marillen, Sackerl, Jause, leiwand",
    "Brazilian Portuguese": "ônibus, trem, geladeira, banheiro, café da manhã, você está",
    "Cantonese": "嘅, 咗, 唔, 哋, 冇, 嚟, 喺, 嗰",
    "European Portuguese": "autocarro, telemóvel, comboio, frigorífico, casa de banho, pequeno almoço",
    "Indian English": "crore, crores, lakh, lakhs, prepone, preponed, batchmate, do the needful, out of station",
    "Irish English": "craic, culchie, yer man, giving out to, eejit, press cupboard, amn't",
    "Latin American Spanish": "celular, computadora, platicar, chévere, laburo, plomero, estacionar",
    "Nigerian English and Pidgin": "abeg, wetin, wahala, oga, naija, una dey, dey go, no dey",
    "Quebec French": "magasinage, magasiner, pantoute, tuque, cégep, dépanneur, fin de semaine",
    "Scots": "bairn, bairns, dinnae, cannae, didnae, wisnae, outwith, dreich, glaikit",
    "Singapore English": "lah, leh, kiasu, kopitiam, shiok, paiseh, ang moh",
    "Swiss German": "gsi, isch, nöd, öppis, luege, grüezi, hoi zäme",
}
MENTIONS = {
    "Asian people": "asian people, asian american, asian americans, asian man, asian men, asian woman, asian women",
    "Black people": "black people, black man, black men, black woman, black women, black community, african american, "
    "african americans",
    "Christians": "christian, christians, christianity, catholic, catholics, protestant, protestants",
    "Hindus": "hindu, hindus, hinduism",
    "Indigenous people": "indigenous people, indigenous peoples, native american, native americans, first nations, "
    "aboriginal",
    "Jews": "jew, jews, jewish, judaism, synagogue, synagogues",
    "Latino people": "latino, latinos, latina, latinas, latinx, hispanic, hispanics",
    "Muslims": "muslim, muslims, islam, islamic, mosque, mosques",
    "White people": "white people, white man, white men, white woman, white women",
    "disabled people": "disabled, disability, disabilities, wheelchair, wheelchairs, deaf, autistic, autism",
    "gay, lesbian and bisexual people": "gay, gays, lesbian, lesbians, bisexual, bisexuals, homosexual, homosexuals, "
    "same sex, same-sex, lgbt, lgbtq",
    "migrants": "immigrant, immigrants, migrant, migrants, refugee, refugees, asylum seeker, asylum seekers",
    "men": "himself, his, father, fathers, boy, boys, husband, husbands, gentleman, gentlemen",
    "older people": "elderly, senior citizen, senior citizens, retirees, pensioners, old people, grandparents",
    "poor people": "homeless, poor people, low income, low-income, welfare recipient, welfare recipients",
    "trans people": "transgender, transsexual, trans woman, trans women, trans man, trans men, nonbinary, non-binary",
    "women": "herself, she, mother, mothers, girl, girls, wife, wives, woman, women, lady, ladies",
}
ATTRIBUTES = {
    "appearance": "beautiful, pretty, attractive, sexy, ugly, slim, cute, naked",
    "competence": "intelligent, smart, brilliant, clever, skilled, educated, talented, gifted, successful",
    "hardship": "sick, vulnerable, lonely, oppressed, desperate, unemployed, suffering",
    "hostility": "violent, dangerous, aggressive, hostile, angry, cruel, criminal, illegal, terrorist, extremist, evil",
    "incompetence": "stupid, ignorant, lazy, incompetent, dumb, uneducated, helpless, weak",
    "power": "powerful, strong, wealthy, rich, influential, leading, dominant, ambitious",
    "warmth": "friendly, caring, gentle, loving, generous, honest, loyal, polite",
}

Named = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class TermLists:
    """The terms of each list, by its name."""

    dialects: Named
    mentions: Named
    attributes: Named


def term_lists(terms: Sequence[str] = (), attributes: Sequence[str] = ()) -> TermLists:
    """The built-in lists, and those of files given as "NAME=FILE"; a file replaces the list of its name, and `terms`
    with another name are mentions. Raises UserError for another form, InputError for a file without terms."""
    embedded = TermLists(dialects=_split(DIALECTS), mentions=_split(MENTIONS), attributes=_split(ATTRIBUTES))
    own = _read(terms, "terms")
    dialects = {name: own.get(name, list_) for name, list_ in embedded.dialects.items()}
    mentions = {**embedded.mentions, **{name: list_ for name, list_ in own.items() if name not in dialects}}
    attributed = {**embedded.attributes, **_read(attributes, "attributes")}
    return replace(embedded, dialects=dialects, mentions=mentions, attributes=attributed)


def _split(lists: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(term.strip() for term in terms.split(",")) for name, terms in lists.items()}


def _read(given: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    lists = dict[str, tuple[str, ...]]()
    for value in given:
        name, mark, file = value.partition("=")
        if not mark or not name.strip() or not file:
            raise UserError(f"--{option} {value}: expected NAME=FILE, such as nurses=nurses.txt with one term per line")
        lists[name.strip()] = read_terms(file)
    return lists
