"""Least privilege as the emulator enforces it: `python -m spade_emulator.denials`, with the deployment's variables as JSON on stdin.

Takes each role of the deployment and makes calls that it must not be able to make, and some reads that it needs (what it writes is
proved by the iterations). Prints one line a call that went otherwise than it must, then a summary; exit code 1 if there was any.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from .objects import client, split

REFUSALS = {"AccessDenied", "AccessDeniedException", "AuthorizationError", "403", "Forbidden"}
EXPERIMENT = "e2e"


@dataclass(frozen=True)
class Attempt:
    """One call by one role."""

    role: str
    what: str
    allowed: bool
    call: Callable[[Any], Any]


def _read(bucket: str, key: str) -> Callable[[Any], Any]:
    return lambda session: session.client("s3").get_object(Bucket=bucket, Key=key)


def _write(bucket: str, key: str) -> Callable[[Any], Any]:
    return lambda session: session.client("s3").put_object(Bucket=bucket, Key=key, Body=b"x")


def _remove(bucket: str, key: str) -> Callable[[Any], Any]:
    return lambda session: session.client("s3").delete_object(Bucket=bucket, Key=key)


def _item(table: str, operation: str, key: str) -> Callable[[Any], Any]:
    place = {"PK": {"S": key}, "SK": {"S": "META"}}
    arguments = {"Item": place} if operation == "put_item" else {} if operation == "scan" else {"Key": place}
    return lambda session: getattr(session.client("dynamodb"), operation)(TableName=table, **arguments)


def attempts(place: dict[str, str]) -> Iterator[Attempt]:
    """The table: role, call, whether it may."""
    buckets = {name: split(place[f"SPADE_{name.upper()}"])[0] for name in ("environments", "episodes", "policies", "corpora")}
    environments, episodes, policies, corpora = buckets.values()
    table = place["SPADE_TABLE"].removeprefix("dynamodb://")
    machine = place["SPADE_STATE_MACHINE"]
    source, hint = f"{EXPERIMENT}/{'a' * 64}/source.py", f"{EXPERIMENT}/{'a' * 64}/hint.txt"
    scores, manifest = f"{EXPERIMENT}/0001/scores.json", f"{EXPERIMENT}/v0009/manifest.json"
    other = f"EXP#other-{EXPERIMENT}"
    start = lambda session: session.client("stepfunctions").start_execution(stateMachineArn=machine, input="{}")  # noqa: E731
    may: list[tuple[str, str, Callable[[Any], Any]]] = [
        ("rollout-task", "read a program", _read(environments, source)),
        ("rollout-task", "read a hint", _read(environments, hint)),
        ("score-rollouts", "read scores", _read(episodes, scores)),
        ("plan-iteration", "read the experiment's item", _item(table, "get_item", f"EXP#{EXPERIMENT}")),
        ("training", "read the batch", _read(episodes, f"{EXPERIMENT}/0001/batch/samples.jsonl.gz")),
    ]
    may_not: list[tuple[str, str, Callable[[Any], Any]]] = [
        ("rollout-task", "write a program", _write(environments, source)),
        ("rollout-task", "write scores", _write(episodes, scores)),
        ("rollout-task", "write a manifest", _write(policies, manifest)),
        ("rollout-task", "write another experiment's episodes", _write(episodes, "other/0001/episodes/x.jsonl.gz")),
        ("rollout-task", "read another experiment's program", _read(environments, source.replace(EXPERIMENT, "other"))),
        ("rollout-task", "write an item", _item(table, "put_item", f"EXP#{EXPERIMENT}")),
        ("rollout-task", "start an execution", start),
        ("generated-code", "read a hint", _read(environments, hint)),
        ("generated-code", "write a program", _write(environments, source)),
        ("generated-code", "read the corpus", _read(corpora, "corpus.jsonl")),
        ("generated-code", "read an item", _item(table, "get_item", f"EXP#{EXPERIMENT}")),
        ("generated-code", "start an execution", start),
        ("validate-environment", "read a hint", _read(environments, hint)),
        ("validate-environment", "write scores", _write(episodes, scores)),
        ("design-environment", "read an item", _item(table, "get_item", f"EXP#{EXPERIMENT}")),
        ("design-environment", "write a program", _write(environments, source)),
        ("score-rollouts", "write a manifest", _write(policies, manifest)),
        ("score-rollouts", "write another experiment's item", _item(table, "put_item", other)),
        ("plan-evaluation", "write scores", _write(episodes, scores)),
        ("publish-policy", "write weights", _write(policies, f"{EXPERIMENT}/training/job/output/model/x")),
        ("serve-policy", "write a manifest", _write(policies, manifest)),
        ("start-iteration", "read an episode", _read(episodes, f"{EXPERIMENT}/experiment.json")),
        ("training", "write a manifest", _write(policies, manifest)),
        ("training", "read scores", _read(episodes, scores)),
        ("reap-endpoints", "read an item", _item(table, "get_item", f"EXP#{EXPERIMENT}")),
    ]
    for role in ("plan-iteration", "admit-environments", "close-iteration", "fail-iteration"):
        may_not += [
            (role, "remove a record", _remove(episodes, f"{EXPERIMENT}/0001/record.json")),
            (role, "scan the table", _item(table, "scan", "")),
            (role, "delete an item", _item(table, "delete_item", f"EXP#{EXPERIMENT}")),
            (role, "start an execution", start),
        ]
    yield from (Attempt(role, what, True, call) for role, what, call in may)
    yield from (Attempt(role, what, False, call) for role, what, call in may_not)


def role_of(name: str) -> str:
    """ARN of the role that a unit, the task or a training job runs under."""
    roles = [role["Arn"] for page in client("iam").get_paginator("list_roles").paginate() for role in page["Roles"]]
    part = {"rollout-task": "RolloutTaskTaskRole", "training": "TrainingRole", "generated-code": "GeneratedCodeRole"}
    wanted = part.get(name, f"{name.replace('-', '')}ServiceRole")
    found = [arn for arn in roles if wanted in arn]
    if len(found) != 1:
        raise LookupError(f"{len(found)} roles are called {wanted}")
    return found[0]


def _session(role: str) -> Any:
    keys = client("sts").assume_role(RoleArn=role, RoleSessionName="denials")["Credentials"]
    return boto3.Session(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"], "us-east-1")


def _refused(attempt: Attempt, session: Any) -> bool:
    try:
        attempt.call(session)
    except ClientError as error:
        return error.response["Error"]["Code"] in REFUSALS
    return False


def main() -> int:
    """Makes all calls; 1 if one went otherwise."""
    table = list(attempts(json.load(sys.stdin)))
    sessions = {name: _session(role_of(name)) for name in sorted({attempt.role for attempt in table})}
    wrong = [attempt for attempt in table if _refused(attempt, sessions[attempt.role]) == attempt.allowed]
    for attempt in wrong:
        print(f"{attempt.role} may {'not ' if attempt.allowed else ''}{attempt.what}, which is wrong")
    print(f"{len(table)} calls by {len(sessions)} roles, {len(wrong)} of them decided wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
