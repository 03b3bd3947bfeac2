"""GRPO on collected episodes, in SageMaker's training contract: the policy goes in, the next policy comes out.

The algorithm is Group Relative Policy Optimization (DeepSeekMath, arXiv:2402.03300) as SPADE uses it on one policy with
two roles (arXiv:2608.19197 and its released launch scripts). Departures, each with its reason:

From GRPO
 1. Advantages are given, not computed here. Scoring knows groups, outcomes and roles; groups without spread or with too
    few episodes never reach the trainer (`shared/domain`).
 2. No division by the group's standard deviation: it favours nearly solved and nearly hopeless prompts
    (arXiv:2503.20783). As in SPADE's scripts.
 3. Asymmetric clip, 0.2 below and 0.28 above (DAPO, arXiv:2503.14476). As in SPADE's scripts.
 4. No KL to a reference by default; when asked for, the k3 estimator per token. GRPO has it always.
 5. Truncated importance sampling per token between sampler and trainer: the sampler is another engine, so its
    probabilities are not the trainer's (method known from "Your efficient RL framework secretly brings you off-policy
    RL training", Yao et al. 2025). The same factor corrects designer samples that waited for their window's end.

From SPADE's released recipe
 6. The mean is taken over a sample's tokens, then over samples of both roles, with a weight for each role
    (`aggregation.py`). The released scripts leave this to their framework's default, which is the same mean; a plain
    mean over tokens let long programs destroy the designer within four iterations of the embedded policy.
 7. One job per iteration instead of one long process, so Adam's moments, the step count and full-precision weights are
    part of the run's state and are taken up by the next job (`checkpoint.py`).
 8. The probabilities of the policy before the update are recomputed here, and the distance to the sampler's is
    measured; above `max_sampler_gap` no step is taken, because then the samples came from another policy.
 9. A step whose loss or gradient is not finite is skipped and counted; several in a row end the job with the last good
    weights. The recipe has no such guard.
10. Weight decay spares vectors (norm gains). The framework of the recipe decides this by its own default.
"""
