"""The architecture: a small Qwen3, as `transformers` and vLLM load it."""

from __future__ import annotations

import torch
from transformers import GenerationConfig, Qwen3Config, Qwen3ForCausalLM

POSITIONS = 1024
"""Longest context in tokens."""


def configuration(vocabulary: int, pad: int, end: int) -> Qwen3Config:
    """Four layers of width 128: about a million parameters with a vocabulary of a thousand."""
    return Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=128,
        intermediate_size=416,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        head_dim=32,
        max_position_embeddings=POSITIONS,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        initializer_range=0.04,
        tie_word_embeddings=True,
        attention_dropout=0.0,
        pad_token_id=pad,
        eos_token_id=end,
        bos_token_id=None,
        dtype="float32",
    )


def fresh_model(vocabulary: int, pad: int, end: int, seed: int) -> Qwen3ForCausalLM:
    """A model with random weights, the same for the same seed."""
    torch.manual_seed(seed)
    model = Qwen3ForCausalLM(configuration(vocabulary, pad, end))
    model.generation_config = GenerationConfig(do_sample=True, temperature=1.0, pad_token_id=pad, eos_token_id=end)
    return model
