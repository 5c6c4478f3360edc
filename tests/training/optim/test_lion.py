"""Lion against another implementation."""

from pytorch_optimizer import Lion as Other

from tests.training.optim.toy import Toy, by_decay, same, train
from training.optim.lion import Lion


def test_updates() -> None:
    own, other = Toy(), Toy()
    train(own, Lion(learning_rate=0.01, weight_decay=0.5).build(own), 5)
    train(other, Other(by_decay(other, 0.5), lr=0.01, betas=(0.9, 0.99)), 5)
    same(own, other)
