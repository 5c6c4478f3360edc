"""The common tokenizer, and draws of documents."""

import numpy as np
import pyarrow as pa

from curation.account.compare.run_text import RunText
from curation.account.compare.tokens import RunTokens, common_tokenizer, order_of
from tests.curation.account.compare.texts import style


def text_of(name: str, texts: list[str]) -> RunText:
    return RunText(name, name, pa.array(texts, pa.large_string()), np.arange(1, len(texts) + 1, dtype=np.uint64))


def test_every_byte_is_a_token_whatever_was_learned_from() -> None:
    tokenizer = common_tokenizer([text_of("a", style(1, 20)), text_of("b", style(2, 20))], 400)
    texts = pa.array(["".join(map(chr, range(1, 400))), "Ωμέγα 漢字 \U0001f600"], pa.large_string())
    encoded = tokenizer.encode(texts).to_pylist()
    assert [tokenizer.decode(ids[:-1]) for ids in encoded] == texts.to_pylist()
    assert {token for token in tokenizer.tokens() if isinstance(token, bytes) and len(token) == 1} >= {
        bytes([value]) for value in range(256)
    }


def test_each_run_gives_equally_many_bytes() -> None:
    small = text_of("small", ["ab" * 50])
    large = text_of("large", ["cd" * 50, "ef" * 500])
    learned = {token for token in common_tokenizer([small, large], 300).tokens() if len(token) == 2}
    assert learned == {b"ab", b"cd"}  # of `large`, whose keys ascend, only the first 100 bytes


def test_a_draw_is_documents_in_an_order_of_its_own_and_the_beginning_of_a_larger_one() -> None:
    documents = pa.array([[number, 0] for number in range(1, 101)], pa.large_list(pa.uint16()))
    run = RunTokens("run", documents, np.arange(100, dtype=np.uint64))
    assert run.tokens == 200
    draws = [run.draw(seed, 200).tolist() for seed in (0, 1)]
    assert draws[0] != draws[1]
    for drawn in draws:
        assert drawn[1::2] == [0] * 100
        assert sorted(drawn[::2]) == list(range(1, 101))
    assert run.draw(0, 51).tolist() == draws[0][:51]


def test_documents_in_common_are_drawn_alike() -> None:
    keys = np.arange(50, dtype=np.uint64) * np.uint64(0x123456789ABCDEF)
    whole = keys[order_of(keys, 7)]
    part = keys[::2][order_of(keys[::2], 7)]
    assert [key for key in whole.tolist() if key in set(part.tolist())] == part.tolist()
