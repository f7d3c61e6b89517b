"""The client."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import time
import uuid
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, cast
from urllib.parse import quote, urlencode

from ._connections import Connections
from ._errors import ApiConnectionError, ApiError, ApiTimeoutError, error_of_bytes
from ._retry import may_retry, retry_delay
from ._stream import Stream
from ._types import Balance, Breakdown, CreatedKey, Generated, Key, Message, Model

CHAT = "POST /openai/v1/chat/completions"

#: What is billed. It takes an idempotency key, so that a repeated call neither runs nor costs twice.
INFERENCE = frozenset(
    [
        "POST /v1/ai/request",
        "POST /v1/generate",
        "POST /v1/stream",
        "POST /v1/image",
        "POST /v1/audio",
        "POST /v1/embeddings",
        CHAT,
    ]
)

_Answer = Tuple[HTTPConnection, HTTPResponse]


class Trunkline:
    """A client of one service. It may be used by many threads, and keeps its connections open until it is closed.

    ``base_url`` and ``key`` default to the variables TRUNKLINE_URL and TRUNKLINE_KEY. ``timeout`` is how long to wait for
    an answer or for the next part of a stream, in seconds; ``max_retries`` how often a call is tried again that may
    succeed later.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = 300.0,
        max_retries: int = 2,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.base_url = (base_url or os.environ.get("TRUNKLINE_URL") or "http://127.0.0.1:8080").rstrip("/")
        self._key = key or os.environ.get("TRUNKLINE_KEY")
        self._max_retries = max_retries
        self._connections = Connections(self.base_url, timeout, ssl_context)

    def __enter__(self) -> Trunkline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._connections.close()

    # The most common operations.

    def generate(self, input: str, **fields: Any) -> Generated:
        """Sends an input and gives the output, with the model and the token counts.

        ``fields`` are those of ``POST /v1/generate``, such as ``model``, ``route``, ``fallbacks``, ``preferences`` and
        ``parameters``, and the options of ``call``.
        """
        options, body = _split_options(fields)
        return cast(Generated, self.call("POST /v1/generate", body={"input": input, **body}, **options))

    def chat(self, messages: Sequence[Message], **fields: Any) -> Dict[str, Any]:
        """Continues a conversation and gives the whole answer, in OpenAI's form. ``usage`` has the cost."""
        options, body = _split_options(fields)
        return cast(Dict[str, Any], self.call(CHAT, body=_chat_body(messages, body), **options))

    def stream_chat(self, messages: Sequence[Message], **fields: Any) -> Stream:
        """Continues a conversation and gives the answer as it comes. The last chunk has ``usage``, with the cost."""
        options, body = _split_options(fields)
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        return self.stream(CHAT, body={**_chat_body(messages, body), **streaming}, **options)

    def models(self, type: Optional[str] = None) -> List[Model]:
        """The available models."""
        return cast(List[Model], self.call("GET /v1/models", query={"type": type}))

    def keys(self, state: Optional[str] = None) -> Iterator[Key]:
        """The account's keys."""
        return cast(Iterator[Key], self.items("GET /v1/keys", query={"state": state}))

    def create_key(self, name: str, scopes: Sequence[str] = ("inference", "read"), **fields: Any) -> CreatedKey:
        """Makes a key. ``fields`` are those of ``POST /v1/keys``, such as ``budget``. The answer has the secret, this once."""
        body = {"name": name, "scopes": list(scopes), **fields}
        return cast(CreatedKey, self.call("POST /v1/keys", body=body))

    def revoke_key(self, id: str) -> None:
        """Ends a key."""
        self.call("DELETE /v1/keys/{id}", params={"id": id})

    def usage(self, group_by: str = "model", **query: Any) -> Breakdown:
        """What was used, by day, model, key, task or provider. ``from_`` and ``to`` bound the time."""
        query = {name.rstrip("_"): value for name, value in query.items()}
        return cast(Breakdown, self.call("GET /v1/usage/breakdown", query={"group_by": group_by, **query}))

    def balance(self) -> Balance:
        """What the account has."""
        return cast(Balance, self.call("GET /v1/balance"))

    # Every operation.

    def call(
        self,
        operation: str,
        *,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Makes one call, such as ``call("GET /v1/keys/{id}", params={"id": ...})``, and gives its answer."""
        connection, response = self._send(
            operation, "application/json", params, query, body, headers, timeout, max_retries, idempotency_key
        )
        request_id = response.getheader("x-request-id")
        try:
            data = response.read()
        except (OSError, HTTPException) as cause:
            connection.close()
            raise _connection_error(cause, "The answer broke off before its end.", "cut_off", request_id) from cause
        self._finish(connection, response, True)
        if response.status == 204:
            return None
        try:
            return json.loads(data)
        except ValueError as cause:
            raise ApiError(
                "The service's answer can't be read.", status=response.status, request_id=request_id
            ) from cause

    def stream(
        self,
        operation: str,
        *,
        params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> Stream:
        """Makes one call whose answer is streamed, such as ``stream("POST /v1/stream", body={"input": ...})``."""
        accept = "text/event-stream" if operation == CHAT else "application/x-ndjson"
        connection, response = self._send(
            operation, accept, params, query, body, headers, timeout, max_retries, idempotency_key
        )
        return Stream(response, lambda is_whole: self._finish(connection, response, is_whole))

    def items(self, operation: str, *, query: Optional[Mapping[str, Any]] = None, **options: Any) -> Iterator[Any]:
        """Goes through a whole list, page after page as they are needed."""
        query = dict(query or {})
        while True:
            page = self.call(operation, query=query, **options)
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    # How a call is made.

    def _send(
        self,
        operation: str,
        accept: str,
        params: Optional[Mapping[str, str]],
        query: Optional[Mapping[str, Any]],
        body: Any,
        headers: Optional[Mapping[str, str]],
        timeout: Optional[float],
        max_retries: Optional[int],
        idempotency_key: Optional[str],
    ) -> _Answer:
        """One call with its retries, up to the head of its answer. The body is the same each time: the service compares it."""
        method, path = operation.split(" ", 1)
        target = self._connections.prefix + _fill_path(path, params or {}) + _query_text(query or {})
        retries = self._max_retries if max_retries is None else max_retries
        is_inference = operation in INFERENCE
        # For a key the service keeps the answer for a day: none is sent without need.
        if is_inference and idempotency_key is None and retries > 0:
            idempotency_key = uuid.uuid4().hex
        is_safe_twice = idempotency_key is not None if is_inference else method not in ("POST", "PATCH")
        data = None if body is None else json.dumps(body).encode()
        sent = {
            "accept": accept,
            "user-agent": "trunkline-python",
            **({} if self._key is None else {"authorization": f"Bearer {self._key}"}),
            **({} if data is None else {"content-type": "application/json"}),
            **({"idempotency-key": idempotency_key} if is_inference and idempotency_key is not None else {}),
            **(headers or {}),
        }
        retry = 1
        while True:
            try:
                return self._send_once(method, target, data, sent, timeout)
            except ApiError as error:
                if retry > retries or not may_retry(error, is_safe_twice):
                    raise
                time.sleep(retry_delay(retry, error.retry_after))
                retry += 1

    def _send_once(
        self, method: str, target: str, data: Optional[bytes], headers: Mapping[str, str], timeout: Optional[float]
    ) -> _Answer:
        connection = self._connections.take(timeout)
        try:
            connection.request(method, target, body=data, headers=dict(headers))
            response = connection.getresponse()
            if 200 <= response.status < 300:
                return connection, response
            text = response.read()
        except (OSError, HTTPException) as cause:
            connection.close()
            message = f"The service at {self.base_url} can't be reached."
            raise _connection_error(cause, message, "unreachable") from cause
        except BaseException:
            connection.close()
            raise
        self._finish(connection, response, True)
        raise error_of_bytes(
            response.status, text, response.getheader("x-request-id"), response.getheader("retry-after")
        )

    def _finish(self, connection: HTTPConnection, response: HTTPResponse, is_whole: bool) -> None:
        """Keeps a connection whose answer was read to its end; closes any other."""
        if is_whole and response.isclosed() and not response.will_close:
            self._connections.give_back(connection)
        else:
            connection.close()


_OPTIONS = ("headers", "timeout", "max_retries", "idempotency_key")


def _split_options(fields: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    options = {name: fields.pop(name) for name in _OPTIONS if name in fields}
    return options, fields


def _chat_body(messages: Sequence[Message], fields: Dict[str, Any]) -> Dict[str, Any]:
    """``models`` may name the model as well."""
    is_named = fields.get("model") is not None or fields.get("models") is not None
    return {**fields, "messages": list(messages), **({} if is_named else {"model": "auto"})}


def _connection_error(
    cause: BaseException, message: str, kind: str, request_id: Optional[str] = None
) -> ApiConnectionError:
    if isinstance(cause, (TimeoutError, socket.timeout)):
        return ApiTimeoutError("No answer came in time.", type="timeout", request_id=request_id)
    return ApiConnectionError(message, type=kind, request_id=request_id)


def _fill_path(path: str, params: Mapping[str, str]) -> str:
    """Puts the parameters into the path. One that would climb out of its place is a mistake of the caller."""

    def fill(match: re.Match[str]) -> str:
        value = str(params.get(match.group(1), ""))
        if value in ("", ".", ".."):
            raise ValueError(f"The parameter {match.group(1)} is missing.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", fill, path)


def _query_text(query: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, Union[str, int, float]]] = []
    for name, value in query.items():
        if value is None:
            continue
        for item in value if isinstance(value, (list, tuple)) else [value]:
            pairs.append((name, str(item).lower() if isinstance(item, bool) else item))
    return f"?{urlencode(pairs)}" if pairs else ""
