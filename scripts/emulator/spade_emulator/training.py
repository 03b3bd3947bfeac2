"""Training jobs: `/opt/ml` from the request, the configured command, results back to the buckets."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.core.responses import get_account_id, get_region, request_scope
from ministack.services import eventbridge

from .faults import Fault, missing
from .objects import download, upload

Request = dict[str, Any]

JOBS: dict[str, Request] = {}
TAGS: dict[str, list[dict[str, str]]] = {}


def create(request: Request) -> Request:
    """CreateTrainingJob. A name is used once in the life of an account."""
    name = request["TrainingJobName"]
    if name in JOBS:
        raise Fault("ResourceInUse", f"Training job names must be unique, but a job with name {name} already exists")
    arn = f"arn:aws:sagemaker:{get_region()}:{get_account_id()}:training-job/{name}"
    started = {"TrainingJobStatus": "InProgress", "SecondaryStatus": "Training", "CreationTime": time.time()}
    JOBS[name] = {**request, "TrainingJobArn": arn, **started}
    TAGS[arn] = list(request.get("Tags", []))
    threading.Thread(target=_run, args=(name, get_account_id(), get_region()), daemon=True).start()
    return {"TrainingJobArn": arn}


def _run(name: str, account: str, region: str) -> None:
    job = JOBS[name]
    try:
        status, reason = _train(name, job)
    except Exception as error:
        status, reason = "Failed", f"InternalServerError: {error!r}"
    job |= {"FailureReason": reason, "SecondaryStatus": status, "TrainingJobStatus": status, "TrainingEndTime": time.time()}
    with request_scope(account, region):
        detail = {"TrainingJobName": name, "TrainingJobArn": job["TrainingJobArn"], "TrainingJobStatus": status}
        event = {"Source": "aws.sagemaker", "DetailType": "SageMaker Training Job State Change", "Detail": json.dumps(detail)}
        when = {"Time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "EventId": name, "EventBusName": "default"}
        place = {"Account": account, "Region": region, "Resources": [job["TrainingJobArn"]]}
        eventbridge._dispatch_event({**event, **when, **place})


def _train(name: str, job: Request) -> tuple[str, str]:
    root = Path(os.environ["SPADE_EMU_FOLDER"]) / "jobs" / name
    shutil.rmtree(root, ignore_errors=True)
    for part in ("input/config", "input/data", "model", "output/data", "checkpoints"):
        (root / part).mkdir(parents=True)
    channels = {channel["ChannelName"]: channel["DataSource"]["S3DataSource"]["S3Uri"] for channel in job["InputDataConfig"]}
    config = {
        "hyperparameters": job.get("HyperParameters", {}),
        "inputdataconfig": {channel: {"TrainingInputMode": "File"} for channel in channels},
        "resourceconfig": {"current_host": "algo-1", "hosts": ["algo-1"], "network_interface_name": "lo"},
    }
    for file, value in config.items():
        (root / "input/config" / f"{file}.json").write_text(json.dumps(value), encoding="utf-8")
    for channel, uri in channels.items():
        if download(uri, root / "input/data" / channel) == 0:
            return "Failed", f"ClientError: no objects under {uri}"
    checkpoints = job["CheckpointConfig"]["S3Uri"]
    download(checkpoints, root / "checkpoints")
    code = subprocess.run([*shlex.split(os.environ["SPADE_EMU_TRAIN"]), str(root)], check=False).returncode
    upload(root / "checkpoints", checkpoints)
    if code != 0:
        failure = root / "output/failure"
        return "Failed", f"AlgorithmError: {failure.read_text()[:1024] if failure.exists() else f'exit code {code}'}"
    upload(root / "model", f"{job['OutputDataConfig']['S3OutputPath'].rstrip('/')}/{name}/output/model")
    return "Completed", ""


def _describe(request: Request) -> Request:
    job = JOBS.get(request["TrainingJobName"])
    if job is None:
        raise missing("training job")
    return job


def _stop(request: Request) -> Request:
    _describe(request).update(TrainingJobStatus="Stopped", SecondaryStatus="Stopped")
    return {}


def _add_tags(request: Request) -> Request:
    tags = TAGS.setdefault(request["ResourceArn"], [])
    names = {tag["Key"] for tag in request["Tags"]}
    tags[:] = [tag for tag in tags if tag["Key"] not in names] + request["Tags"]
    return {"Tags": tags}


OPERATIONS: dict[str, Callable[[Request], Request]] = {
    "CreateTrainingJob": create,
    "DescribeTrainingJob": _describe,
    "StopTrainingJob": _stop,
    "AddTags": _add_tags,
    "ListTags": lambda request: {"Tags": TAGS.get(request["ResourceArn"], [])},
}
