"""The embedded policy: a transformer of about a million parameters that designs, hints and plays.

The recipe in this package generates every training text itself (programs, hints, plays), trains a tokenizer and a
Qwen3-architecture model from scratch, and measures the result. See docs/tiny-policy.md.
"""
