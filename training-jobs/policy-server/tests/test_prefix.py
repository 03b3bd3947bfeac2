from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_server.arena import Arena
from policy_server.config import ModelConfig, read_config
from policy_server.prefix import BLOCK, PrefixCache

BLOCK_BYTES = 2 * 2 * 2 * BLOCK * 32 * 8  # layers, sides, heads, tokens, width, float64


@pytest.fixture(scope="module")
def config(policy_dir: Path) -> ModelConfig:
    return read_config(policy_dir)


def cache_of(config: ModelConfig, blocks: int) -> PrefixCache:
    return PrefixCache(config, torch.float64, blocks * BLOCK_BYTES)


def written(config: ModelConfig, sequences: list[list[int]]) -> Arena:
    """An arena in which the key of a token says which tokens came up to it."""
    arena = Arena(config, torch.float64)
    arena.reserve(len(sequences) + 1, 64)
    for row, tokens in enumerate(sequences):
        for position in range(len(tokens)):
            mark = float(hash(tuple(tokens[: position + 1])) % 1_000_003)
            for layer in range(config.layers):
                arena.keys[layer][row, :, position] = mark + layer
                arena.values[layer][row, :, position] = -mark - layer
    return arena


def test_a_whole_prompt_is_never_matched(config: ModelConfig) -> None:
    cache = cache_of(config, 8)
    tokens = list(range(2 * BLOCK))
    cache.store(written(config, [tokens]), [0], [tokens])
    assert len(cache.match(tokens)) == 1
    assert len(cache.match([*tokens, 5])) == 2
    assert cache.match([9, *tokens]) == []
    assert cache.match([1]) == []


def test_without_room_nothing_is_kept(config: ModelConfig) -> None:
    cache = cache_of(config, 0)
    tokens = list(range(3 * BLOCK))
    cache.store(written(config, [tokens]), [0], [tokens])
    assert cache.match(tokens) == []


def test_the_least_recently_used_beginning_goes_first(config: ModelConfig) -> None:
    cache = cache_of(config, 4)
    first, second, third = ([start, *range(2 * BLOCK)] for start in (100, 200, 300))
    arena = written(config, [first, second, third])
    cache.store(arena, [0], [first])
    cache.store(arena, [1], [second])
    cache.match(first)
    cache.store(arena, [2], [third])
    assert [len(cache.match(tokens)) for tokens in (first, second, third)] == [2, 0, 2]


@settings(max_examples=60)
@given(data=st.data(), blocks=st.integers(1, 12))
def test_what_is_loaded_is_what_was_computed(config: ModelConfig, data: st.DataObject, blocks: int) -> None:
    token = st.integers(0, 1)  # many common beginnings
    sequences = data.draw(st.lists(st.lists(token, min_size=1, max_size=40), min_size=1, max_size=6))
    cache = cache_of(config, blocks)
    arena = written(config, sequences)
    for _ in range(data.draw(st.integers(1, 4))):
        rows = data.draw(st.lists(st.integers(0, len(sequences) - 1), min_size=1, max_size=6))
        cache.store(arena, rows, [sequences[row] for row in rows])
        wanted = data.draw(st.lists(st.integers(0, len(sequences) - 1), min_size=1, max_size=3))
        matches = [cache.match(sequences[row]) for row in wanted]
        target = Arena(config, torch.float64)
        target.reserve(len(wanted), 64)
        cache.load(target, 0, matches)
        for place, row in enumerate(wanted):
            length = BLOCK * len(matches[place])
            assert length < len(sequences[row])
            for side, source in ((target.keys, arena.keys), (target.values, arena.values)):
                for ours, theirs in zip(side, source, strict=True):
                    assert torch.equal(ours[place, :, :length], theirs[row, :, :length])
