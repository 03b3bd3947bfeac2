"""Which policy versions are loaded: at most K, the least recently used goes first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path

import torch

from .errors import ApiError, BadRequest, ModelNotFound, PolicyLoadError
from .policy import Policy, load_policy


class Registry:
    """Loaded versions by id. Used from the event loop only; reading files happens in another thread."""

    def __init__(self, capacity: int, dtype: torch.dtype) -> None:
        self._capacity = capacity
        self._dtype = dtype
        self._loaded: OrderedDict[str, Policy] = OrderedDict()
        self._loading = asyncio.Lock()

    def ids(self) -> list[str]:
        """Names of the loaded versions, least recently used first."""
        return list(self._loaded)

    def get(self, policy_id: str) -> Policy:
        """The version a request names.

        Raises:
            ModelNotFound: it is not loaded.

        """
        policy = self._loaded.get(policy_id)
        if policy is None:
            raise ModelNotFound(policy_id, self.ids())
        self._loaded.move_to_end(policy_id)
        return policy

    async def load(self, policy_id: str, path: Path) -> Policy:
        """Load a version while the others go on being served; loading the same path again changes nothing.

        A version that is pushed out finishes the requests it has: they hold it.

        Raises:
            BadRequest: the directory cannot be served; the message names the file.
            ApiError: 409, the id is in use for another directory.

        """
        async with self._loading:
            known = self._loaded.get(policy_id)
            if known is not None and known.path != path:
                raise ApiError(409, "conflict_error", f"{policy_id} is already loaded from {known.path}", param="id")
            if known is None:
                try:
                    known = await asyncio.to_thread(load_policy, policy_id, path, self._dtype)
                except PolicyLoadError as error:
                    raise BadRequest(str(error), "path") from error
            self._loaded[policy_id] = known
            self._loaded.move_to_end(policy_id)
            while len(self._loaded) > self._capacity:
                self._loaded.popitem(last=False)
            return known

    def unload(self, policy_id: str) -> None:
        """Forget a version; running requests finish.

        Raises:
            ModelNotFound: it is not loaded.

        """
        if self._loaded.pop(policy_id, None) is None:
            raise ModelNotFound(policy_id, self.ids())
