"""Keys and values of the running sequences: one row a sequence, all rows of a layer in one tensor."""

from __future__ import annotations

import torch
from torch import Tensor

from .config import ModelConfig

_FIRST_LENGTH = 64


class Arena:
    """A KV cache whose rows 0..n-1 are in use. Rows and positions grow by doubling and never shrink.

    Keys and values of layer i are `keys[i]` and `values[i]`, each (rows, kv_heads, positions, head_dim). What lies
    beyond a sequence's length is junk of an earlier tenant and is masked by the attention.
    """

    def __init__(self, config: ModelConfig, dtype: torch.dtype) -> None:
        self._config = config
        self._dtype = dtype
        self._rows = 0
        self._length = _FIRST_LENGTH
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []
        self.reserve(1, _FIRST_LENGTH)

    def reserve(self, rows: int, length: int) -> None:
        """Make room for `rows` sequences of `length` positions; what is stored stays where it is."""
        if rows <= self._rows and length <= self._length:
            return
        while self._length < length:
            self._length *= 2
        if rows > self._rows:
            self._rows = max(rows, 2 * self._rows)
        self.keys = self._grown(self.keys)
        self.values = self._grown(self.values)

    @torch.inference_mode(mode=False)
    def _grown(self, old: list[Tensor]) -> list[Tensor]:
        # Plain tensors even when a forward pass asks for room: rows are moved outside of inference mode as well.
        config = self._config
        shape = (self._rows, config.kv_heads, self._length, config.head_dim)
        # Zeros, not uninitialised memory: a masked NaN would still poison the product with the values.
        new = [torch.zeros(shape, dtype=self._dtype) for _ in range(config.layers)]
        for target, source in zip(new, old, strict=False):
            target[: source.shape[0], :, : source.shape[2]] = source
        return new

    def move(self, source: int, target: int, length: int) -> None:
        """Copy the first `length` positions of one row over another: how a hole in the used rows is filled."""
        for tensor in (*self.keys, *self.values):
            tensor[target, :, :length] = tensor[source, :, :length]
