"""Copies between buckets of the emulator and folders, by the emulator's own API under the account's root keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import boto3


def client(service: str) -> Any:
    """A client of the emulator itself."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    return boto3.client(service, endpoint_url=os.environ["AWS_ENDPOINT_URL"], **keys)


def split(uri: str) -> tuple[str, str]:
    """Bucket and key prefix of `s3://bucket/prefix`."""
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    return bucket, prefix


def download(uri: str, folder: Path) -> int:
    """All objects under a prefix into a folder; how many there were."""
    bucket, prefix = split(uri)
    s3 = client("s3")
    count = 0
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for entry in page.get("Contents", []):
            target = folder / entry["Key"].removeprefix(prefix).lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            s3.download_file(bucket, entry["Key"], str(target))
            count += 1
    return count


def upload(folder: Path, uri: str) -> None:
    """All files of a folder under a prefix."""
    bucket, prefix = split(uri)
    s3 = client("s3")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        s3.upload_file(str(path), bucket, f"{prefix.rstrip('/')}/{path.relative_to(folder).as_posix()}")
