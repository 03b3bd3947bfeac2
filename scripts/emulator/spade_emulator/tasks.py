"""Fargate tasks as local processes: one a container, under the credentials of their task role, with shared folders for volumes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import ecs, stepfunctions

from .objects import client

STOP_SECONDS = 30

_short_jobs = int(os.environ.get("SPADE_EMU_SPOT_SHORT", "0"))
_without: set[str] = set()
_lock = threading.Lock()


def install() -> None:
    """Replace RunTask, and make a non-zero exit a failed state, as Step Functions does."""
    run_task, poll = ecs._run_task, stepfunctions._poll_ecs_tasks

    def run(request: dict[str, Any]) -> Any:
        if _without_capacity(request):
            failure = {"reason": "Capacity is unavailable at this time. Please try again later"}
            # What Step Functions makes of an answer with failures; the emulator would take it for success.
            raise stepfunctions._ExecutionError("AmazonECS.Unknown", json.dumps({"Failures": [failure], "Tasks": []}))
        status, headers, body = run_task(request)
        if status < 400:
            scope = (get_account_id(), get_region())
            for task in json.loads(body)["tasks"]:
                threading.Thread(target=_play, args=(task, request, *scope), daemon=True).start()
        return status, headers, body

    def polled(cluster: str, arns: list[str]) -> Any:
        result = poll(cluster, arns)
        for task in result["tasks"]:
            if any(container.get("exitCode") for container in task["containers"]):
                raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(task))
        return result

    for table in [value for value in vars(ecs).values() if isinstance(value, dict) and value.get("RunTask") is run_task]:
        table["RunTask"] = run
    ecs._run_task = run
    stepfunctions._poll_ecs_tasks = polled


def _without_capacity(request: dict[str, Any]) -> bool:
    """Whether the job is one of the first few, which never get Spot capacity, however often they ask."""
    providers = [strategy.get("capacityProvider") for strategy in request.get("capacityProviderStrategy") or []]
    if "FARGATE_SPOT" not in providers:
        return False
    job = json.dumps(request.get("overrides"), sort_keys=True)
    with _lock:
        if len(_without) < _short_jobs:
            _without.add(job)
        return job in _without


def _play(task: dict[str, Any], request: dict[str, Any], account: str, region: str) -> None:
    # For the check: the emulator's execution history does not show states inside a map.
    print(f"rollout task on {task.get('capacityProviderName')}", flush=True)
    with request_scope(account, region):
        definition = ecs._task_defs[ecs._resolve_td_key(request["taskDefinition"])]
    overrides = {entry["name"]: entry for entry in (request.get("overrides") or {}).get("containerOverrides", [])}
    # Short, because the path of a socket is.
    folder = Path(os.environ["SPADE_EMU_FOLDER"]) / "tasks" / task["taskArn"].rsplit("/", 1)[-1][:8]
    codes = _run(definition, overrides, folder)
    with request_scope(account, region):
        record = ecs._tasks[task["taskArn"]]
        for container in record["containers"]:
            container["exitCode"] = codes[container["name"]]
        ecs._mark_task_stopped(task["taskArn"], record, "Essential container in task exited", "EssentialContainerExited")


def _run(definition: dict[str, Any], overrides: dict[str, Any], folder: Path) -> dict[str, int]:
    """Exit codes by container. What others depend on starts first and ends last; the end of one ends all."""
    containers = sorted(definition["containerDefinitions"], key=lambda container: bool(container.get("dependsOn")))
    role = definition.get("taskRoleArn")
    running = {c["name"]: _start(c, overrides.get(c["name"], {}), role, folder) for c in containers}
    while all(process.poll() is None for process in running.values()):
        time.sleep(0.05)
    for process in reversed(running.values()):
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    return {name: process.wait() for name, process in running.items()}


def _start(container: dict[str, Any], override: dict[str, Any], role: str | None, folder: Path) -> subprocess.Popen[bytes]:
    """A container's process, with its variables and nothing of the emulator's own but what a process needs."""
    here = dict(pair.split("=") for pair in os.environ["SPADE_EMU_FILES"].split(os.pathsep))
    for mount in container.get("mountPoints", []):
        volume = folder / mount["sourceVolume"]
        volume.mkdir(parents=True, exist_ok=True)
        here[mount["containerPath"]] = str(volume)
    variables = [*container.get("environment", []), *override.get("environment", [])]
    kept = ["PATH", "HOME", "TMPDIR", "AWS_ENDPOINT_URL", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE", "SPADE_PYTHON"]
    env = {name: os.environ[name] for name in kept if name in os.environ} | {"AWS_REGION": "us-east-1"}
    env |= {variable["name"]: _translated(variable["value"], here) for variable in variables}
    if role:
        session = client("sts").assume_role(RoleArn=role, RoleSessionName="task")["Credentials"]
        env |= {"AWS_ACCESS_KEY_ID": session["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": session["SecretAccessKey"]}
        env |= {"AWS_SESSION_TOKEN": session["SessionToken"]}
    own = [_translated(part, here) for part in container.get("entryPoint") or []]
    return subprocess.Popen(own or shlex.split(os.environ["SPADE_EMU_TASK"]), env=env)


def _translated(text: str, here: dict[str, str]) -> str:
    """A path inside a container as a path on this machine; any other text as it is."""
    for inside, outside in here.items():
        if text == inside or text.startswith(f"{inside}/"):
            return outside + text[len(inside) :]
    return text
