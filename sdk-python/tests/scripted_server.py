"""A service that does exactly what a test says, on a real socket."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional


class Call:
    """A call that arrived, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self._handler = handler
        self.method = handler.command
        self.path = handler.path
        self.headers = handler.headers
        self.body = body

    def answer(self, status: int, body: Any, headers: Optional[Dict[str, str]] = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._handler.send_response(status)
        for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self._handler.wfile.write(data)

    def hang_up(self) -> None:
        self._handler.close_connection = True
        self._handler.connection.close()


class ScriptedServer:
    def __init__(self) -> None:
        self.calls: List[Call] = []
        #: How many connections were made.
        self.connections = 0
        self.script: Callable[[Call], None] = lambda call: call.answer(200, {})
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def handle_any(self) -> None:
                call = Call(self, self.rfile.read(int(self.headers.get("content-length") or 0)))
                server.calls.append(call)
                server.script(call)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that left is part of the tests."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
