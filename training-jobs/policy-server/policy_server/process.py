"""The life of the server process: start, the ready line, signals, the parent's end, the way out."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import torch
from aiohttp import web

from .app import PolicyServer
from .errors import ApiError
from .settings import Settings

DRAIN_SECONDS = 5.0
_PARENT_POLL_SECONDS = 0.5
_SWITCH_SECONDS = 0.0005
"""How long one thread may keep the interpreter. The model thread lets go of it in every tensor operation and wants it
back at once; with Python's 5 ms it would wait for the HTTP side that long, every time."""


async def serve(settings: Settings) -> int:
    """Load, listen, print the ready line, and stay until told to stop. Returns the exit status."""
    torch.set_num_threads(1)  # here and in the loading thread; each model thread sets its own
    sys.setswitchinterval(_SWITCH_SECONDS)
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    server = PolicyServer(settings)
    try:
        for policy_id, path in settings.policies:
            await server.registry.load(policy_id, path)
    except ApiError as error:
        print(error.message, file=sys.stderr)
        return 1
    server.scheduler.start()
    runner = web.AppRunner(
        server.application(), access_log=None, handler_cancellation=True, shutdown_timeout=1.0, keepalive_timeout=300.0
    )
    await runner.setup()
    try:
        await _listen(runner, settings, server)
    except OSError as error:
        print(f"cannot listen on {settings.host}:{settings.port}: {error}", file=sys.stderr)
        return 1
    watch = asyncio.create_task(_watch_parent(settings.parent_pid, stop))
    await stop.wait()
    watch.cancel()
    await server.drain(DRAIN_SECONDS)
    await runner.cleanup()
    return 0


async def _listen(runner: web.AppRunner, settings: Settings, server: PolicyServer) -> None:
    site = web.TCPSite(runner, settings.host, settings.port, backlog=2048)
    await site.start()
    port = int(runner.addresses[0][1])
    if settings.port_file is not None:
        _write_whole(settings.port_file, str(port))
    ready = {"event": "ready", "port": port, "pid": os.getpid(), "policies": server.registry.ids()}
    print(json.dumps(ready), flush=True)


def _write_whole(path: Path, text: str) -> None:
    """A reader sees the whole content or no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


async def _watch_parent(parent: int | None, stop: asyncio.Event) -> None:
    """Set `stop` once `parent` is gone. A dead but unreaped parent is noticed by our own being handed to another."""
    adopted_by = os.getppid()
    while parent is not None and not stop.is_set():
        await asyncio.sleep(_PARENT_POLL_SECONDS)
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            stop.set()
        if adopted_by == parent and os.getppid() != parent:
            stop.set()
