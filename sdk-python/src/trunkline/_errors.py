"""One class for each kind of refusal, all under ApiError."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Type


class ApiError(Exception):
    """A call that was refused or did not arrive."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        type: str = "unreadable",
        param: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status; 0 where no answer came.
        self.status = status
        #: One of the service's error types; ``unreachable``, ``timeout`` or ``cut_off`` where no whole answer came;
        #: ``unreadable`` where it was not the service's.
        self.type = type
        #: The field at fault.
        self.param = param
        #: The request's record is found under it.
        self.request_id = request_id
        #: In seconds.
        self.retry_after = retry_after
        #: The answer's body as it came.
        self.body = body


class InvalidRequestError(ApiError):
    """The request is wrong: 400, 413, 415 or 422. ``param`` names the field."""


class AuthenticationError(ApiError):
    """The key is missing, unknown, revoked or expired: 401."""


class InsufficientFundsError(ApiError):
    """The balance or a budget does not suffice."""


class PermissionDeniedError(ApiError):
    """The key may not do this: 403."""


class UnsafeContentError(ApiError):
    """The safety check refused the input or the answer."""

    @property
    def categories(self) -> List[str]:
        """Why, such as ``injection``."""
        return [str(category) for category in _error_of(self.body).get("categories") or []]


class NotFoundError(ApiError):
    """There is no such thing: 404."""


class ConflictError(ApiError):
    """It contradicts what is there, or the same request still runs: 409."""


class RateLimitError(ApiError):
    """Too many requests: 429. ``retry_after`` says how long to wait."""


class ServiceError(ApiError):
    """The service or every provider failed: 5xx."""


class ApiConnectionError(ApiError):
    """No answer came, or it broke off in the middle."""


class ApiTimeoutError(ApiConnectionError):
    """No answer came in time."""


_BY_STATUS: Dict[int, Type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: InsufficientFundsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}

_BY_TYPE: Dict[str, Type[ApiError]] = {
    "budget_exceeded": InsufficientFundsError,
    "unsafe_input": UnsafeContentError,
    "unsafe_output": UnsafeContentError,
}


def error_of_bytes(status: int, data: bytes, request_id: Optional[str], retry_after: Optional[str]) -> ApiError:
    """The error of a response, whether it has the service's form or comes from something in between."""
    try:
        body = json.loads(data)
    except ValueError:
        body = None
    return error_of_body(status, body, request_id, retry_after)


def error_of_body(status: int, body: Any, request_id: Optional[str], retry_after: Optional[str] = None) -> ApiError:
    """The error of a body in the service's form, or in OpenAI's, which has the type as its ``code``."""
    error = _error_of(body)
    code = error.get("code")
    # In a stream the status was sent before the error was known.
    status = code if status == 200 and isinstance(code, int) else status
    kind = _text(code) or _text(error.get("type")) or "unreadable"
    cls = _BY_TYPE.get(kind) or _BY_STATUS.get(status) or (ServiceError if status >= 500 else ApiError)
    return cls(
        _text(error.get("message")) or f"The service answered with status {status}.",
        status=status,
        type=kind,
        param=_text(error.get("param")),
        request_id=_text(error.get("request_id")) or request_id,
        retry_after=_seconds(retry_after),
        body=body,
    )


def _error_of(body: Any) -> Dict[str, Any]:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else float(text)
    except ValueError:
        # A date: the wait is then as long as without the header.
        return None
