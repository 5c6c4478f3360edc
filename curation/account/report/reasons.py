"""Explains drop reasons in a few words, for those whose names do not say enough.

A reason is `<key>.<signal>:<side>`, `dedup.<method>:duplicate`, `extract:<cause>`, `error.<key>.<Exception>` or
`takedown`; what is not listed here says what it means by its name and its limit.
"""

import re

# What the text is like, by a pattern of the whole reason; the first that matches counts.
EXPLANATIONS = {
    re.compile(r"perplexity\.(worst_)?(perplexity|bits_per_character):low"): (
        "a language model predicts the text too easily: boilerplate, templates, repetition"
    ),
    re.compile(r"perplexity\.(worst_)?(perplexity|bits_per_character):high"): (
        "the text is unlike what the language model learnt from: noise, other styles, broken characters"
    ),
    re.compile(r"language\.score:low"): "no language is certain: mixed languages, code, names, very short text",
    re.compile(r"language\.label:not_in"): "the language is none of those that the recipe keeps",
    re.compile(r"language\.garbled:high"): "characters that were decoded with a wrong encoding",
    re.compile(r"gopher_quality\.alphabetic_words:low"): "too few words contain a letter: tables, numbers, symbols",
    re.compile(r"gopher_quality\.stop_words:low"): "too few of the language's most frequent words: no running prose",
    re.compile(
        r"gopher_repetition\.duplicate_(\d+)gram_characters:high"
    ): "much of the text is repeated runs of {0} words",
    re.compile(r"gopher_repetition\.top_(\d+)gram_characters:high"): "one run of {0} words is much of the text",
    re.compile(r"gopher_repetition\.duplicate_(line|paragraph)_characters:high"): "much of the text is repeated {0}s",
    re.compile(r"gopher_repetition\.duplicate_(lines|paragraphs):high"): "many {0} are repeated",
    re.compile(r"contamination\..*"): "the text holds an item of an evaluation set",
    re.compile(r"fineweb_quality\.short_lines:high"): "many lines are short: menus, lists",
    re.compile(r"dedup\.exact:duplicate"): "the same text as a document that is kept",
    re.compile(r"dedup\.(minhash|simhash|semantic):duplicate"): "a near-duplicate of a document that is kept",
    re.compile(r"dedup\.canonical_url:duplicate"): "the same address as a document that is kept",
    re.compile(r"dedup\..*:duplicate"): "a duplicate of a document that is kept",
    re.compile(r"extract:empty"): "the page has no main text",
    re.compile(r"extract:no_text"): "the record has no text",
    re.compile(r"extract:too_deep"): "the page's elements are nested too deeply",
    re.compile(r"extract:too_many_.*"): "the record is larger than the recipe allows",
    re.compile(r"extract:.*"): "no text could be taken from the record",
    re.compile(r"error\..*\.(timeout|memory)"): "the document took too much processor time or memory",
    re.compile(r"error\..*"): "the component failed on the document; its stage's warnings name it",
    re.compile(r"takedown"): "taken down before this stage ran",
    re.compile(r".*:unmeasured"): "the signal has no value for the text, such as for one without words",
}


UNOBVIOUS = "perplexity."  # begins reasons that few expect, such as low perplexity: also a terminal explains them


def brief(reason: str) -> str:
    """The explanation of a reason that few expect, else empty."""
    return explanation(reason) if reason.startswith(UNOBVIOUS) else ""


def explanation(reason: str) -> str:
    """A few words in plain English; empty where the reason needs none."""
    for pattern, words in EXPLANATIONS.items():
        found = pattern.fullmatch(reason)
        if found:
            return words.format(*found.groups())
    return ""
