import { readFileSync } from "node:fs";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceOf } from "../support/customer.ts";
import {
  events,
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
});

afterAll(async () => {
  const logged = service.logged();
  await service.stop();
  await upstream.close();
  expect(logged).not.toContain("upstream-key");
});

let registered = 0;

/** A model of its own for each test, of an upstream that answers so. */
async function register(answer: UpstreamAnswer, more: Record<string, unknown> = {}): Promise<string> {
  const name = `gpt-${++registered}`;
  upstream.requests.length = 0;
  upstream.answer(() => answer);
  await registerUpstream(
    service,
    { wire: "openai", name, endpoint: `${upstream.url}/v1` },
    {
      pricing: { input_per_1k_tokens: 0.01, cached_input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.03 },
      ...more,
    },
  );
  return name;
}

const fixture = (name: string) =>
  readFileSync(new URL(`../../../packages/providers/src/formats/openai/fixtures/${name}`, import.meta.url));
const recordOf = async ({ headers }: { readonly headers: Headers }) =>
  (await service.call("GET", `/v1/requests/${headers.get("x-request-id")}`)).json;

const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
};
/** 40 tokens of input, 60 out of the cache, 20 of output. */
const COST = 0.0004 + 0.00006 + 0.0006;
const whole = (message: object, finish_reason = "stop") => ({
  body: JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage: USAGE }),
});
const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

