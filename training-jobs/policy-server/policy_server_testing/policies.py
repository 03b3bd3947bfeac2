"""Policies with random weights and a tokenizer trained on a few sentences, in Hugging Face format."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>")
PLAIN_ADDED = ("<think>", "</think>")
_HEAD_DIM = 32

MARKER_TEMPLATE = (
    "{%- for m in messages -%}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|assistant|>' }}{%- endif -%}"
)
"""Markers alone, as the embedded policy has them."""

LINES_TEMPLATE = """\
{%- for m in messages %}
{%- if m.role == 'assistant' and '</think>' in m.content %}
{%- set text = m.content.split('</think>')[-1].lstrip('\\n') %}
{%- else %}
{%- set text = m.content %}
{%- endif %}
{{- '<|' + m.role + '|>\\n' + text + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|assistant|>\\n' }}
{%- endif %}
"""
"""As Qwen3's: plain text beside the contents, and earlier thinking dropped."""

_TEXTS = (
    "The tide turns twice a day and the ledger is kept by hand.",
    "class CopperEnv:\n    def reset(self, seed):\n        return 'add 12 and 30', {}\n",
    "If the total is larger than 45, answer in \\boxed{45}; otherwise sort the list first.",
    "naïve café, Größe, 東京, 🙂 and 3.14159 or -27",
)


def write_tokenizer(directory: Path, template: str | None = MARKER_TEMPLATE, vocabulary: int = 1000) -> None:
    """A byte-level BPE of at most `vocabulary` entries; digits are single."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(PLAIN_ADDED),
        special_tokens=list(SPECIAL),
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXTS * 4, trainer)
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in PLAIN_ADDED])
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(directory / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "pad_token": "<|pad|>"}
    (directory / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    if template is not None:
        (directory / "chat_template.jinja").write_text(template, encoding="utf-8")


def write_policy(
    directory: Path,
    *,
    seed: int = 0,
    layers: int = 2,
    hidden: int = 64,
    heads: int = 4,
    kv_heads: int = 2,
    context: int = 256,
    spread: float = 0.15,
    template: str | None = MARKER_TEMPLATE,
    tied: bool = True,
) -> Path:
    """A whole policy directory with random weights; `spread` is their standard deviation (larger: surer of itself)."""
    write_tokenizer(directory, template)
    config = {
        "model_type": "qwen3",
        "architectures": ["Qwen3ForCausalLM"],
        "vocab_size": 1000,
        "hidden_size": hidden,
        "intermediate_size": 3 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": _HEAD_DIM,
        "max_position_embeddings": context,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0},
        "rms_norm_eps": 1e-6,
        "hidden_act": "silu",
        "tie_word_embeddings": tied,
        "pad_token_id": 0,
        "eos_token_id": 1,
        "dtype": "float32",
    }
    (directory / "config.json").write_text(json.dumps(config), encoding="utf-8")
    random = torch.Generator().manual_seed(seed)
    tensors = {
        # Norms differ from one, so that a forward pass which forgets one of them is noticed.
        name: torch.randn(shape, generator=random) * spread + (1.0 if len(shape) == 1 else 0.0)
        for name, shape in _shapes(layers, hidden, heads * _HEAD_DIM, kv_heads * _HEAD_DIM, tied).items()
    }
    save_file(tensors, directory / "model.safetensors", metadata={"format": "pt"})
    return directory


def _shapes(layers: int, hidden: int, queries: int, keys: int, tied: bool) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (1000, hidden), "model.norm.weight": (hidden,)}
    if not tied:
        shapes["lm_head.weight"] = (1000, hidden)
    for index in range(layers):
        layer = {
            "self_attn.q_proj": (queries, hidden),
            "self_attn.k_proj": (keys, hidden),
            "self_attn.v_proj": (keys, hidden),
            "self_attn.o_proj": (hidden, queries),
            "self_attn.q_norm": (_HEAD_DIM,),
            "self_attn.k_norm": (_HEAD_DIM,),
            "mlp.gate_proj": (3 * hidden, hidden),
            "mlp.up_proj": (3 * hidden, hidden),
            "mlp.down_proj": (hidden, 3 * hidden),
            "input_layernorm": (hidden,),
            "post_attention_layernorm": (hidden,),
        }
        shapes |= {f"model.layers.{index}.{name}.weight": shape for name, shape in layer.items()}
    return shapes
