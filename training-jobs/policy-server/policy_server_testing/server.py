"""A policy server in a thread of this process, and a client that waits for it."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web
from policy_server.app import PolicyServer
from policy_server.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class Reply:
    """An HTTP answer: status, headers with lower-case names, parsed body."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class RunningServer:
    """A server that listens on `port`; `inner` is the object itself, to look at and not to call from other threads."""

    port: int
    inner: PolicyServer

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Reply:
        """One request on a connection of its own; a `bytes` body is sent as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, {"content-type": content_type})
            answer = connection.getresponse()
            text = answer.read()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, headers, json.loads(text))
        finally:
            connection.close()

    def post(self, path: str, body: Any) -> Any:
        """The body of a successful POST."""
        reply = self.request("POST", path, body)
        if reply.status != 200:
            raise AssertionError(f"{reply.status}: {reply.body}")
        return reply.body

    def chat(self, text: str, **fields: Any) -> Any:
        """A chat completion of one user message, with ids and log-probabilities."""
        return self.post("/v1/chat/completions", chat_request(text, **fields))

    def post_all(self, path: str, bodies: Sequence[Any], clients: int = 16) -> list[Any]:
        """Many requests from many connections at once; the answers in the order of the bodies."""
        with ThreadPoolExecutor(clients) as pool:
            return list(pool.map(lambda body: self.post(path, body), bodies))


def chat_request(text: str, **fields: Any) -> dict[str, Any]:
    """The body of a chat request for one user message."""
    message = {"role": "user", "content": text}
    defaults = {"model": "v0000", "messages": [message], "max_tokens": 16, "seed": 1}
    return {**defaults, "logprobs": True, "return_token_ids": True, **fields}


@contextmanager
def running_server(settings: Settings) -> Iterator[RunningServer]:
    """Start a server for the time of a `with` block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server")
    thread.start()

    def call(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(300)

    async def start() -> tuple[PolicyServer, web.AppRunner]:
        server = PolicyServer(settings)
        for policy_id, path in settings.policies:
            await server.registry.load(policy_id, path)
        server.scheduler.start()
        runner = web.AppRunner(server.application(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return server, runner

    server, runner = call(start())
    try:
        yield RunningServer(int(runner.addresses[0][1]), server)
    finally:
        call(server.drain(0.1))
        call(runner.cleanup())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
