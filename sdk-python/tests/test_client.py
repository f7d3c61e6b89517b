"""How calls are made, against a scripted server."""

from __future__ import annotations

import json
import threading
import unittest
from typing import Any, Dict, List, Optional, Tuple

from tests.scripted_server import Call, ScriptedServer
from trunkline import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    RateLimitError,
    Trunkline,
    UnsafeContentError,
)
from trunkline._retry import retry_delay


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ScriptedServer()
        self.client = Trunkline(self.server.url, "secret")

    def tearDown(self) -> None:
        self.client.close()
        self.server.stop()

    def refuse(self, times: int, status: int, kind: str, headers: Optional[Dict[str, str]] = None) -> None:
        """Refuses as often as told, then answers."""
        sent = {"retry-after": "0"} if headers is None else headers

        def script(call: Call) -> None:
            if len(self.server.calls) > times:
                call.answer(200, {"output": "Hello"})
            else:
                call.answer(status, {"error": {"message": "Later.", "type": kind}}, sent)

        self.server.calls.clear()
        self.server.script = script


class TestCalls(ClientTest):
    def test_sends_parameters_query_body_and_key(self) -> None:
        self.server.script = lambda call: call.answer(200, {"id": "k1"})
        answer = self.client.call("PATCH /v1/keys/{id}", params={"id": "a/b c"}, query={"x": True}, body={"name": "New"})
        call = self.server.calls[0]
        self.assertEqual(answer, {"id": "k1"})
        self.assertEqual((call.method, call.path), ("PATCH", "/v1/keys/a%2Fb%20c?x=true"))
        self.assertEqual(call.headers["authorization"], "Bearer secret")
        self.assertEqual(json.loads(call.body), {"name": "New"})

    def test_never_lets_a_parameter_climb_out_of_its_place(self) -> None:
        for value in ("", ".", ".."):
            with self.assertRaises(ValueError):
                self.client.call("GET /v1/keys/{id}", params={"id": value})

    def test_leaves_out_what_is_none_and_answers_none_without_content(self) -> None:
        self.server.script = lambda call: call.answer(204, b"")
        self.assertIsNone(self.client.call("GET /v1/keys", query={"cursor": None, "limit": 5}))
        self.assertEqual(self.server.calls[0].path, "/v1/keys?limit=5")

    def test_keeps_a_prefix_of_the_address(self) -> None:
        with Trunkline(f"{self.server.url}/gateway/", "secret") as client:
            client.call("GET /v1/balance")
        self.assertEqual(self.server.calls[0].path, "/gateway/v1/balance")

    def test_leaves_the_choice_of_the_model_to_the_service_only_where_a_chat_names_none(self) -> None:
        for fields in ({}, {"model": None}, {"model": "guide"}, {"models": ["a", "b"]}):
            self.client.chat([{"role": "user", "content": "Hi"}], **fields)
        asked = [json.loads(call.body) for call in self.server.calls]
        self.assertEqual([body.get("model", body.get("models")) for body in asked], ["auto", "auto", "guide", ["a", "b"]])

    def test_uses_a_connection_again_and_makes_a_new_one_where_it_was_closed(self) -> None:
        for _ in range(3):
            self.client.call("GET /v1/balance")
        self.assertEqual(self.server.connections, 1)
        self.server.script = lambda call: call.answer(200, {}, {"connection": "close"})
        self.client.call("GET /v1/balance")
        # This one may have happened already, so it is not repeated: it must not meet a closed connection.
        self.client.call("POST /v1/keys", body={})
        self.assertEqual(self.server.connections, 2)

    def test_may_be_used_by_many_threads(self) -> None:
        self.server.script = lambda call: call.answer(200, {"path": call.path})
        wrong: List[Any] = []

        def work(number: int) -> None:
            for _ in range(10):
                answer = self.client.call("GET /v1/requests/{id}", params={"id": str(number)})
                if answer != {"path": f"/v1/requests/{number}"}:
                    wrong.append(answer)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_goes_through_a_list_page_after_page(self) -> None:
        def script(call: Call) -> None:
            is_last = "cursor=c1" in call.path
            call.answer(200, {"data": [3] if is_last else [1, 2], "next_cursor": None if is_last else "c1"})

        self.server.script = script
        self.assertEqual(list(self.client.items("GET /v1/keys", query={"state": "active"})), [1, 2, 3])
        self.assertEqual([call.path for call in self.server.calls][1], "/v1/keys?state=active&cursor=c1")


