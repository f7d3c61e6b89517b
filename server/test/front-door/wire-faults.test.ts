import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
  USAGE,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, headerWaitMs: 300, bodyWaitMs: 300 },
  }));
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", { streaming: true }));
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const open = () => RawConnection.open(service.url);
const KEY = `Authorization: Bearer ${OPERATOR_KEY}`;

const get = (path: string, ...lines: readonly string[]) =>
  head(`GET ${path} HTTP/1.1`, "Host: trunkline", KEY, ...lines);
const post = (body: string, ...lines: readonly string[]) =>
  head(
    "POST /v1/ai/request HTTP/1.1",
    "Host: trunkline",
    KEY,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...lines,
  ) + body;
const QUESTION = JSON.stringify({ task: "chat", input: "Hello", model: "plain" });

/** The service is still there for the next one. */
async function expectAlive() {
  expect((await service.call("GET", "/v1/models")).status).toBe(200);
}

describe("a request that does not arrive in time", () => {
  it("is answered 408 when its head takes too long", async () => {
    const client = await open();
    client.send("POST /v1/ai/request HTTP/1.1\r\nHost: trunkline\r\nX-Slow: ye");
    expectRefusal(await client.answer(), 408, "request_timeout");
    await client.closed();
    await expectAlive();
  });

  it("is answered 408 when its body takes too long", async () => {
    for (const path of ["/v1/ai/request", "/v1/stream", "/v1/keys", "/v1/routing/preview"]) {
      const client = await open();
      client.send(
        head(`POST ${path} HTTP/1.1`, "Host: trunkline", KEY, "Content-Type: application/json", "Content-Length: 200"),
      );
      client.send('{"input": "Hel');
      expectRefusal(await client.answer(), 408, "request_timeout");
      await client.closed();
    }
    expect(provider.calls).toHaveLength(0);
    expect(await balanceOf(service)).toMatchObject({ held: 0 });
  });

  it("is not kept alive by a drop now and then", async () => {
    const client = await open();
    client.send(
      head(
        "POST /v1/ai/request HTTP/1.1",
        "Host: trunkline",
        KEY,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ),
    );
    const drip = setInterval(() => client.send("1\r\n \r\n"), 50);
    expectRefusal(await client.answer(), 408, "request_timeout");
    clearInterval(drip);
    client.hangUp();
  });
});

