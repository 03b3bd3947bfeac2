"""A process per episode with no walls at all: reads lines `reset SEED` or an action, answers one JSON line each."""

import json
import sys

namespace: dict = {}
with open(sys.argv[1], encoding="utf-8") as file:
    exec(compile(file.read(), "environment", "exec"), namespace)
environment = namespace["GuessEnv"]()
for line in sys.stdin:
    word, _, rest = line.rstrip("\n").partition(" ")
    result = environment.reset(seed=int(rest)) if word == "reset" else environment.step(line)
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()