class TestErrors(ClientTest):
    def test_each_kind_of_refusal_has_its_class(self) -> None:
        cases: List[Tuple[int, str, str]] = [
            (400, "invalid_request", "InvalidRequestError"),
            (401, "invalid_api_key", "AuthenticationError"),
            (402, "insufficient_balance", "InsufficientFundsError"),
            (403, "budget_exceeded", "InsufficientFundsError"),
            (403, "insufficient_scope", "PermissionDeniedError"),
            (403, "unsafe_output", "UnsafeContentError"),
            (404, "model_not_found", "NotFoundError"),
            (409, "conflict", "ConflictError"),
            (422, "idempotency_mismatch", "InvalidRequestError"),
            (502, "provider_error", "ServiceError"),
        ]
        for status, kind, name in cases:
            for body in ({"type": kind, "code": status}, {"type": "x_error", "code": kind}):
                self.server.script = lambda call: call.answer(status, {"error": {"message": "No.", **body}})
                with self.assertRaises(ApiError) as caught:
                    self.client.chat([{"role": "user", "content": "Hi"}])
                error = caught.exception
                self.assertEqual((type(error).__name__, error.status, error.type), (name, status, kind))

    def test_has_the_details(self) -> None:
        details = {"message": "Slow down.", "type": "rate_limited", "param": "limit", "request_id": "r-1"}
        self.server.script = lambda call: call.answer(429, {"error": details}, {"retry-after": "7"})
        with self.assertRaises(RateLimitError) as caught:
            self.client.call("GET /v1/keys", max_retries=0)
        error = caught.exception
        self.assertEqual(str(error), "Slow down.")
        self.assertEqual((error.param, error.request_id, error.retry_after), ("limit", "r-1", 7))
        self.server.script = lambda call: call.answer(403, {"error": {"type": "unsafe_input", "categories": ["violence"]}})
        with self.assertRaises(UnsafeContentError) as unsafe:
            self.client.generate("Hi")
        self.assertEqual(unsafe.exception.categories, ["violence"])

    def test_a_page_of_something_in_between_and_no_answer_at_all(self) -> None:
        self.server.script = lambda call: call.answer(502, b"<h1>Bad gateway</h1>")
        with self.assertRaises(ApiError) as caught:
            self.client.call("GET /v1/keys", max_retries=0)
        self.assertEqual((caught.exception.status, caught.exception.type), (502, "unreadable"))
        with Trunkline("http://127.0.0.1:1", "secret", max_retries=0) as client:
            with self.assertRaises(ApiConnectionError) as unreachable:
                client.balance()
        self.assertEqual((unreachable.exception.status, unreachable.exception.type), (0, "unreachable"))
        with self.assertRaises(ValueError):
            Trunkline("ftp://x", "secret")


class TestStreams(ClientTest):
    def parts(self, body: bytes, content_type: str = "application/x-ndjson") -> List[Any]:
        self.server.script = lambda call: call.answer(200, body, {"content-type": content_type, "x-request-id": "r-9"})
        return list(self.client.stream("POST /v1/stream", body={"input": "Hi"}))

    def test_gives_objects_of_lines_and_of_events(self) -> None:
        self.assertEqual(self.parts('{"delta":"grü"}\n\n{"done":true}'.encode()), [{"delta": "grü"}, {"done": True}])
        events = b': waiting\n\ndata: {"a":1}\r\n\r\nevent: x\ndata: {"b":2}\n\ndata: [DONE]\n\n'
        self.assertEqual(self.parts(events, "text/event-stream; charset=utf-8"), [{"a": 1}, {"b": 2}])

    def test_raises_the_error_that_ends_it(self) -> None:
        with self.assertRaises(ApiError) as caught:
            self.parts(b'{"delta":"a"}\n{"error":{"message":"Gone.","code":502,"type":"provider_error"},"done":true}\n')
        self.assertEqual((caught.exception.status, caught.exception.type), (502, "provider_error"))
        self.assertEqual(caught.exception.request_id, "r-9")

    def test_raises_where_its_end_is_missing_or_its_last_line_is_cut(self) -> None:
        for body in (b'{"delta":"a"}\n', b'{"delta":"a"}\n{"del'):
            with self.assertRaises(ApiConnectionError) as caught:
                self.parts(body)
            self.assertEqual(caught.exception.type, "cut_off")

    def test_raises_where_no_further_part_comes_in_time(self) -> None:
        over = threading.Event()

        def script(call: Call) -> None:
            call.answer(200, b'{"delta":"a"}\n', {"content-length": "1000"})
            over.wait()

        self.server.script = script
        with self.assertRaises(ApiTimeoutError):
            list(self.client.stream("POST /v1/stream", body={"input": "Hi"}, timeout=0.1))
        over.set()

    def test_ends_the_request_when_it_is_left(self) -> None:
        left = threading.Event()

        def script(call: Call) -> None:
            call.answer(200, b'{"delta":"a"}\n', {"content-length": "1000"})
            if call._handler.connection.recv(1) == b"":
                left.set()

        self.server.script = script
        with self.client.stream("POST /v1/stream", body={"input": "Hi"}) as stream:
            self.assertEqual(next(stream), {"delta": "a"})
        self.assertTrue(left.wait(60))


