"""What the most common operations take and answer. Answers are plain dictionaries and may have more fields."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, TypedDict, Union


class _Role(TypedDict):
    role: str


class Message(_Role, total=False):
    """A message of a conversation, in OpenAI's form."""

    content: Union[str, List[Dict[str, Any]], None]
    tool_calls: List[Dict[str, Any]]
    tool_call_id: str
    name: str


class Usage(TypedDict):
    input_tokens: int
    output_tokens: int


class Generated(TypedDict):
    """An answer of ``generate``."""

    #: The text; for images and audio the provider's object.
    output: Any
    #: ``provider/name``
    model: str
    usage: Usage
    latency_ms: float


class Model(TypedDict):
    name: str
    #: text, image, audio, multimodal or embedding
    type: str


class Balance(TypedDict):
    balance: float
    #: Set aside for requests now running.
    held: float
    available: float
    currency: str


class Breakdown(TypedDict):
    group_by: str
    #: Each with requests, errors, input_tokens, output_tokens, cost, and what it is grouped by.
    data: List[Dict[str, Any]]


class Key(TypedDict):
    id: str
    name: str
    scopes: List[str]
    hint: str
    state: str
    expires_at: Optional[str]
    last_used_at: Optional[str]
    requests: int


class CreatedKey(Key):
    #: The secret. It is shown this once.
    key: str
