"""No isolation: load-and-reset times and steps per second inside one interpreter, as the reference does it."""

import json
import sys
import time
from pathlib import Path

source = Path(sys.argv[1]).read_text(encoding="utf-8")
starts, steps = int(sys.argv[2]), int(sys.argv[3])

start_ms = []
for seed in range(starts):
    began = time.perf_counter()
    namespace: dict = {}
    exec(compile(source, "environment", "exec"), namespace)
    environment = namespace["GuessEnv"]()
    environment.reset(seed=seed)
    start_ms.append((time.perf_counter() - began) * 1e3)

began = time.perf_counter()
for _ in range(steps):
    environment.step("\\boxed{0}")
stepped = time.perf_counter() - began
print(json.dumps({"startMs": start_ms, "stepsPerSecond": steps / stepped}))