describe("a model of OpenAI's wire", () => {
  it("answers a whole request, and its cache is paid for as such", async () => {
    const model = await register(whole({ role: "assistant", content: "Hello there." }), {
      upstream_model: "gpt-4.1-mini",
    });
    const before = await balanceOf(service);
    const answer = await service.call("POST", "/v1/generate", {
      input: "Say hello.",
      model,
      parameters: { max_tokens: 50, temperature: 0.5, top_k: 4, repetition_penalty: 1.1 },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      output: "Hello there.",
      model: `operator/${model}`,
      usage: { input_tokens: 100, output_tokens: 20 },
    });
    expect(upstream.requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/chat/completions",
        headers: { authorization: "Bearer upstream-key", "content-type": "application/json" },
      },
    ]);
    expect(upstream.requests[0]?.json).toEqual({
      model: "gpt-4.1-mini",
      messages: [{ role: "user", content: "Say hello." }],
      max_tokens: 50,
      temperature: 0.5,
      repetition_penalty: 1.1,
    });
    expect(answer.headers.get("x-trunkline-dropped")).toBe("top_k");
    const after = await balanceOf(service);
    expect(before.balance - after.balance).toBeCloseTo(COST, 9);
    expect(after.held).toBe(0);
    expect(await recordOf(answer)).toMatchObject({
      usage_source: "provider",
      cached_input_tokens: 60,
      attempts: [{ outcome: "answered", reason: "ok" }],
    });
  });

  it("answers a stream piece by piece, and is charged for what its last chunk counts", async () => {
    const pieces = events(
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Hello" }),
      chunk({ content: " there." }),
      chunk({}, "stop"),
      { choices: [], usage: USAGE },
      "[DONE]",
    );
    const model = await register({ headers: { "content-type": "text/event-stream" }, body: pieces });
    const answer = await service.call("POST", "/v1/stream", { input: "Say hello.", model });
    const lines = answer.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const text = lines.flatMap(({ delta }) => (delta === undefined ? [] : [delta])).join("");
    expect(text).toBe("Hello there.");
    expect(lines.at(-1)).toMatchObject({
      done: true,
      usage: { input_tokens: 100, output_tokens: 20 },
      cost: expect.closeTo(COST, 9),
    });
    expect(upstream.requests[0]?.json).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("answers a stream also where it is one whole answer", async () => {
    const model = await register(whole({ role: "assistant", content: "All at once." }));
    const answer = await service.call("POST", "/v1/stream", { input: "Say it.", model });
    expect(answer.text).toContain('{"delta":"All at once."}');
    expect(answer.text).toContain('"done":true');
  });

  it("says that a stream broke off, and charges what was given until then", async () => {
    const model = await register({ body: events(chunk({ content: "Half an answer" })) });
    const answer = await service.call("POST", "/v1/stream", { input: "Say it.", model, continue: false });
    const last = JSON.parse(answer.text.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ done: true, error: { type: "provider_error" } });
    expect(await recordOf(answer)).toMatchObject({
      attempts: [{ outcome: "cut-off", kind: "broken", reason: "ended its stream before it was done" }],
    });
  });

  it.each([
    [
      "a wrong key",
      401,
      "Incorrect API key provided: upstream-key.",
      "invalid_api_key",
      "refused",
      "Incorrect API key provided: [secret].",
    ],
    [
      "no quota",
      429,
      "You exceeded your current quota.",
      "insufficient_quota",
      "refused",
      "You exceeded your current quota.",
    ],
    [
      "too long an input",
      400,
      "This model's maximum context length is 8 tokens.",
      "context_length_exceeded",
      "rejected",
      "This model's maximum context length is 8 tokens.",
    ],
    ["its own fault", 500, "The server had an error.", "server_error", "broken", "The server had an error."],
  ] as const)("fails with %s, and the record keeps its own words", async (_name, status, message, code, kind, said) => {
    const model = await register({ status, body: JSON.stringify({ error: { message, code } }) });
    const before = await balanceOf(service);
    const answer = await service.call("POST", "/v1/generate", { input: "Hello", model });
    expectRefusal(answer, 502, "provider_error", {
      attempts: [{ model: `operator/${model}`, reason: expect.any(String), ms: expect.any(Number) }],
    });
    expect(answer.text).not.toContain("upstream-key");
    for (const attempt of (await recordOf(answer)).attempts)
      expect(attempt).toMatchObject({ outcome: "failed", kind, said });
    expect(await balanceOf(service)).toEqual(before);
  });

  it("is passed over while its limits are used up", async () => {
    const model = await register({
      ...whole({ role: "assistant", content: "The last one." }),
      headers: { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" },
    });
    const first = await service.call("POST", "/v1/generate", { input: "Hello", model });
    expect(first.json.output).toBe("The last one.");
    const health = await service.call("GET", `/v1/provider/models/${model}`);
    expect(health.json.health).toMatchObject({ available: false });
  });

  it("sees what is attached", async () => {
    const model = await register(whole({ role: "assistant", content: "A boat." }));
    const attachments = [{ type: "image", url: "data:image/png;base64,iVBORw0KGgo=" }];
    const answer = await service.call("POST", "/v1/generate", { input: "What is it?", model, attachments });
    expect(answer.json.output).toBe("A boat.");
    expect(upstream.requests[0]?.json.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ]);
  });

  it("leaves to another what it can't be sent, without a mark against it", async () => {
    const other = await register(whole({ role: "assistant", content: "Not reached." }));
    const model = await register(whole({ role: "assistant", content: "Not reached." }));
    const attachments = [{ type: "file", url: "https://files.example.com/bill.pdf" }];
    const answer = await service.call("POST", "/v1/generate", {
      input: "What does it cost?",
      model,
      fallbacks: [other],
      attachments,
    });
    expectRefusal(answer, 502, "provider_error", {
      attempts: [model, other].map((name) => ({
        model: `operator/${name}`,
        reason: "takes files only as data URLs",
        ms: expect.any(Number),
      })),
    });
    expect(upstream.requests).toEqual([]);
    const health = await service.call("GET", `/v1/provider/models/${model}`);
    expect(health.json.health).toMatchObject({ available: true, error_rate: 0 });
  });

  it("makes pictures and speech", async () => {
    const picture = await register(
      { body: fixture("images-url.json") },
      { type: "image", pricing: { per_image: 0.04 } },
    );
    const image = await service.call("POST", "/v1/image", { input: "A boat", model: picture });
    expect(image.json).toMatchObject({ image_url: "https://images.example.com/boat.png", cost: 0.04 });
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/images/generations",
      json: { model: picture, prompt: "A boat", size: "1024x1024" },
    });

    const voice = await register(
      { headers: { "content-type": "audio/mpeg" }, body: Buffer.from([255, 251, 0]) },
      { type: "audio", pricing: { per_request: 0.01 } },
    );
    const speech = await service.call("POST", "/v1/audio", {
      input: "Good morning",
      model: voice,
      voice: "nova",
    });
    expect(speech.json).toMatchObject({ audio_url: "data:audio/mpeg;base64,//sA", cost: 0.01 });
    expect(upstream.requests[0]).toMatchObject({
      path: "/v1/audio/speech",
      json: { model: voice, input: "Good morning", voice: "nova" },
    });
  });

  it("hears, and is paid by the second", async () => {
    const model = await register(
      { body: JSON.stringify({ text: "Good morning.", usage: { type: "duration", seconds: 1 } }) },
      { type: "audio", capabilities: ["transcription"], pricing: { per_second: 0.01 } },
    );
    const answer = await service.call("POST", "/v1/ai/request", {
      task: "transcription",
      input: "Somebody greets.",
      model,
      attachments: [{ type: "audio", url: makeWav({ bytes: 8_000 }) }],
    });
    expect(answer.json).toEqual({ output: "Good morning.", model_used: model, cost: 0.01 });
    const [request] = upstream.requests;
    expect(request?.path).toBe("/v1/audio/transcriptions");
    const contentType = String(request?.headers["content-type"]);
    const form = await new Response(request?.body, { headers: { "content-type": contentType } }).formData();
    expect([form.get("model"), form.get("prompt")]).toEqual([model, "Somebody greets."]);
    expect(form.get("file")).toMatchObject({ name: "audio.wav", type: "audio/wav", size: 8_044 });
  });
});
