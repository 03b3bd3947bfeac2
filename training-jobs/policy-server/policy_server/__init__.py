"""An OpenAI-compatible HTTP server for policies in Hugging Face format, made for a laptop: see docs/policy-server.md.

Read in this order: `wire` (what a request may say), `chat` (messages to token ids), `scheduler` (which model thread),
`worker` (who runs next), `batch` (prefill and decode of the running sequences), `model` (the forward pass), `sampling`
(one token a row), `registry` (which policy versions are loaded), `app` (HTTP).
"""
