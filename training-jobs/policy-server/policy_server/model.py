"""The forward pass of a Qwen3 decoder over packed rows, with a KV cache.

Why not `transformers`: its batches hold padding, which is computed, and its import takes seconds at each start. Without
padding the two are about even (benchmarks/policy-server/forward.py, docs/policy-server.md): 64 rows decode as fast in
float32 and 1.4 times as fast in float64. tests/test_model.py holds the two to each other. Packed means that tokens of
all rows lie one after another, so linear layers never see padding; only the attention pads, to the longest row.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .arena import Arena
from .config import ModelConfig
from .weights import LayerWeights, Weights


@dataclass(frozen=True)
class Span:
    """New tokens of some consecutive arena rows: the argument of one forward pass.

    Row `first_row + i` has `starts[i]` positions cached and gets `counts[i]` (at least 1) new ones; `tokens` holds the
    new ids of all rows, one row after another.
    """

    first_row: int
    starts: list[int]
    counts: list[int]
    tokens: list[int]


@dataclass(frozen=True)
class _Layout:
    """Where the packed tokens of a span lie. T packed tokens, R rows, S most new tokens of a row, L longest row."""

    rows: slice
    row: Tensor  # (T,) row within the span
    offset: Tensor  # (T,) place among the row's new tokens
    position: Tensor  # (T,) position in the sequence
    bias: Tensor  # (R, 1, S, L) 0 where a query may look, -inf elsewhere
    length: int
    steps: int
    last: Tensor  # (R,) index of each row's last token


def _layout(span: Span, dtype: torch.dtype) -> _Layout:
    starts, counts = torch.tensor(span.starts), torch.tensor(span.counts)
    ends = counts.cumsum(0)
    row = torch.repeat_interleave(torch.arange(len(span.counts)), counts)
    offset = torch.arange(len(span.tokens)) - (ends - counts)[row]
    steps = max(span.counts)
    length = max(start + count for start, count in zip(span.starts, span.counts, strict=True))
    limit = starts[:, None] + torch.arange(steps)  # (R, S) the last position that a query may look at
    hidden = torch.arange(length) > limit[:, :, None]
    bias = torch.zeros(hidden.shape, dtype=dtype).masked_fill_(hidden, float("-inf"))
    return _Layout(
        rows=slice(span.first_row, span.first_row + len(span.counts)),
        row=row,
        offset=offset,
        position=starts[row] + offset,
        bias=bias[:, None],
        length=length,
        steps=steps,
        last=ends - 1,
    )


class Model:
    """Weights and the tables that go with them. Stateless: all state lies in the arena that a call is given."""

    def __init__(self, config: ModelConfig, weights: Weights) -> None:
        self.config = config
        self.dtype = weights.embedding.dtype
        self._weights = weights
        # float32 and then cast, as transformers computes them, so that both see the same angles.
        frequency = config.rope_theta ** -(torch.arange(0, config.head_dim, 2).float() / config.head_dim)
        angles = torch.outer(torch.arange(config.context).float(), frequency)
        table = torch.cat([angles, angles], dim=-1)
        self._cos = table.cos().to(self.dtype)  # (context, head_dim)
        self._sin = table.sin().to(self.dtype)

    @torch.inference_mode()
    def forward(self, arena: Arena, span: Span, *, all_positions: bool = False) -> Tensor:
        """Extend the cache by a span's tokens and give the logits that follow them.

        Returns:
            (R, vocab) logits after each row's last token, or (T, vocab) after every token if `all_positions`.

        """
        layout = _layout(span, self.dtype)
        arena.reserve(layout.rows.stop, layout.length)
        cos, sin = self._cos[layout.position][:, None], self._sin[layout.position][:, None]
        hidden = self._weights.embedding[torch.tensor(span.tokens)]  # (T, hidden)
        final = len(self._weights.layers) - 1
        for index, layer in enumerate(self._weights.layers):
            # Only the wanted positions go on after the last layer's keys and values are stored.
            wanted = layout.last if index == final and not all_positions else None
            hidden = self._layer(layer, arena.keys[index], arena.values[index], hidden, layout, (cos, sin), wanted)
        return F.linear(self._norm(hidden, self._weights.final_norm), self._weights.head)

    def _layer(
        self,
        layer: LayerWeights,
        keys: Tensor,
        values: Tensor,
        hidden: Tensor,
        layout: _Layout,
        rope: tuple[Tensor, Tensor],
        wanted: Tensor | None,
    ) -> Tensor:
        config = self.config
        mixed = F.linear(self._norm(hidden, layer.input_norm), layer.qkv).view(len(hidden), -1, config.head_dim)
        query, key, value = torch.split(mixed, [config.heads, config.kv_heads, config.kv_heads], dim=1)
        row = layout.row + layout.rows.start
        keys[row, :, layout.position] = _rotate(self._norm(key, layer.key_norm), rope)
        values[row, :, layout.position] = value
        query = _rotate(self._norm(query, layer.query_norm), rope)
        attended = self._attend(query, keys, values, layout)
        if wanted is not None:
            hidden, attended = hidden[wanted], attended[wanted]
        hidden = hidden + F.linear(attended, layer.output)
        gate, up = F.linear(self._norm(hidden, layer.post_norm), layer.gate_up).chunk(2, dim=-1)
        return hidden + F.linear(F.silu(gate) * up, layer.down)

    def _attend(self, query: Tensor, keys: Tensor, values: Tensor, layout: _Layout) -> Tensor:
        """Causal attention of packed queries (T, heads, head_dim) over their rows: (T, heads * head_dim).

        Query heads that share a key head are laid along the step axis, so that keys are read once and never repeated.
        """
        config = self.config
        rows, steps = layout.bias.shape[0], layout.steps
        group = config.heads // config.kv_heads
        padded = query.new_zeros(rows, steps, config.heads, config.head_dim)
        padded[layout.row, layout.offset] = query * config.head_dim**-0.5
        folded = padded.view(rows, steps, config.kv_heads, group, config.head_dim).permute(0, 2, 3, 1, 4)
        folded = folded.reshape(rows, config.kv_heads, group * steps, config.head_dim)
        seen_keys = keys[layout.rows, :, : layout.length]
        seen_values = values[layout.rows, :, : layout.length]
        scores = torch.matmul(folded, seen_keys.transpose(-1, -2)).view(rows, -1, group, steps, layout.length)
        scores += layout.bias[:, :, None]
        weights = torch.softmax(scores, dim=-1).view(rows, -1, group * steps, layout.length)
        mixed = torch.matmul(weights, seen_values).view(rows, -1, group, steps, config.head_dim)
        return mixed.permute(0, 3, 1, 2, 4)[layout.row, layout.offset].reshape(len(query), -1)

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """Root-mean-square norm over the last axis: x / sqrt(mean(x²) + eps) · weight."""
        return F.rms_norm(x, (x.shape[-1],), weight, self.config.norm_eps)


def _rotate(x: Tensor, rope: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding, halves convention: x · cos + (-x₂, x₁) · sin, for x of (T, heads, head_dim)."""
    cos, sin = rope
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin
