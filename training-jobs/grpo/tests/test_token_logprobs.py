import pytest
import torch
from grpo.token_logprobs import token_logprobs
from torch import Tensor

N, D, V = 11, 6, 17


def inputs(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    torch.manual_seed(3)
    hidden = torch.randn(N, D, dtype=dtype, requires_grad=True)
    weight = torch.randn(V, D, dtype=dtype, requires_grad=True)
    return hidden, weight, torch.randint(0, V, (N,)), 1 / torch.tensor([1.0, 0.6] * 5 + [1.3], dtype=torch.float64)


def plainly(hidden: Tensor, weight: Tensor, targets: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
    """The same by PyTorch's own log_softmax over all logits at once."""
    logs = torch.log_softmax(hidden @ weight.t() * inverse.to(hidden.dtype)[:, None], dim=1)
    return logs.gather(1, targets[:, None])[:, 0], -(logs.exp() * logs).sum(1)


@pytest.mark.parametrize("rows", [1, 4, 11, 64])
def test_values_and_gradients_equal_log_softmax_for_any_chunk(rows: int) -> None:
    hidden, weight, targets, inverse = inputs()
    ours = token_logprobs(hidden, weight, targets, inverse, rows)
    theirs = plainly(hidden, weight, targets, inverse)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other)
    direction = torch.linspace(-1, 1, N, dtype=torch.float64)
    for use_entropy in (False, True):
        losses = [(lp * direction).sum() + use_entropy * (e * direction.cos()).sum() for lp, e in (ours, theirs)]
        mine, other = (torch.autograd.grad(loss, (hidden, weight), retain_graph=True) for loss in losses)
        for a, b in zip(mine, other, strict=True):
            torch.testing.assert_close(a, b)


def test_gradients_equal_finite_differences() -> None:
    hidden, weight, targets, inverse = inputs()
    assert torch.autograd.gradcheck(lambda h, w: token_logprobs(h, w, targets, inverse, 4), (hidden, weight))


def test_a_frozen_head_gets_no_gradient() -> None:
    hidden, weight, targets, inverse = inputs()
    logprobs, _ = token_logprobs(hidden, weight.detach(), targets, inverse, 4)
    logprobs.sum().backward()
    assert hidden.grad is not None
    assert weight.grad is None


def test_no_token_is_a_case_too() -> None:
    hidden, weight, targets, inverse = inputs()
    logprobs, entropy = token_logprobs(hidden[:0], weight, targets[:0], inverse[:0], 4)
    (logprobs.sum() + entropy.sum()).backward()
    assert logprobs.shape == entropy.shape == (0,)
    assert weight.grad is not None
    assert not weight.grad.any()


def test_half_precision_states_give_float32_logprobs() -> None:
    hidden, weight, targets, inverse = inputs(torch.bfloat16)
    ours, _ = token_logprobs(hidden, weight, targets, inverse, 4)
    exact, _ = plainly(hidden.double(), weight.double(), targets, inverse)
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours.double(), exact, atol=0.05, rtol=0.02)
