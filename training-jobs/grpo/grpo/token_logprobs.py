"""Log-probability and entropy of chosen tokens, straight from hidden states, a chunk of logits at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

# Bytes of logits that may exist at once when the job does not choose: a few cores' caches, or a GPU's idea of small.
CHUNK_BYTES = {"cpu": 8 << 20, "cuda": 512 << 20}


def chunk_rows(vocabulary: int, device: torch.device, chosen: int = 0) -> int:
    """Tokens a chunk: `chosen`, or as many as keep float32 logits under CHUNK_BYTES, at least 64."""
    return chosen or max(64, CHUNK_BYTES.get(device.type, CHUNK_BYTES["cpu"]) // (4 * vocabulary))


def token_logprobs(
    hidden: Tensor, weight: Tensor, targets: Tensor, inverse_temperature: Tensor, rows: int
) -> tuple[Tensor, Tensor]:
    """Log p(target) and entropy of p = softmax(hidden · weightᵀ / temperature), both (N,), in nats.

    hidden (N, d) are the states that predict the targets (N,); weight (V, d) is the output embedding;
    inverse_temperature (N,). Only `rows` x V logits exist at any time: the backward pass computes each chunk again from
    the saved log-normaliser instead of keeping probabilities. Gradients, with z the tempered logits:
    d log p_y / dz = onehot(y) - p and dH / dz = -p (log p + H).
    """
    logprobs, entropy = _TokenLogprobs.apply(hidden, weight, targets, inverse_temperature, rows)  # type: ignore[no-untyped-call]
    return logprobs, entropy


def _logits(hidden: Tensor, weight: Tensor, inverse_temperature: Tensor) -> Tensor:
    """Tempered logits (n, V), float32 unless the model computes in float64."""
    logits = hidden @ weight.t()
    if logits.dtype != torch.float64:
        logits = logits.float()
    return logits.mul_(inverse_temperature.to(logits.dtype).unsqueeze(1))


class _TokenLogprobs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, targets: Tensor, inverse: Tensor, rows: int) -> Any:
        ctx.set_materialize_grads(False)
        results = []
        parts = (torch.split(x, rows) for x in (hidden, targets, inverse))
        for h, y, t in zip(*parts, strict=True):
            logits = _logits(h, weight, t)
            normaliser = logits.logsumexp(dim=1)
            chosen = logits.gather(1, y.unsqueeze(1)).squeeze(1) - normaliser
            shifted = logits.sub_(normaliser.unsqueeze(1))
            results.append((chosen, -(shifted.exp() * shifted).sum(dim=1), normaliser))
        logprobs, entropy, normaliser = (torch.cat(parts) for parts in zip(*results, strict=True))
        ctx.save_for_backward(hidden, weight, targets, inverse, normaliser, entropy)
        ctx.rows = rows
        return logprobs, entropy

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        hidden, weight, targets, inverse, normaliser, entropy = ctx.saved_tensors
        of_logprob, of_entropy = grads
        if of_logprob is None:
            of_logprob = torch.zeros_like(normaliser)
        wants_hidden, wants_weight = ctx.needs_input_grad[:2]
        grad_hidden = torch.empty_like(hidden) if wants_hidden else None
        # Many small contributions meet in this sum: half precision would lose them.
        total = torch.promote_types(weight.dtype, torch.float32)
        grad_weight = torch.zeros(weight.shape, dtype=total, device=weight.device) if wants_weight else None
        for at in range(0, hidden.shape[0], ctx.rows):
            cut = slice(at, at + ctx.rows)
            shifted = _logits(hidden[cut], weight, inverse[cut]).sub_(normaliser[cut].unsqueeze(1))
            probability = shifted.exp()
            if of_entropy is None:
                grad = probability.mul_(-of_logprob[cut].unsqueeze(1))
            else:
                slope = shifted.add_(entropy[cut].unsqueeze(1)).mul_(of_entropy[cut].unsqueeze(1))
                grad = probability.mul_(slope.add_(of_logprob[cut].unsqueeze(1)).neg_())
            grad.scatter_add_(1, targets[cut].unsqueeze(1), of_logprob[cut].unsqueeze(1))
            grad = grad.mul_(inverse[cut].to(grad.dtype).unsqueeze(1)).to(hidden.dtype)
            if grad_hidden is not None:
                grad_hidden[cut] = grad @ weight
            if grad_weight is not None:
                grad_weight += grad.t() @ hidden[cut]
        return grad_hidden, None if grad_weight is None else grad_weight.to(weight.dtype), None, None, None
