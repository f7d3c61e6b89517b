import { awsEvent, awsException } from "@trunkline/testing/aws-events.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  events,
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const PRICING = {
  input_per_1k_tokens: 0.001,
  cached_input_per_1k_tokens: 0.0001,
  cache_write_per_1k_tokens: 0.00125,
  output_per_1k_tokens: 0.001,
};
/** 20 plain tokens, 100 out of the cache, 60 into it and 10 out: 20 + 10 + 75 + 10 millionths. */
const COST = 0.000115;
const COUNTED = {
  input_tokens: 180,
  cached_input_tokens: 100,
  cache_write_tokens: 60,
  output_tokens: 10,
  usage_source: "provider",
  cost: COST,
};
const AWS_CREDENTIAL = "AKIDEXAMPLE:very-secret-half::eu-west-1";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  const logged = service.logged();
  await service.stop();
  await upstream.close();
  expect(logged).not.toContain("upstream-key");
  expect(logged).not.toContain("very-secret-half");
});

const usage = {
  input_tokens: 20,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 60,
  output_tokens: 10,
};
const message = {
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Good morning to you." }],
  stop_reason: "end_turn",
  usage,
};
const messageEvents = events(
  { type: "message_start", message: { usage: { ...usage, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Good morning " } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "to you." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 10 } },
  { type: "message_stop" },
);
const converseUsage = {
  inputTokens: 20,
  outputTokens: 10,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 60,
};
const converse = {
  output: { message: { role: "assistant", content: [{ text: "Good morning to you." }] } },
  stopReason: "end_turn",
  usage: converseUsage,
};
const delta = (text: string) => awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text } });
const converseEvents = [
  awsEvent("messageStart", { role: "assistant" }),
  delta("Good morning "),
  delta("to you."),
  awsEvent("contentBlockStop", { contentBlockIndex: 0 }),
  awsEvent("messageStop", { stopReason: "end_turn" }),
  awsEvent("metadata", { usage: converseUsage }),
];

interface WireTrial {
  readonly wire: "anthropic" | "bedrock";
  readonly terms: Readonly<Record<string, unknown>>;
  readonly path: (streaming: boolean) => string;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly whole: UpstreamAnswer;
  readonly stream: UpstreamAnswer;
  readonly broken: UpstreamAnswer;
  readonly failures: readonly (readonly [said: string, answer: UpstreamAnswer, status: number, kind: string])[];
}