describe("what is no HTTP", () => {
  it.each([
    ["garbage", "\x00\x01\x02\x03\r\n\r\n"],
    ["words", "hello there, how are you?\r\n\r\n"],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unheard-of version", "GET /v1/models HTTP/9.9\r\nHost: trunkline\r\n\r\n"],
    ["an unheard-of method", "FROBNICATE /v1/models HTTP/1.1\r\nHost: trunkline\r\n\r\n"],
    ["a header without a name", "GET /v1/models HTTP/1.1\r\nHost: trunkline\r\n: x\r\n\r\n"],
    ["a broken length", "POST /v1/ai/request HTTP/1.1\r\nHost: trunkline\r\nContent-Length: ten\r\n\r\n"],
    [
      "two lengths",
      "POST /v1/ai/request HTTP/1.1\r\nHost: trunkline\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    ],
    [
      "a length and chunks",
      "POST /v1/ai/request HTTP/1.1\r\nHost: trunkline\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ["a request without a host", "GET /v1/models HTTP/1.1\r\n\r\n"],
  ])("is answered 400 in JSON, and the connection closed: %s", async (_name, text) => {
    const client = await open();
    client.send(Buffer.from(text, "latin1"));
    expectRefusal(await client.answer(), 400, "invalid_request");
    await client.closed();
    await expectAlive();
  });

  it("is answered in JSON when its headers are too large", async () => {
    for (const lines of [
      [`X-Large: ${"x".repeat(100_000)}`],
      Array.from({ length: 3_000 }, (_, at) => `X-Many-${at}: ${"x".repeat(20)}`),
    ]) {
      const client = await open();
      client.send(get("/v1/models", ...lines));
      const answer = await client.answer();
      expect([400, 431]).toContain(answer.status);
      expectRefusal(answer, answer.status, "invalid_request", { message: /headers/ });
    }
    await expectAlive();
  });

  it("is answered 400 when its chunks are broken", async () => {
    const client = await open();
    client.send(
      head(
        "POST /v1/ai/request HTTP/1.1",
        "Host: trunkline",
        KEY,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ),
    );
    client.send("zz\r\nnot a chunk\r\n");
    const answer = await client.answer();
    expectRefusal(answer, 400, "invalid_request");
    await client.closed();
    expect(provider.calls).toHaveLength(0);
  });
});

describe("what follows a request that is being answered", () => {
  const NO_HTTP = "NONSENSE\r\n\r\n";
  const PART_OF_A_HEAD = "POST /v1/ai/request HTTP/1.1\r\nHost:";
  const closing = (text: string) => text.replace("Host:", "Connection: close\r\nHost:");

  /** Holds the provider's answers back until they are let go. */
  function holdAnswers(before: (response: ServerResponse) => void = () => undefined) {
    const gate = newGate();
    provider.script = async (response, call) => {
      before(response);
      await gate.opened;
      if (response.headersSent) response.end(`${JSON.stringify({ done: true, usage: USAGE })}\n`);
      else await answerPlainly(response, call);
    };
    return gate;
  }

  it.each([
    ["no HTTP", post(QUESTION), NO_HTTP, 400],
    ["more body than was announced", post(QUESTION), "}", 400],
    ["a head that takes too long", post(QUESTION), PART_OF_A_HEAD, 408],
  ])("waits for that answer: %s", async (_name, request, rest, status) => {
    const gate = holdAnswers();
    const client = await open();
    client.send(request);
    await expect.poll(() => provider.calls.length).toBe(1);
    client.send(rest);
    // The time for a head has passed.
    await setTimeout(1_500);
    expect(client.received).toBe("");
    gate.open();
    expect((await client.answer()).json.output).toBe("A plain answer.");
    expectRefusal(await client.answer(), status, status === 408 ? "request_timeout" : "invalid_request");
    await client.closed();
    await expectAlive();
  });

  it("waits for all answers before it", async () => {
    const client = await open();
    client.send(get("/v1/routing") + post(QUESTION) + get("/v1/balance") + NO_HTTP);
    expect((await client.answer()).json).toEqual({ strategy: "cost-optimized" });
    expect((await client.answer()).json.output).toBe("A plain answer.");
    expect((await client.answer()).json.currency).toBe("credits");
    expectRefusal(await client.answer(), 400, "invalid_request");
    await client.closed();
  });

  it.each([
    ["said to be the last", closing(post(QUESTION)), get("/v1/routing")],
    ["of HTTP/1.0", post(QUESTION).replace("HTTP/1.1", "HTTP/1.0"), get("/v1/routing")],
  ])("is not answered after a request that is %s", async (_name, request, rest) => {
    const client = await open();
    client.send(request + rest);
    expect((await client.answer()).json.output).toBe("A plain answer.");
    await client.closed();
    expect(client.received).toBe("");
  });

  it("does not stand in the middle of a stream", async () => {
    const gate = holdAnswers((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.write(`${JSON.stringify({ delta: "word ".repeat(200) })}\n`);
    });
    const client = await open();
    const question = JSON.stringify({ task: "chat", input: "Hello", model: "flowing" });
    client.send(post(question).replace("/v1/ai/request", "/v1/stream"));
    await client.receives("word");
    client.send(NO_HTTP);
    await expectAlive();
    gate.open();
    const streamed = await client.answer();
    expect(streamed.status).toBe(200);
    expect(streamed.text).not.toContain("HTTP/1.1");
    expect(streamed.text).toContain('"done":true');
    expectRefusal(await client.answer(), 400, "invalid_request");
    await client.closed();
  });
});

describe("one connection", () => {
  it("answers requests that were sent together, each in its turn", async () => {
    const client = await open();
    client.send(get("/v1/routing") + post(QUESTION) + get("/v1/nothing") + get("/v1/balance"));
    expect((await client.answer()).json).toEqual({ strategy: "cost-optimized" });
    expect((await client.answer()).json.output).toBe("A plain answer.");
    expectRefusal(await client.answer(), 404, "not_found");
    expect((await client.answer()).json.currency).toBe("credits");
    client.hangUp();
  });

  it("lives on after a refusal whose body was read", async () => {
    const client = await open();
    client.send(post("{not json"));
    const refused = await client.answer();
    expectRefusal(refused, 400, "invalid_request");
    expect(refused.headers.get("connection")).not.toBe("close");
    client.send(post(QUESTION));
    expect((await client.answer()).status).toBe(200);
    client.send(post(JSON.stringify({ task: "chat", input: "Hello", model: "nobody" })));
    expectRefusal(await client.answer(), 404, "model_not_found", { param: "model" });
    client.send(get("/v1/models"));
    expect((await client.answer()).status).toBe(200);
    client.hangUp();
  });

  it("never takes what is left of a refused body for the next request", async () => {
    const client = await open();
    const smuggled = get("/v1/balance");
    client.send(
      head(
        "POST /v1/ai/request HTTP/1.1",
        "Host: trunkline",
        "Authorization: Bearer nobody-knows-this-key",
        "Content-Type: application/json",
        `Content-Length: ${smuggled.length}`,
      ) + smuggled,
    );
    expectRefusal(await client.answer(), 401, "invalid_api_key");
    client.send(get("/v1/routing"));
    // Either the connection is closed, or the next answer is the one to the next request.
    const next = await client.answer().catch(() => undefined);
    if (next !== undefined) expect(next.json).toEqual({ strategy: "cost-optimized" });
    client.hangUp();
  });

  it("gets 100 Continue where it asks for it", async () => {
    const client = await open();
    client.send(
      head(
        "POST /v1/ai/request HTTP/1.1",
        "Host: trunkline",
        KEY,
        "Content-Type: application/json",
        `Content-Length: ${QUESTION.length}`,
        "Expect: 100-continue",
      ),
    );
    await client.receives("100 Continue");
    client.send(QUESTION);
    expect((await client.answer()).status).toBe(100);
    expect((await client.answer()).json.model_used).toBe("plain");
    client.hangUp();
  });

  it("is answered all the same where it expects something unheard of", async () => {
    const client = await open();
    client.send(get("/v1/routing", "Expect: the-unexpected"));
    expect((await client.answer()).json).toEqual({ strategy: "cost-optimized" });
    client.hangUp();
  });

  it("closes when the client asks for it, and with HTTP/1.0", async () => {
    const closing = await open();
    closing.send(get("/v1/models", "Connection: close"));
    expect((await closing.answer()).status).toBe(200);
    await closing.closed();
    const old = await open();
    old.send(head("GET /v1/routing HTTP/1.0", KEY));
    expect((await old.answer()).json).toEqual({ strategy: "cost-optimized" });
    await old.closed();
  });
});
