"""A part of a model that says what its matrices are for, so that no model lists the names of others' layers."""

from collections.abc import Mapping

from torch import nn

from training.roles import Role


class Layer(nn.Module):
    """Its other parameters are scales of norms, if they have one dimension."""

    def roles(self) -> Mapping[str, Role]:
        """Of its matrices and embeddings, by their names in it."""
        raise NotImplementedError


def roles_within(model: nn.Module) -> dict[str, Role]:
    """Of all layers' matrices and embeddings and of all norms' scales in the model, by their names there."""
    return {
        f"{name}.{own}": role
        for name, layer in model.named_modules()
        if isinstance(layer, Layer)
        for own, role in layer.roles().items()
    }
