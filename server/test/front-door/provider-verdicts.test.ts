import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream, type UpstreamAnswer } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream()]);
  await registerUpstream(service, { wire: "openai", name: "strict", endpoint: `${upstream.url}/v1` });
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const refusing = (status: number, error: object, headers: Record<string, string> = {}): UpstreamAnswer => ({
  status,
  headers,
  body: JSON.stringify({ error }),
});
const TOO_LONG = refusing(400, {
  message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  type: "invalid_request_error",
  code: "context_length_exceeded",
});
const WRONG = refusing(400, { message: "Unsupported value: 'temperature'.", type: "invalid_request_error" });
const BUSY = refusing(429, { message: "Slow down." }, { "retry-after": "7" });
const OVERLOADED = refusing(529, { message: "Overloaded" }, { "retry-after": "3" });

const QUESTION = { model: "strict", messages: [{ role: "user" as const, content: "Hi" }] };

async function ask(path: string, answer: UpstreamAnswer) {
  upstream.requests.length = 0;
  upstream.answer(() => answer);
  const body = path.startsWith("/gemini")
    ? { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }
    : path.startsWith("/v1/ai")
      ? { task: "chat", input: "Hi", model: "strict" }
      : { ...QUESTION, max_tokens: 50 };
  return service.call("POST", path, body);
}

describe("what a provider says of a request reaches the client in its own format:", () => {
  it("that it is too long", async () => {
    const openai = await ask("/openai/v1/chat/completions", TOO_LONG);
    expect(openai).toMatchObject({
      status: 400,
      json: { error: { type: "invalid_request_error", code: "context_length_exceeded" } },
    });
    const anthropic = await ask("/anthropic/v1/messages", TOO_LONG);
    expect(anthropic).toMatchObject({
      status: 400,
      json: { error: { type: "invalid_request_error", message: expect.stringMatching(/^prompt is too long/) } },
    });
    const gemini = await ask("/gemini/v1beta/models/strict:generateContent", TOO_LONG);
    expect(gemini).toMatchObject({ status: 400, json: { error: { status: "INVALID_ARGUMENT" } } });
  });

  it("that it is wrong, and no library sends it again", async () => {
    upstream.requests.length = 0;
    upstream.answer(() => WRONG);
    const openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY });
    await expect(openai.chat.completions.create(QUESTION)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("Unsupported value"),
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it("in our own format as a failure of every candidate", async () => {
    const { status, json } = await ask("/v1/ai/request", WRONG);
    expect(status).toBe(502);
    expect(json.error).toMatchObject({
      type: "provider_error",
      attempts: [{ reason: expect.stringContaining("Unsupported") }],
    });
  });

  it("that it gets too many, and when to come back", async () => {
    const busy = await ask("/openai/v1/chat/completions", BUSY);
    expect(busy).toMatchObject({ status: 429, json: { error: { type: "rate_limit_error" } } });
    expect(Number(busy.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

it("a named model that can't do what is asked is no reason to send it again, in other formats than ours", async () => {
  const chat = await service.call("POST", "/openai/v1/chat/completions", { ...QUESTION, model: "embed" });
  expect(chat).toMatchObject({ status: 400, json: { error: { type: "invalid_request_error" } } });
  expect(chat.headers.get("retry-after")).toBeNull();
  const embeddings = await service.call("POST", "/openai/v1/embeddings", { model: "strict", input: "Hi" });
  expect(embeddings.status).toBe(400);
  const own = await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hi", model: "embed" });
  expect(own).toMatchObject({ status: 503, json: { error: { type: "no_model_available" } } });
});

it("an overloaded provider is a 503 with a time to come back", async () => {
  await registerUpstream(service, { wire: "openai", name: "tired", endpoint: `${upstream.url}/v1` });
  upstream.answer(() => OVERLOADED);
  const answer = await service.call("POST", "/openai/v1/chat/completions", { ...QUESTION, model: "tired" });
  expect(answer).toMatchObject({ status: 503, json: { error: { code: "overloaded" } } });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
});
