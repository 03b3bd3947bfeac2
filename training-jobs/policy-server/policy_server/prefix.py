"""Keys and values of token sequences seen before, so that the next turn of a conversation is not read from the start.

Sequences are cut into blocks of `BLOCK` tokens. A block is known by its tokens and by the block before it, hence by
everything before it: there is no hash that two prefixes could share.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from .arena import Arena
from .config import ModelConfig

BLOCK = 8
"""Tokens of a block: small, because whole conversations of the embedded policy have 30 to 200 tokens."""

_ROOT = 0
_Key = tuple[int, tuple[int, ...]]


class PrefixCache:
    """A pool of blocks; when it is full the least recently used one goes. Used by the model thread only.

    A block is always used before (so it counts as older than) the blocks it builds on, so nothing is evicted while
    another block still needs it.
    """

    def __init__(self, config: ModelConfig, dtype: torch.dtype, capacity_bytes: int) -> None:
        block = (config.layers, 2, config.kv_heads, BLOCK, config.head_dim)
        size = torch.empty(0, dtype=dtype).element_size() * torch.Size(block).numel()
        self._capacity = capacity_bytes // size
        # Memory that is never written is never taken from the machine.
        self._pool = torch.empty((self._capacity, *block), dtype=dtype)
        self._places: OrderedDict[_Key, tuple[int, int]] = OrderedDict()  # (parent, tokens) -> (own number, place)
        self._numbers = _ROOT

    def match(self, tokens: Sequence[int]) -> list[int]:
        """Places of the longest known beginning of `tokens`, in order; the last token always stays to be computed."""
        found = list(self._find(tokens))
        self._touch([key for key, _ in found])
        return [place for _, place in found]

    def known(self, tokens: Sequence[int]) -> int:
        """How many blocks `match` would find. Changes nothing, so any thread may ask."""
        return sum(1 for _ in self._find(tokens))

    def _find(self, tokens: Sequence[int]) -> Iterator[tuple[_Key, int]]:
        parent = _ROOT
        for block in _blocks(tokens[:-1]):
            key = (parent, block)
            found = self._places.get(key)
            if found is None:
                return
            parent, place = found
            yield key, place

    def load(self, arena: Arena, first_row: int, matches: Sequence[Sequence[int]]) -> None:
        """Copy matched blocks to the beginnings of consecutive arena rows."""
        places = [place for match in matches for place in match]
        if not places:
            return
        rows = torch.tensor([first_row + row for row, match in enumerate(matches) for _ in match])
        columns = torch.tensor([column for match in matches for column in range(len(match))])
        blocks = self._pool[torch.tensor(places)]
        for layer, (keys, values) in enumerate(zip(arena.keys, arena.values, strict=True)):
            _in_blocks(keys)[rows, :, columns] = blocks[:, layer, 0]
            _in_blocks(values)[rows, :, columns] = blocks[:, layer, 1]

    def store(self, arena: Arena, rows: Sequence[int], sequences: Sequence[Sequence[int]]) -> None:
        """Keep the whole blocks of sequences that lie, computed, in these arena rows."""
        new: dict[int, tuple[int, int]] = {}  # place -> (row, column); a place taken twice keeps its last tenant
        for row, tokens in zip(rows, sequences, strict=True):
            for place, column in self._claim(tokens):
                new[place] = (row, column)
        if not new:
            return
        row_index, column_index = (torch.tensor(index) for index in zip(*new.values(), strict=True))
        layers = [
            torch.stack([_in_blocks(side)[row_index, :, column_index] for side in pair], dim=1)
            for pair in zip(arena.keys, arena.values, strict=True)
        ]
        self._pool[torch.tensor(list(new))] = torch.stack(layers, dim=1)

    def _claim(self, tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Find or make a place for every block; gives (place, column) of the new ones."""
        keys: list[_Key] = []
        parent = _ROOT
        if self._capacity == 0:
            return
        for column, block in enumerate(_blocks(tokens)):
            key = (parent, block)
            found = self._places.get(key)
            if found is None:
                self._numbers += 1
                found = self._places[key] = (self._numbers, self._free_place())
                yield found[1], column
            keys.append(key)
            parent = found[0]
        self._touch(keys)

    def _free_place(self) -> int:
        if len(self._places) < self._capacity:
            return len(self._places)
        _, (_, place) = self._places.popitem(last=False)
        return place

    def _touch(self, keys: Sequence[_Key]) -> None:
        """Mark as used, the first block last: it must outlive those that build on it."""
        for key in reversed(keys):
            if key in self._places:
                self._places.move_to_end(key)


def _blocks(tokens: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
        yield tuple(tokens[start : start + BLOCK])


def _in_blocks(cache: Tensor) -> Tensor:
    """An arena tensor (rows, kv_heads, positions, head_dim) seen as (rows, kv_heads, blocks, BLOCK, head_dim)."""
    rows, heads, positions, width = cache.shape
    return cache.view(rows, heads, positions // BLOCK, BLOCK, width)
