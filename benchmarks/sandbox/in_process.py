"""No isolation: load-and-reset times and steps per second inside one interpreter, as the reference does it."""

import json
import sys
import time
from pathlib import Path

source = Path(sys.argv[1]).read_text(encoding="utf-8")
starts, steps = int(sys.argv[2]), int(sys.argv[3])

began = time.perf_counter()
for seed in range(starts):
    namespace: dict = {}
    exec(compile(source, "environment", "exec"), namespace)
    environment = namespace["GuessEnv"]()
    environment.reset(seed=seed)
started = time.perf_counter() - began

began = time.perf_counter()
for _ in range(steps):
    environment.step("\\boxed{0}")
stepped = time.perf_counter() - began
print(json.dumps({"startMs": started / starts * 1e3, "stepsPerSecond": steps / stepped}))
