import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let backup: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  backup = await startProvider();
  customer = await openCustomer(service, 100);
  await service.call("POST", "/v1/provider/models", registrationOf(backup, "backup", { streaming: true }));
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
  backup.calls.length = 0;
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
  await backup.stop();
});

let registered = 0;

/** A model of its own for each test, so that none inherits another one's bad name. */
async function register(more: Record<string, unknown> = {}): Promise<string> {
  const name = `stream-${++registered}`;
  const model = registrationOf(provider, name, { streaming: true, ...more });
  expect((await service.call("POST", "/v1/provider/models", model)).status).toBe(201);
  return name;
}

const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `word${from + at} `).join("");
const chunk = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Sends forty words, enough for some to pass moderation, and then does what the test is about. */
const afterSomeWords =
  (trouble: Script): Script =>
  async (response, call) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    await new Promise((resolve) => response.write(chunk({ delta: words(40) }), resolve));
    await trouble(response, call);
  };

interface Trouble {
  readonly trouble: Script;
  readonly type?: "provider_error" | "provider_timeout";
  readonly limits?: Record<string, number>;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  "resets the connection": { trouble: (response) => void response.socket?.resetAndDestroy() },
  "falls silent": { trouble: () => undefined, type: "provider_timeout", limits: { silence_ms: 200 } },
  "takes too long on the whole": {
    async trouble(response) {
      while (!response.destroyed) {
        response.write(chunk({ delta: "more " }));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    type: "provider_timeout",
    limits: { whole_ms: 500 },
  },
  "sends a chunk that is too large": {
    trouble: (response) => void response.end(chunk({ delta: "x".repeat(5_000) })),
    limits: { chunk_bytes: 2_000 },
  },
  "sends more than a response may hold": {
    async trouble(response) {
      for (let sent = 0; sent < 400 && !response.destroyed; sent++) {
        response.write(chunk({ delta: words(10, sent) }));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(chunk({ done: true }));
    },
    limits: { response_bytes: 8_000 },
  },
  "reports an error": {
    trouble: (response) => void response.end(chunk({ error: { message: "The model fell over", code: 500 } })),
  },
  "reports that time is up": {
    trouble: (response) => void response.end(chunk({ error: { message: "Too slow", code: 504 } })),
    type: "provider_timeout",
  },
  "ends without being done": { trouble: (response) => void response.end() },
  "ends in the middle of a chunk": { trouble: (response) => void response.end('{"delta": "wo') },
  "goes on in HTML": { trouble: (response) => void response.end("<h1>Bad gateway</h1>") },
  "sends a delta that is no text": { trouble: (response) => void response.end(chunk({ delta: 42 })) },
};

describe.each(Object.entries(TROUBLES))(
  "a stream that nobody may continue, and that begins and then %s",
  (_name, trouble) => {
    it.each([
      ["NDJSON", "application/x-ndjson"],
      ["server-sent events", "text/event-stream"],
    ])("ends with the error as its last line, and what was delivered is charged: %s", async (_form, accept) => {
      const name = await register({ limits: trouble.limits ?? {} });
      const before = await balanceOf(service, customer.key);
      provider.script = afterSomeWords(trouble.trouble);
      const answer = await service.call(
        "POST",
        "/v1/stream",
        { input: "Hello", model: name, fallbacks: ["backup"], continue: false },
        { key: customer.key, headers: { accept } },
      );
      expect(answer.status).toBe(200);
      const lines = answer.text
        .trimEnd()
        .split(/\n+/)
        .map((line) => JSON.parse(line.replace(/^data: /, "")));
      const last = lines.pop();
      const type = trouble.type ?? "provider_error";
      expect(last).toEqual({
        error: {
          message: expect.stringMatching(/broke off/),
          code: type === "provider_error" ? 502 : 504,
          type,
          request_id: answer.headers.get("x-request-id"),
          attempts: [{ model: `operator/${name}`, reason: expect.any(String), ms: expect.any(Number) }],
          cost: expect.any(Number),
        },
        done: true,
      });
      const delivered = lines.map((line) => line.delta).join("");
      expect(delivered.startsWith(words(5))).toBe(true);
      // No other model continues it, as the client does not want that.
      expect(backup.calls).toHaveLength(0);
      expect(provider.calls).toHaveLength(1);

      const after = await balanceOf(service, customer.key);
      expect(after.held).toBe(0);
      expect(before.balance - after.balance).toBeCloseTo(last.error.cost, 9);
      const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`, undefined, {
        key: customer.key,
      });
      expect(record.json).toMatchObject({ error_type: type, cost: last.error.cost, usage_source: "own" });
      expect(record.json.cost).toBeCloseTo(
        (record.json.input_tokens * 0.001 + record.json.output_tokens * 0.002) / 1000,
        9,
      );
      // Our own count of the words that were delivered: at least one token for each of them.
      expect(record.json.output_tokens).toBeGreaterThanOrEqual(delivered.trim().split(" ").length);
    });
  },
);

describe("a whole answer that comes in pieces", () => {
  it("costs nothing when it breaks off, as the client was given none of it", async () => {
    const name = await register();
    const before = await balanceOf(service, customer.key);
    provider.script = afterSomeWords((response) => void response.socket?.resetAndDestroy());
    for (const path of ["/v1/ai/request", "/v1/generate"]) {
      const answer = await service.call(
        "POST",
        path,
        { task: "chat", input: "Hello", model: name },
        { key: customer.key },
      );
      expect(answer.status).toBe(502);
      expect(answer.json.error.cost).toBeUndefined();
    }
    expect(await balanceOf(service, customer.key)).toEqual(before);
  });
});

describe("a stream that reports its own usage", () => {
  const stream = async (usage: unknown, more: Record<string, unknown> = {}) => {
    const name = await register();
    provider.script = afterSomeWords((response) => void response.end(chunk({ done: true, usage })));
    const { text } = await service.call(
      "POST",
      "/v1/stream",
      { input: "Hello", model: name, ...more },
      { key: customer.key },
    );
    return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
  };

  it("is believed where that is sane, and counted by us where it is not", async () => {
    const own = await stream(undefined);
    expect(own.usage.output_tokens).toBeGreaterThanOrEqual(40);
    expect((await stream({ input_tokens: 3, output_tokens: 55 })).usage).toEqual({
      input_tokens: 3,
      output_tokens: 55,
    });
    for (const lie of [
      { input_tokens: 1, output_tokens: 10_000_000 },
      { input_tokens: 10_000_000, output_tokens: 40 },
      { input_tokens: -1, output_tokens: 40 },
      { input_tokens: 1, output_tokens: 40.5 },
      { input_tokens: "1", output_tokens: "40" },
      { output_tokens: 40 },
      "many",
      [],
    ]) {
      const last = await stream(lie);
      expect(last.usage, JSON.stringify(lie)).toEqual(own.usage);
      expect(last.cost).toBe(own.cost);
    }
  });

  it("never costs more than max_tokens", async () => {
    const last = await stream({ input_tokens: 1, output_tokens: 200 }, { parameters: { max_tokens: 7 } });
    expect(last.usage.output_tokens).toBe(7);
    expect(last.cost).toBe(0.000015);
  });
});

/** Anthropic's first event guesses the input's tokens by the model that was asked. A repeated request asks none. */
const withoutEstimate = (text: string) => text.replace(/"input_tokens":\d+/, '"input_tokens":0');

describe("a stream that broke off, asked for again by its idempotency key", () => {
  const chat = { messages: [{ role: "user", content: "Hello" }], stream: true, max_tokens: 100 };
  it.each([
    ["/v1/stream", { input: "Hello" }, "application/x-ndjson"],
    ["/v1/stream", { input: "Hello" }, "text/event-stream"],
    ["/openai/v1/chat/completions", chat, "*/*"],
    ["/anthropic/v1/messages", chat, "*/*"],
  ])("is the first one to the last byte, and costs nothing: %s %j %s", async (path, body, accept) => {
    const model = await register();
    provider.script = afterSomeWords((response) => void response.end());
    const ask = () =>
      service.call(
        "POST",
        path,
        { ...body, model, continue: false },
        { key: customer.key, headers: { accept, "idempotency-key": `again-${path}-${accept}` } },
      );
    const first = await ask();
    expect(first.status).toBe(200);
    expect(first.text).toContain("word5");
    const { balance } = await balanceOf(service, customer.key);
    const again = await ask();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect([again.status, again.headers.get("content-type")]).toEqual([200, first.headers.get("content-type")]);
    expect(withoutEstimate(again.text)).toBe(withoutEstimate(first.text));
    expect((await balanceOf(service, customer.key)).balance).toBe(balance);
    expect(provider.calls).toHaveLength(1);
  });
});
