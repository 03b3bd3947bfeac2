"""Resource types that MiniStack 1.5.33 refuses."""

from __future__ import annotations

import copy
from typing import Any

from ministack.core.responses import get_account_id
from ministack.services import budgets, ecs
from ministack.services.cloudformation import provisioners

Properties = dict[str, Any]


def install() -> None:
    """Register the handlers."""
    handlers = provisioners._RESOURCE_HANDLERS
    handlers["AWS::ECS::ClusterCapacityProviderAssociations"] = {"create": _capacity, "delete": lambda *_: None}
    handlers["AWS::Budgets::Budget"] = {"create": _budget, "delete": _delete_budget}


def _capacity(_logical_id: str, properties: Properties, _stack: str) -> tuple[str, Properties]:
    request = {
        "cluster": properties["Cluster"],
        "capacityProviders": properties.get("CapacityProviders", []),
        "defaultCapacityProviderStrategy": provisioners._pascal_to_camel(properties.get("DefaultCapacityProviderStrategy") or []),
    }
    _checked(ecs._put_cluster_capacity_providers(request))
    return properties["Cluster"], {}


def _budget(logical_id: str, properties: Properties, stack: str) -> tuple[str, Properties]:
    budget = copy.deepcopy(properties["Budget"])
    budget.setdefault("BudgetName", f"{stack}-{logical_id}")
    limit = budget["BudgetLimit"]
    budget["BudgetLimit"] = {"Amount": str(limit["Amount"]), "Unit": limit["Unit"]}
    subscribers = properties.get("NotificationsWithSubscribers")
    request = {"AccountId": get_account_id(), "Budget": budget, "NotificationsWithSubscribers": subscribers}
    _checked(budgets._create_budget(request))
    return budget["BudgetName"], {}


def _delete_budget(physical_id: str, _properties: Properties) -> None:
    budgets._budgets.pop(physical_id, None)


def _checked(answer: tuple[int, Any, Any]) -> None:
    status, _, body = answer
    if status >= 400:
        raise ValueError(body)
