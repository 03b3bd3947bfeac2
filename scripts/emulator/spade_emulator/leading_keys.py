"""The condition key `dynamodb:LeadingKeys`, which MiniStack 1.5.33 does not give to policies: without it, a policy that is
bound to partition keys denies every call."""

from __future__ import annotations

import json
from typing import Any

from ministack.core import iam_actions

PARTITION = "PK"


def install() -> None:
    """Add the partition keys of a call to its condition keys."""
    context = iam_actions.dynamodb_service_context

    def with_keys(body: bytes) -> dict[str, Any]:
        keys = sorted(set(_partition_keys(json.loads(body or b"{}"))))
        return {**context(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}

    iam_actions.dynamodb_service_context = with_keys


def _partition_keys(request: Any) -> list[str]:
    """Values of the partition key: in keys and items, and in a query's values (the one whose name stands before the sort key's)."""
    if isinstance(request, list):
        return [key for part in request for key in _partition_keys(part)]
    if not isinstance(request, dict):
        return []
    own = request.get(PARTITION)
    found = [own["S"]] if isinstance(own, dict) and "S" in own else []
    if "KeyConditionExpression" in request:
        first = request["KeyConditionExpression"].split("AND")[0].split("=")[-1].strip(" ()")
        value = request.get("ExpressionAttributeValues", {}).get(first, {})
        found += [value["S"]] if "S" in value else []
    return found + [key for name, part in request.items() if name != PARTITION for key in _partition_keys(part)]
