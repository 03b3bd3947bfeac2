"""Command line of the recipe of the embedded policy.

Examples:
  python -m tiny_policy train --out /tmp/policy          train from scratch, or go on with an interrupted run
  python -m tiny_policy check weights                    measure a policy
  python -m tiny_policy benchmark                        write benchmark.jsonl anew

"""

from __future__ import annotations

import argparse
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    """The arguments of every verb."""
    top = argparse.ArgumentParser(
        prog="python -m tiny_policy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = top.add_subparsers(dest="verb", required=True)
    train = verbs.add_parser("train", help="train the policy from scratch, or go on with an interrupted run")
    train.add_argument("--out", type=Path, required=True, help="folder for weights and checkpoint")
    train.add_argument("--steps", type=int, help="optimizer steps (default: the recipe's)")
    train.add_argument("--seed", type=int, default=0)
    check = verbs.add_parser("check", help="measure a policy: validity, levels, both arms, regret, benchmark")
    check.add_argument("folder", type=Path, help="Hugging Face folder of the policy")
    check.add_argument("--designs", type=int, default=192, help="programs to sample (default: 192)")
    check.add_argument("--seeds", type=int, default=8, help="episodes an arm and program (default: 8)")
    check.add_argument("--temperature", type=float, default=1.0)
    check.add_argument("--threads", type=int, default=2)
    check.add_argument("--seed", type=int, default=0)
    verbs.add_parser("benchmark", help="write the fixed benchmark")
    return top


def main() -> None:
    """Runs one verb. Heavy imports wait until the arguments are known to be right."""
    arguments = parser().parse_args()
    if arguments.verb == "train":
        from .recipe import Recipe
        from .train import train

        steps = {} if arguments.steps is None else {"steps": arguments.steps}
        train(arguments.out, Recipe(seed=arguments.seed, **steps))
    elif arguments.verb == "check":
        import torch

        from .check import check

        torch.set_num_threads(arguments.threads)
        check(arguments.folder, arguments.designs, arguments.seeds, arguments.temperature, arguments.seed)
    else:
        from .benchmark import FILE, write

        write()
        print(f"wrote {FILE}")


if __name__ == "__main__":
    main()
