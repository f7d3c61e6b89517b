import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiError, ConnectionError, createClient, RateLimitError, UnsafeContentError } from "./client.ts";

type Handle = (request: IncomingMessage, body: string, response: ServerResponse) => void;

let handle: Handle = () => undefined;
let baseUrl = "";

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += String(chunk);
  });
  request.on("end", () => handle(request, body, response));
});

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

beforeEach(() => {
  handle = (_request, _body, response) => response.end("{}");
});

const answerJson = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error("It should have thrown an ApiError.", { cause: error });
}

describe("a call", () => {
  it("sends the parameters, the query, the body and the key, and gives the answer", async () => {
    const seen: unknown[] = [];
    handle = (request, body, response) => {
      seen.push(request.method, request.url, request.headers.authorization, body);
      answerJson(response, 200, { id: "k1" });
    };
    const client = createClient({ baseUrl, key: "secret" });
    const answer = await client.call("PATCH /v1/keys/{id}", {
      params: { id: "a/b c" },
      body: { name: "New" },
    });
    expect(answer).toEqual({ id: "k1" });
    expect(seen).toEqual(["PATCH", "/v1/keys/a%2Fb%20c", "Bearer secret", '{"name":"New"}']);
  });

  it("leaves out what is undefined in a query and sends no key where it has none", async () => {
    let seen: readonly unknown[] = [];
    handle = (request, _body, response) => {
      seen = [request.url, request.headers.authorization];
      answerJson(response, 200, { data: [], next_cursor: null });
    };
    await createClient({ baseUrl }).call("GET /v1/keys", { query: { limit: 5, cursor: undefined } });
    expect(seen).toEqual(["/v1/keys?limit=5", undefined]);
  });

  it("tells the id under which the request's record is found", async () => {
    handle = (_request, _body, response) =>
      answerJson(response, 200, { data: [], next_cursor: null }, { "x-request-id": "r-7" });
    const ids: string[] = [];
    await createClient({ baseUrl }).call("GET /v1/keys", { onRequestId: (id) => ids.push(id) });
    expect(ids).toEqual(["r-7"]);
  });

  it("answers undefined where there is no content", async () => {
    handle = (_request, _body, response) => response.writeHead(204).end();
    expect(await createClient({ baseUrl }).call("DELETE /v1/keys/{id}", { params: { id: "k" } })).toBeUndefined();
  });

  it("gives an answer as text where another form is asked for", async () => {
    handle = (request, _body, response) => response.end(`accept,${request.headers.accept}`);
    const client = createClient({ baseUrl });
    expect(await client.text("GET /v1/audit-log", "text/csv", { query: { limit: 1 } })).toBe("accept,text/csv");
  });

  it("never lets a parameter climb out of its place", async () => {
    const client = createClient({ baseUrl });
    await expect(client.call("GET /v1/keys/{id}", { params: { id: ".." } })).rejects.toThrow(TypeError);
  });

  it("throws what the service refused with", async () => {
    handle = (_request, _body, response) =>
      answerJson(
        response,
        429,
        { error: { message: "Slow down.", type: "rate_limited", param: "limit", request_id: "r-1" } },
        { "retry-after": "7" },
      );
    const error = await failureOf(createClient({ baseUrl, maxRetries: 0 }).call("GET /v1/keys"));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      type: "rate_limited",
      message: "Slow down.",
      param: "limit",
      requestId: "r-1",
      retryAfterSeconds: 7,
    });
  });

  it("throws an error of its own class for each kind of refusal, in OpenAI's form as well", async () => {
    const client = createClient({ baseUrl });
    for (const [status, type, name] of [
      [400, "invalid_request", "InvalidRequestError"],
      [401, "invalid_api_key", "AuthenticationError"],
      [402, "insufficient_balance", "InsufficientFundsError"],
      [403, "budget_exceeded", "InsufficientFundsError"],
      [403, "insufficient_scope", "PermissionDeniedError"],
      [403, "unsafe_output", "UnsafeContentError"],
      [404, "model_not_found", "NotFoundError"],
      [409, "conflict", "ConflictError"],
      [422, "idempotency_mismatch", "InvalidRequestError"],
      [502, "provider_error", "ServiceError"],
    ] as const) {
      handle = (_request, _body, response) =>
        answerJson(response, status, { error: { message: "No.", type: "x_error", code: type } });
      const error = await failureOf(client.chat({ messages: [{ role: "user", content: "Hi" }] }));
      expect(error).toMatchObject({ name, status, type });
    }
    handle = (_request, _body, response) =>
      answerJson(response, 403, { error: { message: "No.", type: "unsafe_input", categories: ["violence"] } });
    const unsafe = await failureOf(client.generate("Hi"));
    expect(unsafe instanceof UnsafeContentError && unsafe.categories).toEqual(["violence"]);
  });

  it("throws an error of the same form for a page of something in between", async () => {
    handle = (_request, _body, response) => response.writeHead(502).end("<h1>Bad gateway</h1>");
    const error = await failureOf(createClient({ baseUrl, maxRetries: 0 }).call("GET /v1/keys"));
    expect(error).toMatchObject({ status: 502, type: "unreadable" });
  });

  it("throws an error of the same form where nobody answers", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1", maxRetries: 0 });
    const error = await failureOf(client.call("GET /v1/keys"));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: 0, type: "unreachable" });
  });

  it("leaves an abort to its caller", async () => {
    const controller = new AbortController();
    handle = () => controller.abort();
    const call = createClient({ baseUrl }).call("GET /v1/keys", { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a stream", () => {
  const parts = async (client = createClient({ baseUrl })) => {
    const heard: unknown[] = [];
    for await (const part of client.stream("POST /v1/stream", { body: { task: "chat", input: "Hi" } }))
      heard.push(part);
    return heard;
  };

  it("gives objects as they come, however the bytes are cut", async () => {
    handle = (_request, _body, response) => {
      response.write('{"delta":"gr');
      response.write(Buffer.from('ü"}\n{"del').subarray(0, 1));
      response.write(Buffer.from('ü"}\n{"del').subarray(1));
      response.end('ta":"n"}\n\n{"done":true}');
    };
    expect(await parts()).toEqual([{ delta: "grü" }, { delta: "n" }, { done: true }]);
  });

  it("throws where its end is missing, or its last line is cut", async () => {
    for (const end of ["", '{"delta":"b'] as const) {
      handle = (_request, _body, response) => response.end(`{"delta":"a"}\n${end}`);
      expect(await failureOf(parts())).toMatchObject({ name: "ConnectionError", type: "cut_off" });
    }
  });

  it("throws where no further part comes in time", async () => {
    handle = (_request, _body, response) => response.write('{"delta":"a"}\n');
    const error = await failureOf(parts(createClient({ baseUrl, timeoutMs: 50 })));
    expect(error).toMatchObject({ name: "RequestTimeoutError", type: "timeout" });
  });

  it("gives a chat's events, and asks for the usage", async () => {
    let seen: unknown;
    handle = (request, body, response) => {
      seen = [request.url, request.headers.accept, JSON.parse(body)];
      response.setHeader("content-type", "text/event-stream; charset=utf-8");
      response.end(': waiting\n\ndata: {"choices":[]}\r\n\r\ndata: {"usage":{"cost":1}}\n\ndata: [DONE]\n\n');
    };
    const chunks: unknown[] = [];
    const messages = [{ role: "user", content: "Hi" }] as const;
    for await (const chunk of createClient({ baseUrl }).streamChat({ messages })) chunks.push(chunk);
    expect(chunks).toEqual([{ choices: [] }, { usage: { cost: 1 } }]);
    const body = { model: "auto", messages, stream: true, stream_options: { include_usage: true } };
    expect(seen).toEqual(["/openai/v1/chat/completions", "text/event-stream", body]);
  });

  it("leaves the choice of the model to the service only where a chat names none", async () => {
    const asked: unknown[] = [];
    handle = (_request, body, response) => {
      const { model, models } = JSON.parse(body);
      asked.push(model ?? models);
      answerJson(response, 200, {});
    };
    const client = createClient({ baseUrl });
    const messages = [{ role: "user", content: "Hi" }] as const;
    for (const names of [{}, { model: undefined }, { model: "guide" }, { models: ["a", "b"] }])
      await client.chat({ ...names, messages });
    expect(asked).toEqual(["auto", "auto", "guide", ["a", "b"]]);
  });

  it("throws the error that ends it", async () => {
    handle = (_request, _body, response) =>
      response.end('{"delta":"a"}\n{"error":{"message":"Gone.","code":502,"type":"provider_failed"}}\n');
    expect(await failureOf(parts())).toMatchObject({
      status: 502,
      type: "provider_failed",
      message: "Gone.",
    });
  });

  it("throws a refusal before its first part", async () => {
    handle = (_request, _body, response) =>
      answerJson(response, 402, { error: { message: "Top up.", type: "insufficient_balance" } });
    expect(await failureOf(parts())).toMatchObject({ status: 402, type: "insufficient_balance" });
  });

  it("hangs up when its reader leaves", async () => {
    const closed = new Promise<void>((resolve) => {
      handle = (_request, _body, response) => {
        response.on("close", () => resolve());
        response.write('{"delta":"a"}\n');
      };
    });
    const client = createClient({ baseUrl });
    for await (const _ of client.stream("POST /v1/stream", { body: { task: "chat", input: "Hi" } })) break;
    await closed;
  });
});

describe("a list", () => {
  it("is gone through page after page, as far as it is read", async () => {
    const asked: unknown[] = [];
    handle = (request, _body, response) => {
      asked.push(request.url);
      const isLast = request.url?.includes("cursor=c1") === true;
      answerJson(response, 200, {
        data: isLast ? [{ id: "3" }] : [{ id: "1" }, { id: "2" }],
        next_cursor: isLast ? null : "c1",
      });
    };
    const client = createClient({ baseUrl });
    const ids: string[] = [];
    for await (const { id } of client.items("GET /v1/keys", { query: { state: "active" } })) ids.push(id);
    expect(ids).toEqual(["1", "2", "3"]);
    expect(asked).toEqual(["/v1/keys?state=active", "/v1/keys?state=active&cursor=c1"]);
    for await (const _ of client.items("GET /v1/keys")) break;
    expect(asked).toHaveLength(3);
  });
});

describe("a retry", () => {
  /** Refuses as often as told, then answers; keeps what was asked. */
  function refuse(
    times: number,
    status: number,
    type: string,
    headers: Record<string, string> = { "retry-after": "0" },
  ) {
    const asked: { body: string; idempotencyKey: unknown }[] = [];
    handle = (request, body, response) => {
      asked.push({ body, idempotencyKey: request.headers["idempotency-key"] });
      if (asked.length > times) answerJson(response, 200, { output: "Hello" });
      else answerJson(response, status, { error: { message: "Later.", type } }, headers);
    };
    return asked;
  }

  it("sends the same body under the same idempotency key, which another call does not have", async () => {
    const asked = refuse(2, 429, "rate_limited");
    const client = createClient({ baseUrl });
    expect(await client.generate("Hi")).toEqual({ output: "Hello" });
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await client.generate("Hi");
    expect(asked[3]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(asked[3]?.idempotencyKey).not.toBe(asked[0]?.idempotencyKey);
  });

  it("uses the caller's idempotency key, and none where it may not be tried again", async () => {
    const asked = refuse(0, 429, "rate_limited");
    const client = createClient({ baseUrl, maxRetries: 0 });
    await client.generate("Hi", { idempotencyKey: "order-7" });
    await client.generate("Hi");
    expect(asked.map(({ idempotencyKey }) => idempotencyKey)).toEqual(["order-7", undefined]);
  });

  it("ends after as many as are allowed", async () => {
    const asked = refuse(9, 503, "unavailable");
    await failureOf(createClient({ baseUrl }).generate("Hi"));
    await failureOf(createClient({ baseUrl, maxRetries: 1 }).generate("Hi"));
    await failureOf(createClient({ baseUrl }).generate("Hi", { maxRetries: 0 }));
    expect(asked).toHaveLength(3 + 2 + 1);
  });

  it("is made of a broken connection, but not of what makes something and may have been done", async () => {
    let calls = 0;
    handle = (request, _body, response) => {
      calls++;
      if (calls === 1) request.socket.destroy();
      else answerJson(response, 200, { id: "k" });
    };
    const client = createClient({ baseUrl });
    expect(await client.generate("Hi")).toEqual({ id: "k" });
    expect(calls).toBe(2);
    calls = 0;
    await failureOf(client.call("POST /v1/keys", { body: { name: "a", scopes: ["read"] } }));
    expect(calls).toBe(1);
  });

  it("is not made of a final refusal, of a provider's failure, or where the wait would be long", async () => {
    for (const [status, type, headers] of [
      [400, "invalid_request", {}],
      [402, "insufficient_balance", {}],
      [502, "provider_error", {}],
      [503, "no_model_available", {}],
      [429, "rate_limited", { "retry-after": "3600" }],
    ] as const) {
      const asked = refuse(9, status, type, headers);
      await failureOf(createClient({ baseUrl }).generate("Hi"));
      expect(asked, type).toHaveLength(1);
    }
  });

  it("is not made of a call that took too long", async () => {
    let calls = 0;
    handle = () => void calls++;
    const error = await failureOf(createClient({ baseUrl, timeoutMs: 50 }).call("GET /v1/keys"));
    expect(error).toMatchObject({ name: "RequestTimeoutError", type: "timeout" });
    expect(calls).toBe(1);
  });

  it("ends with its caller's abort while it waits", async () => {
    const controller = new AbortController();
    handle = (_request, _body, response) => {
      answerJson(response, 429, { error: { message: "Later.", type: "rate_limited" } }, { "retry-after": "50" });
      setTimeout(() => controller.abort(), 20);
    };
    const call = createClient({ baseUrl }).generate("Hi", { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });
});
