"""A block of a network: each half reads the residual stream and adds to it. B rows, L places, D width."""

from torch import Tensor, nn

from training.models.blocks.attention import Attention
from training.models.blocks.dropout import DropoutKeys, dropout
from training.models.blocks.layer import Layer
from training.models.blocks.masks import Visible
from training.models.blocks.rotary import Rotary
from training.models.sizes import Sizes
from training.trainable import Seam


def rms_norm(config: Sizes) -> nn.RMSNorm:
    """A norm of the residual stream."""
    return nn.RMSNorm(config.width, eps=config.norm_epsilon)


class Block(nn.Module):
    """Attention, then feed-forward. Nothing here says which block of a model it is, so compiled code is that of all.

    Each half has a norm of what it reads, and one of what it adds."""

    def __init__(
        self,
        attention: Attention,
        feed_forward: Layer,
        norms: tuple[nn.Module, nn.Module],
        output_norms: tuple[nn.Module, nn.Module] | None = None,
    ) -> None:
        super().__init__()
        self.attention_norm, self.feed_forward_norm = norms
        self.attention_output_norm, self.feed_forward_output_norm = output_norms or (nn.Identity(), nn.Identity())
        self.seam = Seam("places")
        self.attention = attention
        self.feed_forward = feed_forward

    def forward(
        self,
        x_BLD: Tensor,
        visible: Visible,
        *,
        rotary: Rotary | None = None,
        bias: Tensor | None = None,
        keys: DropoutKeys | None = None,
    ) -> Tensor:
        """The residual stream after the block; `keys` are those of dropout."""
        found = self.attention(self.seam(self.attention_norm(x_BLD)), visible, rotary=rotary, bias=bias)
        return self.fed(x_BLD + self.drop(self.attention_output_norm(found), keys, 0), keys)

    def fed(self, x_BLD: Tensor, keys: DropoutKeys | None, *, site: int = 1) -> Tensor:
        """The second half."""
        made = self.feed_forward_output_norm(self.feed_forward(self.seam(self.feed_forward_norm(x_BLD))))
        return x_BLD + self.drop(made, keys, site)

    def drop(self, x_BLD: Tensor, keys: DropoutKeys | None, site: int) -> Tensor:
        """Dropout of what is added at one site of the block."""
        return dropout(x_BLD, self.attention.config.dropout, keys, site)
