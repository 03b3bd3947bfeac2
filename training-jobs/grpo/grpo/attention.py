"""Block-diagonal causal attention over packed sequences, without a mask of the packed length squared.

Registered with transformers under `ATTENTION`, so every architecture that uses its attention interface packs.
Two ways to compute the same numbers:

* CUDA, half precision: PyTorch's variable-length flash kernel, no padding at all.
* otherwise: sequences of nearly equal length are copied into a padded grid and attended with the plain causal kernel.
  Padding sits on the right, so causality alone keeps it out of every real token's sight, and no mask is needed.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AttentionInterface

from .errors import ContractError
from .layout import Bucket, PackedLayout

ATTENTION = "spade_packed"
# The flash kernel's largest head.
MAX_FLASH_HEAD = 256


class _Place(torch.autograd.Function):
    """Rows of (T, D) to given slots of a zeroed (n, D); the slots are distinct, so each way is one indexed copy."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, slots: Tensor, n: int) -> Tensor:
        ctx.save_for_backward(slots)
        return rows.new_zeros((n, rows.shape[1])).index_copy_(0, slots, rows)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return grads[0].index_select(0, ctx.saved_tensors[0]), None, None


class _Take(torch.autograd.Function):
    """The inverse of `_Place`: rows of (n, D) at the given distinct slots."""

    @staticmethod
    def forward(ctx: Any, grid: Tensor, slots: Tensor) -> Tensor:
        ctx.save_for_backward(slots)
        ctx.n = grid.shape[0]
        return grid.index_select(0, slots)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        grid = grads[0].new_zeros((ctx.n, grads[0].shape[1]))
        return grid.index_copy_(0, ctx.saved_tensors[0], grads[0]), None


def packed_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    layout: PackedLayout,
    scaling: float,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Attention of one packed row: query (1, H, T, D), key and value (1, G, T, D) to (1, T, H, D).

    :raises ContractError: for what it does not compute (dropout, sliding windows, a mask) rather than ignoring it
    """
    if dropout or sliding_window is not None or attention_mask is not None:
        raise ContractError("packed attention knows neither dropout, sliding windows nor masks")
    # (T, H, D): the order in which both kernels and the copies below read memory.
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))
    if q.is_cuda and q.dtype in (torch.float16, torch.bfloat16) and q.shape[-1] <= MAX_FLASH_HEAD:
        return _flash(q, k, v, layout, scaling).unsqueeze(0), None
    parts = [_bucket_attention(q, k, v, bucket, scaling) for bucket in layout.buckets]
    return torch.cat(parts).unsqueeze(0), None


def _flash(q: Tensor, k: Tensor, v: Tensor, layout: PackedLayout, scaling: float) -> Tensor:
    from torch.nn.attention.varlen import varlen_attn

    ends = layout.offsets
    out = varlen_attn(
        q.contiguous(),
        k.contiguous(),
        v.contiguous(),
        ends,
        ends,
        layout.longest,
        layout.longest,
        scale=scaling,
        window_size=(-1, 0),
        enable_gqa=q.shape[1] != k.shape[1],
    )
    assert isinstance(out, Tensor)
    return out


def _bucket_attention(q: Tensor, k: Tensor, v: Tensor, bucket: Bucket, scaling: float) -> Tensor:
    """(T, H, D) restricted to one bucket: (t, H, D) for its t tokens."""
    heads, size = q.shape[1:]
    query, key, value = (_grid(x[bucket.start : bucket.stop], bucket) for x in (q, k, v))
    out = F.scaled_dot_product_attention(
        query, key, value, is_causal=True, scale=scaling, enable_gqa=heads != k.shape[1]
    )
    flat = out.transpose(1, 2).reshape(bucket.rows * bucket.width, heads * size)
    return _Take.apply(flat, bucket.slots).view(-1, heads, size)  # type: ignore[no-untyped-call,no-any-return]


def _grid(rows: Tensor, bucket: Bucket) -> Tensor:
    """(t, H, D) to (B, H, L, D), zeros on the right of shorter sequences."""
    tokens, heads, size = rows.shape
    flat = _Place.apply(rows.reshape(tokens, heads * size), bucket.slots, bucket.rows * bucket.width)  # type: ignore[no-untyped-call]
    return flat.view(bucket.rows, bucket.width, heads, size).transpose(1, 2)  # type: ignore[no-any-return]


AttentionInterface.register(ATTENTION, packed_attention)
