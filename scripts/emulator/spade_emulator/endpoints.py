"""Endpoints: a policy server stands for their container; a configuration's model is loaded into it when it comes up."""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ministack.core.responses import error_response_json, get_account_id, get_region

from .faults import Fault, missing
from .objects import download
from .training import TAGS

Request = dict[str, Any]

MODELS: dict[str, Request] = {}
CONFIGURATIONS: dict[str, Request] = {}
ENDPOINTS: dict[str, Request] = {}


def invoke(name: str, headers: dict[str, str], body: bytes) -> Any:
    """InvokeEndpoint: to the route that the custom attribute names, as the AL2023 vLLM container does."""
    endpoint = ENDPOINTS.get(name)
    if endpoint is None or endpoint["EndpointStatus"] != "InService":
        return error_response_json("ValidationError", f"Endpoint {name} of account not found.", 400)
    attributes = headers.get("x-amzn-sagemaker-custom-attributes", "")
    route = attributes.removeprefix("route=") if attributes.startswith("route=") else "/v1/chat/completions"
    try:
        return 200, {"Content-Type": "application/json"}, _post(route, body)
    except urllib.error.HTTPError as error:
        message = error.read().decode()
        detail = {"Message": message, "OriginalStatusCode": error.code, "OriginalMessage": message}
        return 424, {"Content-Type": "application/json", "x-amzn-errortype": "ModelError"}, json.dumps(detail).encode()


def _post(route: str, body: bytes) -> bytes:
    url = os.environ["SPADE_EMU_POLICY"].rstrip("/") + route
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        content: bytes = answer.read()
        return content


def _arn(kind: str, name: str) -> str:
    return f"arn:aws:sagemaker:{get_region()}:{get_account_id()}:{kind}/{name}"


def _create_model(request: Request) -> Request:
    name = request["ModelName"]
    if name in MODELS:
        raise Fault("ValidationException", f"Cannot create already existing model {name}")
    MODELS[name] = request
    return {"ModelArn": _arn("model", name)}


def _create_configuration(request: Request) -> Request:
    name = request["EndpointConfigName"]
    if name in CONFIGURATIONS:
        raise Fault("ValidationException", f"Cannot create already existing endpoint configuration {name}")
    CONFIGURATIONS[name] = request
    return {"EndpointConfigArn": _arn("endpoint-config", name)}


def _create_endpoint(request: Request) -> Request:
    name = request["EndpointName"]
    if name in ENDPOINTS:
        raise Fault("ValidationException", f"Cannot create already existing endpoint {name}")
    arn = _arn("endpoint", name)
    ENDPOINTS[name] = {"EndpointName": name, "EndpointArn": arn, "CreationTime": time.time(), "LastModifiedTime": time.time()}
    TAGS[arn] = list(request.get("Tags", []))
    _bring_up(name, request["EndpointConfigName"], "Creating")
    return {"EndpointArn": arn}


def _update_endpoint(request: Request) -> Request:
    _found(ENDPOINTS, request["EndpointName"], "endpoint")
    _bring_up(request["EndpointName"], request["EndpointConfigName"], "Updating")
    return {"EndpointArn": ENDPOINTS[request["EndpointName"]]["EndpointArn"]}


def _bring_up(name: str, configuration: str, status: str) -> None:
    model = _found(CONFIGURATIONS, configuration, "endpoint configuration")["ProductionVariants"][0]["ModelName"]
    endpoint = ENDPOINTS[name]
    endpoint.update(EndpointConfigName=configuration, EndpointStatus=status)

    def load() -> None:
        source = MODELS[model]["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]["S3Uri"]
        folder = Path(os.environ["SPADE_EMU_FOLDER"]) / "models" / model
        try:
            download(source, folder)
            _post("/v1/policies", json.dumps({"id": model, "path": str(folder)}).encode())
            endpoint["EndpointStatus"] = "InService"
        except Exception as error:
            endpoint.update(EndpointStatus="Failed", FailureReason=repr(error))

    threading.Thread(target=load, daemon=True).start()


def _found(table: dict[str, Request], name: str, what: str) -> Request:
    if name not in table:
        raise missing(f"{what} {name}")
    return table[name]


def _delete(table: dict[str, Request], key: str) -> Callable[[Request], Request]:
    def delete(request: Request) -> Request:
        _found(table, request[key], key)
        del table[request[key]]
        return {}

    return delete


def _list(table: dict[str, Request], collection: str, key: str) -> Callable[[Request], Request]:
    def names(request: Request) -> Request:
        contains = request.get("NameContains", "")
        return {collection: [{key: name, "CreationTime": 0} for name in table if contains in name]}

    return names


OPERATIONS: dict[str, Callable[[Request], Request]] = {
    "CreateModel": _create_model,
    "CreateEndpointConfig": _create_configuration,
    "CreateEndpoint": _create_endpoint,
    "UpdateEndpoint": _update_endpoint,
    "DescribeEndpoint": lambda request: _found(ENDPOINTS, request["EndpointName"], "endpoint"),
    "DeleteEndpoint": _delete(ENDPOINTS, "EndpointName"),
    "DeleteEndpointConfig": _delete(CONFIGURATIONS, "EndpointConfigName"),
    "DeleteModel": _delete(MODELS, "ModelName"),
    "ListEndpoints": _list(ENDPOINTS, "Endpoints", "EndpointName"),
    "ListEndpointConfigs": _list(CONFIGURATIONS, "EndpointConfigs", "EndpointConfigName"),
    "ListModels": _list(MODELS, "Models", "ModelName"),
}
