"""The begin and the end of documents, as files say them, and one line where they do not."""

from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.tokenizer_template import Template
from curation.tokens.encoders.text_ends import AUTO, ENDS, NONE, PARTNERS, StatedEnds, begin_of, end_of
from curation.tokens.encoders.tokenizer_settings import TokenizerSettings

NAMES = ("<s>", "</s>", "<|endoftext|>", "<pad>", "a")
PLAIN = Template()
BEGINS = Template(("<s>",))


def stated(template: Template | None, *names: str, **options: Any) -> StatedEnds:
    names = names or NAMES
    special = options.pop("special", [name for name in names if len(name) > 1])
    beside = TokenizerSettings(**options.pop("beside", {}))
    ids = {name: 10 + number for number, name in enumerate(names)}
    return StatedEnds(file="x.json", ids=ids, special=special, template=template, beside=beside, **options)


def ends(own: StatedEnds, begin: str = AUTO, end: str = AUTO) -> tuple[int | None, int]:
    first = begin_of(own, begin)
    return first, end_of(own, end, first)


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        pytest.param(stated(BEGINS), (10, 11), id="the end is the partner of the begin, not the token for padding"),
        pytest.param(stated(Template(("<s>",), ("<|endoftext|>",))), (10, 12), id="the template has both"),
        pytest.param(stated(BEGINS, beside={"end": "<|endoftext|>"}), (10, 12), id="named beside it"),
        pytest.param(stated(BEGINS, beside={"end": 12}), (10, 12), id="an id beside it"),
        pytest.param(stated(BEGINS, beside={"adds_begin": True, "begin": "<s>"}), (10, 11), id="both say it"),
        pytest.param(stated(PLAIN, beside={"adds_begin": False, "end": "</s>"}), (None, 11), id="both say none"),
        pytest.param(stated(PLAIN, "</s>", "<s>", "a"), (None, 10), id="a begin that the template does not use"),
        pytest.param(stated(PLAIN, "<|endoftext|>", "</s>", beside={"padding": 10}), (None, 11), id="nor beside it"),
        pytest.param(stated(PLAIN, "<|endoftext|>", "</s>", padding="<|endoftext|>"), (None, 11), id="not padding"),
        pytest.param(stated(PLAIN, "<|endoftext|>", padding="<|endoftext|>"), (None, 10), id="padding alone"),
        pytest.param(stated(PLAIN, "</s>", "<eos>", special=["<eos>"]), (None, 11), id="the special one"),
        pytest.param(stated(PLAIN, "<|endoftext|>", "<|im_end|>"), (None, 10), id="Qwen's own file"),
        pytest.param(stated(BEGINS, "<s>", "<eos>"), (10, 11), id="without the partner"),
        pytest.param(stated(None, named_end="</s>"), (None, 11), id="a model without a begin"),
        pytest.param(
            stated(None, named_begin="<s>", named_end="</s>", beside={"adds_begin": True}), (10, 11), id="its begin"
        ),
        pytest.param(
            stated(None, named_begin="<s>", named_end="</s>", beside={"adds_begin": False}), (None, 11), id="not so"
        ),
    ],
)
def test_auto(own: StatedEnds, expected: tuple[int | None, int]) -> None:
    assert ends(own) == expected


@pytest.mark.parametrize("template", [PLAIN, BEGINS, None])
def test_what_is_named_holds(template: Template | None) -> None:
    own = stated(template, named_begin="<s>", named_end="</s>", beside={"adds_begin": True, "end": "</s>"})
    assert ends(own, NONE, "<|endoftext|>") == (None, 12)
    assert ends(own, "<|endoftext|>", "<s>") == (12, 10)


@pytest.mark.parametrize("begin", PARTNERS)
def test_partners(begin: str) -> None:
    end = PARTNERS[begin]
    others = (name for name in ENDS if name != end)
    assert ends(stated(Template((begin,)), begin, end, *others)) == (10, 11)


@pytest.mark.parametrize(
    ("own", "options", "message"),
    [
        pytest.param(
            stated(PLAIN),
            {},
            r"several tokens that may end a document \(<\|endoftext\|>, </s>\), and nothing says which; write `end: "
            r'"<\|endoftext\|>"` or another',
            id="two ends",
        ),
        pytest.param(stated(PLAIN, "a"), {}, r"no end-of-text token \(.*\); write `end: TOKEN`", id="no end"),
        pytest.param(
            stated(Template(("<s>", "<pad>"))),
            {},
            r"puts 2 tokens before a text \(<s>, <pad>\), .*write `begin: TOKEN` or `begin: none`",
            id="two begins",
        ),
        pytest.param(
            stated(Template((), ("</s>", "<pad>"))), {}, r"puts 2 tokens behind .*write `end: TOKEN`", id="two behind"
        ),
        pytest.param(
            stated(PLAIN, beside={"adds_begin": True, "begin": "<s>"}),
            {},
            'puts no token before a text, but by tokenizer_config.json beside it one is added; write `begin: "<s>"` or '
            "`begin: none`",
            id="only the config adds one",
        ),
        pytest.param(
            stated(BEGINS, beside={"adds_begin": False}),
            {},
            'puts <s> before a text, but by tokenizer_config.json beside it none is added; write `begin: "<s>"` or',
            id="only the template adds one",
        ),
        pytest.param(
            stated(None, named_begin="<s>", named_end="</s>"),
            {},
            'has the begin-of-text <s>, and nothing says whether documents begin with it; write `begin: "<s>"` or',
            id="a model with a begin",
        ),
        pytest.param(
            stated(None, named_end="</s>", beside={"adds_begin": True}),
            {},
            "no begin-of-text, but by its config documents begin with it; write `begin: TOKEN` or `begin: none`",
            id="a model that lacks it",
        ),
        pytest.param(stated(PLAIN), {"begin": "<t>"}, "begin: x.json has no token '<t>'; did you mean", id="begin"),
        pytest.param(stated(PLAIN), {"end": "zzzzzz"}, "end: x.json has no token 'zzzzzz'; known: </s>", id="end"),
        pytest.param(stated(BEGINS, beside={"end": 99}), {}, "end: x.json has no token 99", id="an id of no token"),
    ],
)
def test_what_auto_cannot_know(own: StatedEnds, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ends(own, **options)
    assert "\n" not in str(caught.value)
