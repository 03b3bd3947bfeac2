"""The HTTP side: routes, errors as OpenAI writes them, and the way from a request to the model thread and back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from .chat import Message
from .errors import ApiError, BadRequest, Draining
from .jobs import Job
from .policy import Policy
from .registry import Registry
from .responses import chat_body, text_body
from .scheduler import Scheduler
from .settings import Settings
from .wire import ChatRequest, CompletionRequest, PolicyRequest, parse

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PolicyServer:
    """Routes over a registry and a scheduler. Make it inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._answers: dict[Job, asyncio.Future[Job]] = {}
        self._draining = False
        self.registry = Registry(settings.keep, settings.dtype)
        self.scheduler = Scheduler(settings, self._deliver)

    def application(self) -> web.Application:
        """The aiohttp application; a body over the cap is answered with 413."""
        app = web.Application(middlewares=[_errors_as_json], client_max_size=self._settings.max_body_bytes)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/policies", self._load)
        app.router.add_delete("/v1/policies/{id}", self._unload)
        app.router.add_get("/health", self._health)
        return app

    async def drain(self, seconds: float) -> None:
        """Take no new requests, and give the running ones this long to finish."""
        self._draining = True
        if self._answers:
            await asyncio.wait(list(self._answers.values()), timeout=seconds)
        await asyncio.to_thread(self.scheduler.stop, seconds)

    async def _chat(self, request: web.Request) -> web.Response:
        body = parse(ChatRequest, await _json_bytes(request))
        policy = self.registry.get(body.model)
        if policy.template is None:
            raise BadRequest(f"{body.model} has no chat template, use /v1/completions", "model")
        prompt = policy.template.encode([Message(m.role, m.content) for m in body.messages])
        job = self._job(policy, prompt, body, body.max_completion_tokens or body.max_tokens)
        return _json(chat_body(await self._run(job), logprobs=body.logprobs, token_ids=body.return_token_ids))

    async def _complete(self, request: web.Request) -> web.Response:
        body = parse(CompletionRequest, await _json_bytes(request))
        policy = self.registry.get(body.model)
        prompt = policy.codec.encode_prompt(body.prompt) if isinstance(body.prompt, str) else body.prompt
        job = self._job(policy, prompt, body, body.max_tokens or 16)
        job.wants_prompt_logprobs = body.prompt_logprobs is not None
        wants = body.logprobs is not None
        return _json(text_body(await self._run(job), logprobs=wants, token_ids=body.return_token_ids))

    def _job(
        self, policy: Policy, prompt: list[int], body: ChatRequest | CompletionRequest, max_tokens: int | None
    ) -> Job:
        """Check a prompt against the model; `max_tokens` is clamped to the room that the prompt leaves."""
        config = policy.model.config
        if not prompt or max(prompt) >= config.vocab_size:
            raise BadRequest(f"the prompt must hold at least one token id, all in 0..{config.vocab_size - 1}", "prompt")
        room = config.context - len(prompt)
        if room < 1:
            raise BadRequest(
                f"the maximum context length of {policy.id} is {config.context} tokens, one of them to be written; "
                f"the prompt has {len(prompt)}",
                "messages" if isinstance(body, ChatRequest) else "prompt",
            )
        return Job(
            policy=policy,
            prompt=prompt,
            params=body.params(),
            max_tokens=min(max_tokens or room, room),
            stop=body.stops(),
            seed=body.chosen_seed(),
            choices=body.n,
        )

    async def _run(self, job: Job) -> Job:
        """Have a job served. A client that goes away cancels this coroutine, and with it the job."""
        if self._draining:
            raise Draining
        future = self._answers[job] = self._loop.create_future()
        try:
            self.scheduler.submit(job)
            await future
        except asyncio.CancelledError:
            job.cancelled = True
            raise
        finally:
            del self._answers[job]
        if job.error is not None:
            raise ApiError(500, "internal_error", f"the model failed: {job.error}")
        return job

    def _deliver(self, jobs: Sequence[Job]) -> None:
        """Called from the model thread: one wake-up of the event loop for all jobs of a step."""
        self._loop.call_soon_threadsafe(self._answer, jobs)

    def _answer(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            future = self._answers.get(job)
            if future is not None and not future.done():
                future.set_result(job)

    async def _models(self, _request: web.Request) -> web.Response:
        rows = [{"id": name, "object": "model", "owned_by": "spade"} for name in sorted(self.registry.ids())]
        return _json({"object": "list", "data": rows})

    async def _load(self, request: web.Request) -> web.Response:
        body = parse(PolicyRequest, await _json_bytes(request))
        policy = await self.registry.load(body.id, Path(body.path).resolve())
        return _json({"id": policy.id, "path": str(policy.path), "context": policy.model.config.context})

    async def _unload(self, request: web.Request) -> web.Response:
        self.registry.unload(request.match_info["id"])
        return _json({"id": request.match_info["id"], "deleted": True})

    async def _health(self, _request: web.Request) -> web.Response:
        counters = self.scheduler.counters()
        rate = counters.completion_tokens / counters.busy_seconds if counters.busy_seconds else 0.0
        return _json(
            {
                "status": "draining" if self._draining else "ok",
                "policies": self.registry.ids(),
                "deterministic": self._settings.deterministic,
                "waiting": self.scheduler.waiting(),
                "running": self.scheduler.running(),
                "requests": counters.requests,
                "promptTokens": counters.prompt_tokens,
                "cachedPromptTokens": counters.cached_prompt_tokens,
                "completionTokens": counters.completion_tokens,
                "tokensPerSecond": round(rate * self._settings.threads, 1),
            }
        )


async def _json_bytes(request: web.Request) -> bytes:
    """The body of a JSON request. Other types are refused, so that no web page can post here without asking."""
    if request.content_type != "application/json":
        raise ApiError(415, "invalid_request_error", "expected Content-Type: application/json")
    return await request.read()


def _json(body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    return web.Response(body=text.encode(), status=status, headers=headers, content_type="application/json")


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ApiError as error:
        headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else None
        return _json(error.body(), error.status, headers)
    except web.HTTPException as error:
        kind = "invalid_request_error" if error.status < 500 else "internal_error"
        return _json(ApiError(error.status, kind, error.text or error.reason).body(), error.status)
