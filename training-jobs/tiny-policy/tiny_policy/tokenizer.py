"""The tokenizer: byte-level BPE over the recipe's own text, digits one by one, role markers as special tokens."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from .prompts import Message

PAD, END = "<|pad|>", "<|end|>"
ROLES = ("system", "user", "assistant")
SPECIAL = [PAD, END, *(f"<|{role}|>" for role in ROLES)]
VOCABULARY = 1280

SIGN = r"(?:[^\s\dA-Z]|[A-Z](?=[a-z]))"
MARK = r"[(){}\[\]\"_=]"
CODE = rf"{SIGN}*{MARK}{SIGN}*"
MORE = rf"(?: {SIGN}*[(){{}}\[\]\"_=,.:+<>%-]{SIGN}*)*"
PIECES = rf"\d|\\boxed\{{| ?[A-Z](?![a-z])|\n+ *{SIGN}*{MORE}| ?{CODE}{MORE}| ?{SIGN}+|\s+"
"""What may become one token: a digit; the opening of an answer; a capital that begins no word; a line break with its
indentation and the code after it; a stretch of code; a word with the space before it; white space. Digits and capitals
are what the agent computes with, so they are never merged; code is repetitive, so it may merge across spaces."""

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{- '<|' + message['role'] + '|>' + message['content'] + '<|end|>' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)
"""Every message is closed by the token that also ends a completion, so that the next prompt of a conversation begins
with the last prompt and its completion, token by token."""


def train_tokenizer(texts: Iterable[str], vocabulary: int = VOCABULARY) -> PreTrainedTokenizerFast:
    """A tokenizer fitted to `texts`, with at most `vocabulary` entries."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=SPECIAL[2:],
        clean_up_tokenization_spaces=False,
        model_max_length=1024,
        chat_template=CHAT_TEMPLATE,
    )


class Codec:
    """Conversations to token ids and back, by the chat template's rule; contents of messages can forge no marker."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self.backend: Tokenizer = tokenizer.backend_tokenizer
        self.backend.encode_special_tokens = True
        self.end: int = tokenizer.convert_tokens_to_ids(END)
        self.pad: int = tokenizer.convert_tokens_to_ids(PAD)
        self.role: dict[str, int] = {role: tokenizer.convert_tokens_to_ids(f"<|{role}|>") for role in ROLES}

    def content(self, text: str) -> list[int]:
        """Token ids of plain text."""
        ids: list[int] = self.backend.encode(text, add_special_tokens=False).ids
        return ids

    def message(self, message: Message) -> list[int]:
        """Token ids of one closed message."""
        return [self.role[message.role], *self.content(message.content), self.end]

    def prompt(self, messages: Iterable[Message]) -> list[int]:
        """Token ids of a conversation up to the point where the assistant begins to write."""
        return [token for message in messages for token in self.message(message)] + [self.role["assistant"]]

    def text(self, ids: Iterable[int]) -> str:
        """The text of a completion, without the end token."""
        decoded: str = self.backend.decode([token for token in ids if token != self.end], skip_special_tokens=True)
        return decoded
