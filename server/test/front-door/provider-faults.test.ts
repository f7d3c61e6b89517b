import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const CREDENTIAL = "provider-credential-of-the-tests";

let service: StartedService;
let provider: ScriptedProvider;
let elsewhere: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  elsewhere = await startProvider();
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  const logged = service.logged();
  await service.stop();
  await provider.stop();
  await elsewhere.stop();
  // Whatever went wrong in this file, neither secret is in a single line of the log.
  expect(logged).not.toContain(CREDENTIAL);
  expect(logged).not.toContain(OPERATOR_KEY);
});

let registered = 0;

/** A model of its own for each test, so that none inherits another one's bad name. */
async function register(more: Record<string, unknown> = {}): Promise<string> {
  const name = `model-${++registered}`;
  const answer = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
  expect(answer.status, answer.text).toBe(201);
  return name;
}

const ask = (model: string, more: Record<string, unknown> = {}) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model, ...more });
const stream = (model: string) => service.call("POST", "/v1/stream", { input: "Hello", model });

const sends =
  (body: string, status = 200, headers: Record<string, string> = {}): Script =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
const json = (value: unknown, status = 200): Script => sends(JSON.stringify(value), status);
const silent: Script = () => undefined;
const resets: Script = (response) => void response.socket?.resetAndDestroy();
const breaksOff: Script = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"output": "Half an ans', () => response.socket?.resetAndDestroy());
};

async function* endlessly(response: ServerResponse, piece: string) {
  while (!response.destroyed)
    yield response.write(piece) || (await new Promise((go) => response.once("drain", go).once("close", go)));
}
const endless =
  (piece: string): Script =>
  async (response) => {
    for await (const _ of endlessly(response, piece)) await new Promise((resolve) => setImmediate(resolve));
  };

interface Trouble {
  readonly script: Script;
  readonly type?: "provider_error" | "provider_timeout";
  readonly reason?: RegExp;
  readonly model?: Record<string, unknown>;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  "resets before its headers": { script: resets, reason: /closed the connection/ },
  "resets in mid-body": { script: breaksOff, reason: /closed the connection/ },
  "says nothing in time": {
    script: silent,
    type: "provider_timeout",
    model: { limits: { first_byte_ms: 150 } },
  },
  "falls silent in mid-body": {
    script: (response) => void response.writeHead(200).write('{"output": "Half'),
    type: "provider_timeout",
    model: { limits: { silence_ms: 150 } },
  },
  "never comes to an end": {
    script: endless(" "),
    type: "provider_timeout",
    model: { limits: { whole_ms: 300, response_bytes: 100_000_000 } },
  },
  "sends without an end": {
    script: endless(`"${"x".repeat(5_000)}`),
    model: { limits: { response_bytes: 20_000 } },
  },
  "sends a giant body": {
    script: json({ output: "x".repeat(3_000) }),
    model: { limits: { response_bytes: 2_000 } },
  },
  "announces a giant body": {
    script: sends("{}", 200, { "content-length": "999999999" }),
  },
  "answers 500": { script: json({ error: { message: "oops", code: 500 } }, 500), reason: /500/ },
  "answers 503": { script: json({}, 503), reason: /503/ },
  "answers 504": { script: json({}, 504), type: "provider_timeout", reason: /504/ },
  "answers 401": { script: json({ error: { message: "who?", code: 401 } }, 401), reason: /credential/ },
  "answers 403": { script: json({}, 403), reason: /credential/ },
  "answers 400": {
    script: json({ error: { message: "No such voice", code: 400 } }, 400),
    reason: /No such voice/,
  },
  "answers 404": { script: sends("<h1>Not here</h1>", 404), reason: /404/ },
  "answers 204 with nothing": { script: (response) => void response.writeHead(204).end() },
  "answers with nothing": { script: sends("") },
  "answers with HTML": {
    script: sends("<html><body>Welcome</body></html>", 200, { "content-type": "text/html" }),
  },
  "answers with half a JSON": { script: sends('{"output": "Half an') },
  "answers with null": { script: sends("null") },
  "answers without an output": {
    script: json({ usage: { input_tokens: 1, output_tokens: 1 } }),
    reason: /no output/,
  },
  "answers with output null": { script: json({ output: null }), reason: /no output/ },
  "answers with a number": { script: json({ output: 42 }), reason: /no output/ },
  "answers with a list of outputs": { script: json({ output: ["Hi"] }), reason: /no output/ },
  "answers with an object for a text": { script: json({ output: { text: "Hi" } }), reason: /no output/ },
  "answers with an error under 200": {
    script: json({ error: { message: "Out of memory", code: 500 } }),
    reason: /Out of memory/,
  },
  "answers with an error and an output": {
    script: json({ output: "Hi", error: { message: "Half-baked", code: 500 } }),
  },
  "sends compressed bytes that nobody asked for": {
    script: sends("{}", 200, { "content-encoding": "gzip" }),
  },
};

