"""Connections to one service, kept open between calls."""

from __future__ import annotations

import http.client
import select
import ssl
import threading
from typing import List, Optional
from urllib.parse import urlsplit

_MOST_IDLE = 8


class Connections:
    """May be used by many threads: each call has a connection to itself until its answer is read."""

    def __init__(self, base_url: str, timeout: float, ssl_context: Optional[ssl.SSLContext]) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or address.hostname is None:
            raise ValueError(f"{base_url!r} is no address of a service, such as http://127.0.0.1:8080.")
        self._is_secure = address.scheme == "https"
        self._host = address.hostname
        self._port = address.port
        self._ssl_context = ssl_context
        self._timeout = timeout
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._is_closed = False
        #: What stands before every path.
        self.prefix = address.path.rstrip("/")

    def take(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        seconds = self._timeout if timeout is None else timeout
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._make(seconds)
            if connection.sock is not None and not _is_readable(connection.sock.fileno()):
                connection.sock.settimeout(seconds)
                return connection
            # The service has closed it meanwhile.
            connection.close()

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if not self._is_closed and connection.sock is not None and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _make(self, seconds: float) -> http.client.HTTPConnection:
        if self._is_secure:
            return http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=self._ssl_context)
        return http.client.HTTPConnection(self._host, self._port, timeout=seconds)


def _is_readable(descriptor: int) -> bool:
    """An idle connection has nothing to read, unless its end."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([descriptor], [], [], 0)[0])
