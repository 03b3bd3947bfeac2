"""Entry point of the fork server: `python -s -S -B launch.py SETTINGS_JSON` with an environment of one variable.

The variable is PYTHONHASHSEED: the order of sets of strings is then the same on every host, and validation can ask for
another. Extra modules live in the interpreter's site-packages, which are looked up only when some are asked for.
"""

import json
import os
import sys


def _ignore(**_handlers: object) -> None:
    """In place of `os.register_at_fork`."""


def main() -> None:
    """Parses the settings and serves."""
    arguments = json.loads(sys.argv[1])
    # Those of random, threading and logging reseed and reset locks in every process, which copies most of the pages
    # that a fork copies. One thread forks here, it holds none of their locks, and a process is seeded for its
    # play.
    os.register_at_fork = _ignore
    sys.path[0] = arguments["pythonPath"]
    if arguments["extraModules"]:
        import site

        site.main()
    from spade_sandbox.zygote import run, settings_from

    run(settings_from(arguments))
    os._exit(0)


if __name__ == "__main__":
    main()