class TestRetries(ClientTest):
    def keys_sent(self) -> List[Optional[str]]:
        return [call.headers["idempotency-key"] for call in self.server.calls]

    def test_sends_the_same_body_under_the_same_key(self) -> None:
        self.refuse(2, 429, "rate_limited")
        self.assertEqual(self.client.generate("Hi"), {"output": "Hello"})
        self.assertEqual(len(self.server.calls), 3)
        self.assertEqual(len(set(self.keys_sent())), 1)
        self.assertEqual(len({call.body for call in self.server.calls}), 1)
        self.client.generate("Hi")
        self.assertEqual(len(set(self.keys_sent())), 2)

    def test_uses_the_callers_key_and_none_where_it_may_not_be_tried_again(self) -> None:
        self.refuse(0, 429, "rate_limited")
        self.client.generate("Hi", max_retries=0, idempotency_key="order-7")
        self.client.generate("Hi", max_retries=0)
        self.client.balance()
        self.assertEqual(self.keys_sent(), ["order-7", None, None])

    def test_ends_after_as_many_as_are_allowed(self) -> None:
        self.refuse(99, 503, "unavailable")
        for most in (2, 1, 0):
            with self.assertRaises(ApiError):
                self.client.generate("Hi", max_retries=most)
        self.assertEqual(len(self.server.calls), 3 + 2 + 1)

    def test_repeats_after_a_broken_connection_only_what_is_safe(self) -> None:
        def script(call: Call) -> None:
            if len(self.server.calls) == 1:
                call.hang_up()
            else:
                call.answer(200, {"output": "Hello"})

        self.server.script = script
        self.assertEqual(self.client.generate("Hi"), {"output": "Hello"})
        self.server.calls.clear()
        with self.assertRaises(ApiConnectionError):
            self.client.create_key("website")
        self.assertEqual(len(self.server.calls), 1)

    def test_does_not_repeat_what_is_final_or_would_take_long(self) -> None:
        for status, kind, headers in (
            (400, "invalid_request", {}),
            (402, "insufficient_balance", {}),
            (502, "provider_error", {}),
            (503, "no_model_available", {}),
            (429, "rate_limited", {"retry-after": "3600"}),
        ):
            self.refuse(99, status, kind, headers)
            with self.assertRaises(ApiError):
                self.client.generate("Hi")
            self.assertEqual(len(self.server.calls), 1, kind)

    def test_does_not_repeat_what_took_too_long(self) -> None:
        over = threading.Event()
        self.server.script = lambda call: void(over.wait())
        with self.assertRaises(ApiTimeoutError):
            self.client.call("GET /v1/keys", timeout=0.1)
        self.assertEqual(len(self.server.calls), 1)
        over.set()

    def test_waits_longer_each_time_and_never_less_than_asked(self) -> None:
        self.assertEqual([retry_delay(retry, None, 1.0) for retry in (1, 2, 3, 9)], [0.5, 1.0, 2.0, 8.0])
        self.assertEqual([retry_delay(retry, None, 0.0) for retry in (1, 2, 3, 9)], [0.25, 0.5, 1.0, 4.0])
        self.assertEqual((retry_delay(1, 7, 0.0), retry_delay(1, 7, 1.0)), (7.0, 7.25))


def void(_: object) -> None:
    return None


if __name__ == "__main__":
    unittest.main()
