"""Answers that come piece by piece."""

from __future__ import annotations

import json
import socket
from http.client import HTTPException, HTTPResponse
from typing import Any, Callable, Dict, Iterator, Optional

from ._errors import ApiConnectionError, ApiTimeoutError, error_of_body


class Stream:
    """The parts of an answer as they come. Leaving it early (``close`` or the end of a ``with``) ends the request.

    An error in mid-stream is raised, and so is a stream that ends without its end: a loop that ends has the whole answer.
    """

    def __init__(self, response: HTTPResponse, finish: Callable[[bool], None]) -> None:
        self._response = response
        self._finish: Optional[Callable[[bool], None]] = finish
        #: The request's record is found under it.
        self.request_id: Optional[str] = response.getheader("x-request-id")
        self._parts = self._read()

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self

    def __next__(self) -> Dict[str, Any]:
        return next(self._parts)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the request where it still runs."""
        self._parts.close()
        self._end(False)

    def _end(self, is_whole: bool) -> None:
        finish, self._finish = self._finish, None
        if finish is not None:
            finish(is_whole)

    def _read(self) -> Any:
        is_done = False
        try:
            for line in self._lines():
                if line == "[DONE]":
                    is_done = True
                    continue
                part = self._parse(line)
                if isinstance(part, dict) and isinstance(part.get("error"), dict):
                    raise error_of_body(self._response.status, part, self.request_id)
                if isinstance(part, dict) and part.get("done") is True:
                    is_done = True
                yield part
            if not is_done:
                raise self._broken_off()
            self._end(True)
        finally:
            self._end(False)

    def _lines(self) -> Iterator[str]:
        has_events = (self._response.getheader("content-type") or "").startswith("text/event-stream")
        try:
            while True:
                line = self._response.readline()
                if line == b"":
                    return
                text = line.decode("utf-8", "replace").strip()
                if has_events:
                    # Of an event only its data counts: every object says itself what it is.
                    if not text.startswith("data:"):
                        continue
                    text = text[len("data:") :].strip()
                if text:
                    yield text
        except (TimeoutError, socket.timeout) as cause:
            raise ApiTimeoutError(
                "No further part of the answer came in time.", type="timeout", request_id=self.request_id
            ) from cause
        except (OSError, HTTPException) as cause:
            raise self._broken_off() from cause

    def _parse(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as cause:
            raise self._broken_off() from cause

    def _broken_off(self) -> ApiConnectionError:
        return ApiConnectionError("The answer broke off before its end.", type="cut_off", request_id=self.request_id)