describe.each(Object.entries(TROUBLES))(
  "a provider that %s",
  (_name, { script, type = "provider_error", reason, model }) => {
    it.each([
      ["/v1/ai/request", ask],
      ["/v1/stream", stream],
    ] as const)("is a failure with its own status at %s, and costs nothing", async (_path, call) => {
      const name = await register({ streaming: true, ...model });
      const before = await balanceOf(service);
      provider.script = script;
      const answer = await call(name);
      expectRefusal(answer, type === "provider_error" ? 502 : 504, type, {
        attempts: [
          {
            model: `operator/${name}`,
            reason: reason === undefined ? expect.any(String) : expect.stringMatching(reason),
            ms: expect.any(Number),
          },
        ],
      });
      expect(await balanceOf(service)).toEqual(before);
      // Trouble that may pass is given one more chance, as long as the account's budget for retries lasts.
      expect([1, 2]).toContain(provider.calls.length);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(CREDENTIAL);
    });
  },
);

describe("a provider of media", () => {
  it.each([
    ["image", "/v1/image", { image_url: "javascript:alert(1)" }],
    ["image", "/v1/image", { image_url: "file:///etc/passwd" }],
    ["image", "/v1/image", { image_url: 5 }],
    ["image", "/v1/image", { audio_url: 7 }],
    ["image", "/v1/image", "javascript:alert(1)"],
    ["audio", "/v1/audio", { audio_url: "vbscript:x" }],
    ["audio", "/v1/audio", {}],
  ])("is a failure where an %s at %s is %j", async (type, path, output) => {
    const name = await register({ type, pricing: { per_request: 1 } });
    const before = await balanceOf(service);
    provider.script = json({ output });
    const answer = await service.call("POST", path, { input: "A boat", model: name });
    expectRefusal(answer, 502, "provider_error", {
      attempts: [expect.objectContaining({ model: `operator/${name}` })],
    });
    expect(answer.text).not.toMatch(/javascript:|vbscript:|file:/);
    expect(await balanceOf(service)).toEqual(before);
  });
});

describe("an endpoint", () => {
  it("without a listener is a failure, and no address is shown", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const name = await register({ endpoint: `http://127.0.0.1:${port}/v1/generate` });
    const answer = await ask(name);
    expectRefusal(answer, 502, "provider_error", {
      attempts: [{ model: `operator/${name}`, reason: expect.stringMatching(/refused/), ms: expect.any(Number) }],
    });
    expect(answer.text).not.toContain(String(port));
    expect(answer.text).not.toContain("127.0.0.1");
  });

  it("that takes connections and says no word of TLS is a failure", async () => {
    const name = await register({
      endpoint: provider.endpoint.replace("http:", "https:"),
      limits: { connect_ms: 2_000 },
    });
    expectRefusal(await ask(name), 502, "provider_error", { attempts: [expect.anything()] });
  });

  it("that redirects is not followed", async () => {
    elsewhere.calls.length = 0;
    for (const status of [301, 302, 307, 308]) {
      const name = await register();
      provider.script = sends("", status, { location: elsewhere.endpoint });
      const answer = await ask(name);
      expectRefusal(answer, 502, "provider_error", {
        attempts: [expect.objectContaining({ reason: expect.stringMatching(/redirect/) })],
      });
    }
    expect(elsewhere.calls).toHaveLength(0);
  });

  it("that repeats its credential does not get it shown", async () => {
    const name = await register();
    provider.script = json({ error: { message: `Bad key ${CREDENTIAL}, try again`, code: 400 } }, 400);
    const answer = await ask(name);
    expect(answer.status).toBe(502);
    expect(answer.text).toContain("Bad key");
    expect(answer.text).not.toContain(CREDENTIAL);
    const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(record.text).not.toContain(CREDENTIAL);
  });

  it("that asks for a pause gets it where another can serve, and the client learns when to come back", async () => {
    const name = await register();
    const other = await register({ endpoint: elsewhere.endpoint });
    provider.script = sends('{"error":{"message":"Slow down","code":429}}', 429, { "retry-after": "30" });
    const busy = await ask(name);
    expectRefusal(busy, 502, "provider_error", { attempts: [expect.anything()] });
    expect(busy.headers.get("retry-after")).toBe("30");
    provider.script = answerPlainly;
    expect((await ask(name, { fallbacks: [other] })).json.model_used).toBe(other);
    expect(provider.calls).toHaveLength(1);
  });
});
