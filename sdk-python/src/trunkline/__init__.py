"""A client for the Trunkline API: one HTTP API to many AI models."""

from ._client import Trunkline
from ._errors import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    AuthenticationError,
    ConflictError,
    InsufficientFundsError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    UnsafeContentError,
)
from ._stream import Stream
from ._types import Balance, Breakdown, CreatedKey, Generated, Key, Message, Model, Usage

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "ApiTimeoutError",
    "AuthenticationError",
    "Balance",
    "Breakdown",
    "ConflictError",
    "CreatedKey",
    "Generated",
    "InsufficientFundsError",
    "InvalidRequestError",
    "Key",
    "Message",
    "Model",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "ServiceError",
    "Stream",
    "Trunkline",
    "UnsafeContentError",
    "Usage",
]
__version__ = "0.1.0"