const TRIALS: readonly WireTrial[] = [
  {
    wire: "anthropic",
    terms: { auth_type: "x-api-key", upstream_model: "claude-sonnet-4-5" },
    path: () => "/v1/messages",
    auth: { "x-api-key": "upstream-key", "anthropic-version": "2023-06-01" },
    whole: { body: JSON.stringify(message) },
    stream: { headers: { "content-type": "text/event-stream" }, body: messageEvents },
    broken: {
      body: [
        ...messageEvents.slice(0, 4),
        ...events({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      ],
    },
    failures: [
      ["Overloaded", errorOf(529, "overloaded_error", "Overloaded"), 502, "overloaded"],
      ["Slow down.", errorOf(429, "rate_limit_error", "Slow down."), 502, "rate-limited"],
      ["invalid x-api-key", errorOf(401, "authentication_error", "invalid x-api-key"), 502, "refused"],
      ["messages: bad", errorOf(400, "invalid_request_error", "messages: bad"), 502, "rejected"],
      ["Too slow.", errorOf(504, "timeout_error", "Too slow."), 504, "timeout"],
    ],
  },
  {
    wire: "bedrock",
    terms: { credential: AWS_CREDENTIAL, upstream_model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" },
    path: (streaming) => `/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse${streaming ? "-stream" : ""}`,
    auth: {
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\//),
    },
    whole: { body: JSON.stringify(converse) },
    stream: { headers: { "content-type": "application/vnd.amazon.eventstream" }, body: converseEvents },
    broken: {
      body: [...converseEvents.slice(0, 2), awsException("modelStreamErrorException", { message: "Overloaded" })],
    },
    failures: [
      ["Service is away.", exceptionOf(503, "Service is away."), 502, "broken"],
      ["Too many requests.", exceptionOf(429, "Too many requests."), 502, "rate-limited"],
      ["No access.", exceptionOf(403, "No access."), 502, "refused"],
      ["Malformed input.", exceptionOf(400, "Malformed input."), 502, "rejected"],
      ["Model timed out.", exceptionOf(408, "Model timed out."), 504, "timeout"],
    ],
  },
];

function errorOf(status: number, type: string, words: string): UpstreamAnswer {
  return { status, body: JSON.stringify({ type: "error", error: { type, message: words } }) };
}

function exceptionOf(status: number, words: string): UpstreamAnswer {
  return { status, body: JSON.stringify({ message: words }) };
}

const recordOf = async ({ headers }: { headers: Headers }) =>
  (await service.call("GET", `/v1/requests/${headers.get("x-request-id")}`)).json;

let registered = 0;

describe.each(TRIALS)("a model that is spoken to in the format $wire", (trial) => {
  /** A model of its own for each test, so that none inherits another one's bad name. */
  async function register(): Promise<string> {
    const name = `${trial.wire}-${++registered}`;
    const about = { wire: trial.wire, name, endpoint: upstream.url };
    await registerUpstream(service, about, { pricing: PRICING, ...trial.terms });
    return name;
  }

  it("answers whole, charged for what its cache gave and took", async () => {
    upstream.answer(() => trial.whole);
    const parameters = { max_tokens: 50, seed: 7 };
    const given = await service.call("POST", "/v1/generate", {
      input: "Good morning.",
      model: await register(),
      parameters,
    });
    expect(given.json).toMatchObject({
      output: "Good morning to you.",
      usage: { input_tokens: 180, output_tokens: 10 },
    });
    expect(given.headers.get("x-trunkline-dropped")).toBe("seed");
    const [request] = upstream.requests;
    expect(request?.path).toBe(trial.path(false));
    expect(request?.headers).toMatchObject(trial.auth);
    expect(await recordOf(given)).toMatchObject(COUNTED);
  });

  it("streams, charged the same", async () => {
    upstream.answer(() => trial.stream);
    const given = await service.call("POST", "/v1/stream", {
      input: "Good morning.",
      model: await register(),
    });
    const lines = given.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ delta: piece }) => piece ?? "").join("")).toBe("Good morning to you.");
    expect(lines.at(-1)).toMatchObject({ done: true, cost: COST });
    expect(upstream.requests[0]?.path).toBe(trial.path(true));
    expect(await recordOf(given)).toMatchObject({ ...COUNTED, streamed: true });
  });

  it.each(trial.failures)(
    "that fails in the words %j is answered as it deserves",
    async (said, answer, status, kind) => {
      upstream.answer(() => answer);
      const model = await register();
      const given = await service.call("POST", "/v1/generate", { input: "Good morning.", model });
      expect(given.status).toBe(status);
      const { cost, attempts } = await recordOf(given);
      expect(cost).toBe(0);
      for (const attempt of attempts) expect(attempt).toMatchObject({ kind, said });
    },
  );

  it("that breaks off within a stream says so, in its own words in the record", async () => {
    upstream.answer(() => trial.broken);
    const given = await service.call("POST", "/v1/stream", {
      input: "Good morning.",
      model: await register(),
      continue: false,
    });
    const [first = "", last = ""] = given.text.trim().split("\n");
    expect(JSON.parse(first)).toEqual({ delta: "Good morning " });
    expect(JSON.parse(last)).toMatchObject({ error: { type: "provider_error" }, done: true });
    expect((await recordOf(given)).attempts).toMatchObject([
      { kind: expect.stringMatching(/^(overloaded|broken)$/), said: "Overloaded" },
    ]);
  });
});

describe("an embedding model of Bedrock", () => {
  it("makes a vector, charged for what went in", async () => {
    const about = { wire: "bedrock", name: "titan", endpoint: upstream.url } as const;
    await registerUpstream(service, about, {
      type: "embedding",
      streaming: false,
      credential: AWS_CREDENTIAL,
      upstream_model: "amazon.titan-embed-text-v2:0",
      pricing: { input_per_1k_tokens: 0.00002 },
    });
    upstream.answer(() => ({ body: JSON.stringify({ embedding: [0.25, -0.5], inputTextTokenCount: 3 }) }));
    const given = await service.call("POST", "/openai/v1/embeddings", {
      model: "titan",
      input: "Good morning.",
    });
    expect(given.json).toMatchObject({
      data: [{ index: 0, embedding: [0.25, -0.5] }],
      usage: { prompt_tokens: 3 },
    });
    expect(upstream.requests[0]).toMatchObject({
      path: "/model/amazon.titan-embed-text-v2%3A0/invoke",
      json: { inputText: "Good morning." },
    });
    expect(await recordOf(given)).toMatchObject({ cost: 0.00000006, usage_source: "provider" });
  });
});
