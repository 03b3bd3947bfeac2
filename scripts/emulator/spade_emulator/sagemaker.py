"""SageMaker as far as the application uses it: training jobs, endpoints, tags, and `createTrainingJob.sync`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ministack import app
from ministack.core import router
from ministack.core.responses import error_response_json, json_response
from ministack.services import stepfunctions

from . import endpoints, training
from .faults import Fault

Operation = Callable[[dict[str, Any]], dict[str, Any]]

OPERATIONS: dict[str, Operation] = {**training.OPERATIONS, **endpoints.OPERATIONS}
_INVOCATION = re.compile(r"^/endpoints/([^/]+)/invocations$")


def install() -> None:
    """Route SageMaker's API and its runtime here, and give Step Functions the integration."""
    patterns = {"target_prefixes": ["SageMaker."], "host_patterns": [r"sagemaker\."], "credential_scope": "sagemaker"}
    router.SERVICE_PATTERNS["sagemaker"] = patterns
    app.SERVICE_HANDLERS["sagemaker"] = handle
    stepfunctions._SERVICE_DISPATCH["arn:aws:states:::sagemaker:createTrainingJob"] = _integration


async def handle(_method: str, path: str, headers: dict[str, str], body: bytes, _query: Any) -> Any:
    """One API call."""
    invocation = _INVOCATION.match(path)
    if invocation:
        return endpoints.invoke(invocation.group(1), headers, body)
    name = headers.get("x-amz-target", "").split(".")[-1]
    operation = OPERATIONS.get(name)
    if operation is None:
        return error_response_json("UnknownOperationException", f"{name} is not emulated", 400)
    try:
        return json_response(operation(json.loads(body or b"{}")))
    except Fault as fault:
        return error_response_json(fault.name, str(fault), 400)


def _integration(resource: str, request: dict[str, Any]) -> dict[str, Any]:
    try:
        training.create(request)
    except Fault as fault:
        raise stepfunctions._ExecutionError(f"SageMaker.{fault.name}", str(fault)) from fault
    name = request["TrainingJobName"]
    while training.JOBS[name]["TrainingJobStatus"] == "InProgress":
        stepfunctions._scaled_sleep(0.2)
    job = training.JOBS[name]
    if job["TrainingJobStatus"] == "Failed":
        raise stepfunctions._ExecutionError("States.TaskFailed", json.dumps(job))
    return job
