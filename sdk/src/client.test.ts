import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiError, createClient } from "./client.ts";

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
    const error = await failureOf(createClient({ baseUrl }).call("GET /v1/keys"));
    expect(error).toMatchObject({
      status: 429,
      type: "rate_limited",
      message: "Slow down.",
      param: "limit",
      requestId: "r-1",
      retryAfterSeconds: 7,
    });
  });

  it("throws an error of the same form for a page of something in between", async () => {
    handle = (_request, _body, response) => response.writeHead(502).end("<h1>Bad gateway</h1>");
    const error = await failureOf(createClient({ baseUrl }).call("GET /v1/keys"));
    expect(error).toMatchObject({ status: 502, type: "unreadable" });
  });

  it("throws an error of the same form where nobody answers", async () => {
    const error = await failureOf(createClient({ baseUrl: "http://127.0.0.1:1" }).call("GET /v1/keys"));
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
