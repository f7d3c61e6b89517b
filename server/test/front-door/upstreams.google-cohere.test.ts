import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const gemini = { wire: "gemini", endpoint: upstream.url } as const;
  const cohere = { wire: "cohere", endpoint: upstream.url } as const;
  await registerUpstream(service, { ...gemini, name: "flash" }, { upstream_model: "gemini-2.5-flash" });
  await registerUpstream(
    service,
    { ...gemini, name: "banana" },
    { type: "image", pricing: { per_image: 0.04 }, upstream_model: "gemini-2.5-flash-image" },
  );
  await registerUpstream(service, { ...cohere, name: "command" }, { upstream_model: "command-a-03-2025" });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const fixture = (path: string) =>
  readFileSync(new URL(`../../../packages/providers/src/formats/${path}`, import.meta.url));
/** Bytes in small pieces, cut within lines and characters. */
const inPieces = (bytes: Buffer, size = 37) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const ask = (model: string, more: object = {}) =>
  service.call("POST", "/v1/generate", { input: "What is 2 + 2?", model, ...more });

describe("a model of Gemini's", () => {
  it("answers, and is charged by what it counted, thoughts included", async () => {
    upstream.answer(() => ({ body: fixture("gemini/fixtures/whole-text.json") }));
    const { status, json } = await ask("flash", { parameters: { max_tokens: 500, top_k: 3 } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      output: "Why, 2 + 2 is 4.",
      usage: { input_tokens: 11, output_tokens: 129 },
    });
    const [request] = upstream.requests;
    expect(request?.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
    expect(request?.headers["x-goog-api-key"]).toBe("upstream-key");
    expect(request?.json).toEqual({
      contents: [{ role: "user", parts: [{ text: "What is 2 + 2?" }] }],
      generationConfig: { maxOutputTokens: 500, topK: 3 },
    });
    const whole = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "Hi?",
      model: "flash",
    });
    expect(whole.json.cost).toBeCloseTo((11 + 129) * 0.000001, 9);
  });

  it("streams, however its bytes are cut", async () => {
    upstream.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: inPieces(fixture("gemini/fixtures/stream-text.sse")),
    }));
    const { text } = await service.call("POST", "/v1/stream", { input: "Greet Tokyo.", model: "flash" });
    const lines = linesOf(text);
    expect(lines.map(({ delta }) => delta ?? "").join("")).toBe("Grüße aus 東京 👋.");
    expect(lines.at(-1)).toMatchObject({
      done: true,
      usage: { input_tokens: 7, output_tokens: 7 },
      cost: 0.000014,
    });
    expect(upstream.requests[0]?.path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  });

  it("says that a stream broke off, and never takes it for a whole one", async () => {
    const bytes = fixture("gemini/fixtures/stream-text.sse");
    upstream.answer(() => ({ body: bytes.subarray(0, bytes.lastIndexOf("data:")) }));
    const { text } = await service.call("POST", "/v1/stream", { input: "Greet Tokyo.", model: "flash" });
    expect(linesOf(text).at(-1)).toMatchObject({ done: true, error: { type: "provider_error" } });
  });

  it("makes a picture for the price of one", async () => {
    upstream.answer(() => ({ body: fixture("gemini/fixtures/whole-image.json") }));
    const { status, json } = await service.call("POST", "/v1/image", {
      input: "A red circle.",
      model: "banana",
      size: "1536x1024",
    });
    expect([status, json]).toMatchObject([200, { image_url: "data:image/png;base64,iVBORw0KGgo=", cost: 0.04 }]);
    expect(upstream.requests[0]?.json.generationConfig.imageConfig).toEqual({ aspectRatio: "3:2" });
  });

  it("lists what it could not be sent", async () => {
    upstream.answer(() => ({ body: fixture("gemini/fixtures/whole-text.json") }));
    const { headers } = await ask("flash", { parameters: { mirostat: 2, seed: 5 } });
    expect(headers.get("x-trunkline-dropped")).toBe("mirostat");
  });

  it.each([
    ["error-key.json", 400, 502, "refused our credential"],
    ["error-request.json", 400, 502, "contents is not specified"],
    ["error-overloaded.json", 503, 502, "The model is overloaded"],
  ])("tells of its errors: %s", async (name, upstreamStatus, status, words) => {
    upstream.answer(() => ({ status: upstreamStatus, body: fixture(`gemini/fixtures/${name}`) }));
    const answer = await ask("flash");
    expect(answer.status).toBe(status);
    expect(answer.json.error.message).toContain(words);
    expect(answer.text).not.toContain("upstream-key");
    expect(answer.json.error.cost ?? 0).toBe(0);
  });

  it("is left alone for as long as its quota says", async () => {
    upstream.answer(() => ({ status: 429, body: fixture("gemini/fixtures/error-quota.json") }));
    const answer = await ask("flash");
    expect(answer.status).toBe(502);
    expect(answer.headers.get("retry-after")).toBe("35");
  });
});

