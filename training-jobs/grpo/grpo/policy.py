"""The policy as the loss sees it: a micro-batch in, one log-probability and entropy per trained token out."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from .microbatch import MicroBatch
from .token_logprobs import chunk_rows, token_logprobs


class Policy(nn.Module):
    """A causal language model whose logits are never materialised for the prompt, nor for all tokens at once.

    It is one module around backbone and head, so that sharding wrappers gather the head's weight for it.
    """

    def __init__(self, lm: Any, logits_chunk: int) -> None:
        super().__init__()
        self.lm = lm
        self.logits_chunk = logits_chunk

    def forward(self, batch: MicroBatch) -> tuple[Tensor, Tensor]:
        """Log-probability (nats, under the sample's temperature) and entropy of each trained token: (N,), (N,)."""
        base = self.lm.get_base_model() if hasattr(self.lm, "get_base_model") else self.lm
        states = base.get_decoder()(
            input_ids=batch.token_ids,
            position_ids=batch.position_ids,
            attention_mask=None,
            use_cache=False,
            layout=batch.layout,
        ).last_hidden_state[0]  # (T, d)
        weight = base.get_output_embeddings().weight
        hidden = states.index_select(0, batch.predictors).to(weight.dtype)  # (N, d)
        rows = chunk_rows(weight.shape[0], hidden.device, self.logits_chunk)
        return token_logprobs(hidden, weight, batch.targets, batch.inverse_temperature, rows)
