"""An archive in an S3 bucket. The bucket's own Object Lock says for how long nothing can be deleted."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from cardroom.services.ports import ArchiveConflict, StoreUnavailable

_CONFIG: Final = Config(connect_timeout=2, read_timeout=10, retries={"mode": "standard", "max_attempts": 5})


@functools.cache
def s3_client(endpoint_url: str | None) -> Any:
    """The client, made on first use; `endpoint_url` None is AWS itself, another is one host for all buckets."""
    config = _CONFIG.merge(Config(s3={"addressing_style": "path"})) if endpoint_url else _CONFIG
    return boto3.client("s3", endpoint_url=endpoint_url, config=config)


class S3Archive:
    """An archive in a bucket. A file is put on the condition that there is none, so none is ever written over."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, name: str, content: bytes) -> None:
        """Keep a file; raises ArchiveConflict if other content is there."""
        try:
            # The checksum is asked for where a bucket has Object Lock, and newer clients send it anyway.
            self._ask("put_object", Key=name, Body=content, IfNoneMatch="*", ChecksumAlgorithm="SHA256")
        except ClientError as error:
            if error.response["Error"]["Code"] != "PreconditionFailed":
                raise
            if self.get(name) != content:
                raise ArchiveConflict(f"s3://{self._bucket}/{name} is there with other content") from None

    def get(self, name: str) -> bytes:
        """The content of a file; raises KeyError if there is none."""
        return self._read(name)

    def part(self, name: str, start: int, size: int) -> bytes:
        """Some bytes of a file, none past its end; raises KeyError if there is no file."""
        try:
            return self._read(name, Range=f"bytes={start}-{start + size - 1}")
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("InvalidRange", "416"):
                raise
            return b""

    def _read(self, name: str, **arguments: str) -> bytes:
        try:
            content: bytes = self._ask("get_object", Key=name, **arguments)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("NoSuchKey", "404"):
                raise
            raise KeyError(name) from None
        return content

    def list(self, prefix: str) -> Sequence[str]:
        """The names that begin so, in order."""
        names: list[str] = []
        more: dict[str, str] = {}
        while True:
            page = self._ask("list_objects_v2", Prefix=prefix, **more)
            names += (item["Key"] for item in page.get("Contents", ()))
            if not page.get("IsTruncated"):
                return sorted(names)
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def _ask(self, operation: str, **arguments: Any) -> Any:
        """One call; raises StoreUnavailable for what another attempt may cure."""
        try:
            return getattr(self._client, operation)(Bucket=self._bucket, **arguments)
        except BotoCoreError as error:
            raise StoreUnavailable(f"S3 {operation} failed: {error}") from error
        except ClientError as error:
            # 409: another put of the same name is under way, and which of the two comes first is not decided yet.
            if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) not in (409, *range(500, 600)):
                raise
            raise StoreUnavailable(f"S3 {operation} failed: {error}") from error