describe("a model of Cohere's", () => {
  it("answers, and is charged by what it bills", async () => {
    upstream.answer(() => ({ body: fixture("cohere/fixtures/whole-text.json") }));
    const { status, json } = await ask("command", { parameters: { top_p: 0.5 } });
    expect([status, json]).toMatchObject([
      200,
      { output: "Hello there.", usage: { input_tokens: 5, output_tokens: 3 } },
    ]);
    const [request] = upstream.requests;
    expect(request?.path).toBe("/v2/chat");
    expect(request?.headers.authorization).toBe("Bearer upstream-key");
    expect(request?.json).toMatchObject({
      model: "command-a-03-2025",
      messages: [{ role: "user", content: "What is 2 + 2?" }],
      p: 0.5,
    });
  });

  it("streams, however its bytes are cut", async () => {
    upstream.answer(() => ({ body: inPieces(fixture("cohere/fixtures/stream-text.sse")) }));
    const { text } = await service.call("POST", "/v1/stream", { input: "Greet Tokyo.", model: "command" });
    const lines = linesOf(text);
    expect(lines.map(({ delta }) => delta ?? "").join("")).toBe("Grüße aus 東京 👋");
    expect(lines.at(-1)).toMatchObject({ usage: { input_tokens: 5, output_tokens: 7 }, cost: 0.000012 });
  });

  it("keeps its own words in the record of a failure", async () => {
    upstream.answer(() => ({ status: 401, body: fixture("cohere/fixtures/error-key.json") }));
    const { status, headers } = await ask("command");
    expect(status).toBe(502);
    const id = headers.get("x-request-id") ?? "";
    const { json } = await service.call("GET", `/v1/requests/${id}`);
    expect(json.attempts).toMatchObject([{ reason: "refused our credential", said: "invalid api token" }]);
  });
});

describe("another account's model of another format", () => {
  it("passes its check by answering as its format says, and is not pending any more", async () => {
    const otherAccount = await openCustomer(service, 0);
    const registration = {
      name: "strangers-flash",
      wire: "gemini",
      upstream_model: "gemini-2.5-flash",
      type: "text",
      credential: "right",
      streaming: true,
      endpoint: upstream.url,
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.001 },
    };
    await registerAsOtherAccount(service, otherAccount, registration);
    upstream.answer(({ path, headers }) => {
      if (headers["x-goog-api-key"] !== "right")
        return { status: 400, body: fixture("gemini/fixtures/error-key.json") };
      if (!path.includes("gemini-2.5-flash")) return { status: 404, body: fixture("gemini/fixtures/error-model.json") };
      const name = path.includes("stream") ? "stream-text.sse" : "whole-text.json";
      return { body: fixture(`gemini/fixtures/${name}`) };
    });
    const check = "/v1/provider/models/strangers-flash/check";
    const { json } = await service.call("POST", check, undefined, { key: otherAccount.key });
    expect(json.findings.map(({ check: name, verdict }: Record<string, string>) => `${name}: ${verdict}`)).toEqual([
      "plain-answer: pass",
      "output-form: pass",
      "usage: pass",
      "streaming: pass",
      "wrong-credential: pass",
      "wrong-model: pass",
    ]);
    expect([json.passed, json.state]).toEqual([true, "probation"]);

    upstream.answer(() => ({ status: 404, body: fixture("gemini/fixtures/error-model.json") }));
    const again = await service.call("POST", check, undefined, { key: otherAccount.key });
    expect(again.json).toMatchObject({
      passed: false,
      findings: [{ check: "plain-answer", verdict: "fail" }],
    });
    expect(again.json.findings[0].message).toContain("`upstream_model`");
  });
});

describe("a registration with a wire format", () => {
  const registration = {
    name: "odd",
    endpoint: "https://api.cohere.com",
    pricing: { per_image: 0.1, per_second: 0.1 },
    credential: "k",
  };

  it.each([
    ["cohere", "image"],
    ["anthropic", "audio"],
    ["bedrock", "image"],
  ])("is refused where %s has no models of type %s", async (wire, type) => {
    const body = { ...registration, wire, type };
    const refused = await service.call("POST", "/v1/provider/models", body);
    expect([refused.status, refused.json.error.param]).toEqual([400, "wire"]);
    expect(refused.json.error.message).toContain(`has no ${type} models here`);
    const { json } = await service.call("POST", "/v1/provider/models/validate", body);
    expect(json.issues).toContainEqual({ param: "wire", message: refused.json.error.message });
  });

  it("can't be changed to one without such models", async () => {
    const change = { type: "audio", pricing: { per_second: 0.1 } };
    const { status, json } = await service.call("PATCH", "/v1/provider/models/command", change);
    expect([status, json.error.param]).toEqual([400, "wire"]);
    const validated = await service.call("POST", "/v1/provider/models/validate?change=true", {
      name: "command",
      ...change,
    });
    expect(validated.json.issues[0].param).toBe("wire");
  });

  it("is shown with its format, the usual way of its key, and its name upstream", async () => {
    const { json } = await service.call("GET", "/v1/provider/models/flash");
    expect(json).toMatchObject({
      wire: "gemini",
      upstream_model: "gemini-2.5-flash",
      auth_type: "x-api-key",
    });
  });
});
