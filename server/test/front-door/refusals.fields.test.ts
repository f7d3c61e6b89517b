import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, more] of [
    ["plain-model", {}],
    ["short-model", { max_output_tokens: 100 }],
    ["painter", { type: "image", pricing: { per_image: 1 } }],
    ["speaker", { type: "audio", pricing: { per_request: 1 } }],
    ["seer", { type: "multimodal" }],
  ] as const) {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
  }
});

let before: unknown;

beforeEach(async () => {
  provider.calls.length = 0;
  before = await balanceOf(service);
});

// The promise behind every refusal, whatever it was for.
afterEach(async () => {
  expect(provider.calls).toHaveLength(0);
  expect(await balanceOf(service)).toEqual(before);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const OPERATIONS = ["/v1/ai/request", "/v1/generate", "/v1/stream", "/v1/image", "/v1/audio"];
const WITH_TASK = OPERATIONS.slice(0, 3);

const image = { type: "image", url: "https://example.com/a.png" };
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at]));

/** Each: the field at fault, what makes it so, and what the sentence must say. */
const EVERYWHERE: readonly (readonly [param: string, change: Record<string, unknown>, message: RegExp])[] = [
  ["input", { input: undefined }, /required/],
  ["input", { input: null }, /required/],
  ["input", { input: 42 }, /string/],
  ["input", { input: ["Hello"] }, /string/],
  ["input", { input: { text: "Hello" } }, /string/],
  ["input", { input: "" }, /empty/],
  ["input", { input: "x".repeat(400_001) }, /400,000/],
  ["model", { model: 7 }, /string/],
  ["model", { model: "" }, /empty/],
  ["model", { model: "x".repeat(300) }, /at most/],
];

const WITH_CHOICES: typeof EVERYWHERE = [
  ["route", { route: "fastest" }, /auto, cost-optimized, speed-optimized, quality-optimized, hybrid/],
  ["route", { route: "" }, /auto/],
  ["route", { route: 1 }, /auto/],
  ["route", { route: "constructor" }, /auto/],
  ["route", { route: "Cost" }, /cost/],
  ["preferences", { preferences: "fast" }, /object/],
  ["preferences", { preferences: [] }, /object/],
  ["preferences.speed", { preferences: { speed: "slow" } }, /fast, balanced, any/],
  ["preferences.speed", { preferences: { speed: true } }, /fast, balanced, any/],
  ["preferences.cost", { preferences: { cost: "high" } }, /low, balanced, any/],
  ["preferences.quality", { preferences: { quality: "low" } }, /high, balanced, any/],
  ["preferences.max_cost", { preferences: { max_cost: -1 } }, /0/],
  ["preferences.max_cost", { preferences: { max_cost: "1" } }, /number/],
  ["preferences.max_cost", { preferences: { max_cost: 0.0000000001 } }, /9 decimals/],
  ["preferences.max_latency_ms", { preferences: { max_latency_ms: -5 } }, /from/],
  ["preferences.max_latency_ms", { preferences: { max_latency_ms: "fast" } }, /number/],
  ["preferences.min_quality", { preferences: { min_quality: 1.1 } }, /0 to 1/],
  ["preferences.min_quality", { preferences: { min_quality: -0.1 } }, /0 to 1/],
  ["preferences.max_costs", { preferences: { max_costs: 1e-7 } }, /Did you mean `max_cost`\?/],
  ["preferences.maxCost", { preferences: { maxCost: 1e-7 } }, /Did you mean `max_cost`\?/],
  ["preferences.min_qualty", { preferences: { min_qualty: 0.9 } }, /Did you mean `min_quality`\?/],
  ["fallbacks", { fallbacks: "plain-model" }, /list/],
  ["fallbacks[1]", { fallbacks: ["plain-model", 2] }, /string/],
  ["fallbacks[0]", { fallbacks: [""] }, /empty/],
  ["attachments", { attachments: image }, /list/],
  ["attachments", { attachments: Array(17).fill(image) }, /16/],
  ["attachments[0]", { attachments: ["https://example.com/a.png"] }, /object/],
  ["attachments[0].type", { attachments: [{ ...image, type: "video" }] }, /image, audio, file/],
  ["attachments[0].type", { attachments: [{ url: image.url }] }, /image, audio, file/],
  ["attachments[0].url", { attachments: [{ type: "image" }] }, /required/],
  ["attachments[1].url", { attachments: [image, { ...image, url: "http://example.com/a" }] }, /https/],
  ["attachments[0].url", { attachments: [{ ...image, url: "javascript:alert(1)" }] }, /https/],
  ["attachments[0].url", { attachments: [{ ...image, url: "file:///etc/passwd" }] }, /https/],
  ["attachments[0].url", { attachments: [{ ...image, url: "//example.com/a.png" }] }, /https/],
  ["attachments[0].url", { attachments: [{ ...image, url: "https://" }] }, /https/],
  ["attachments[0].url", { attachments: [{ ...image, url: "data:" }] }, /https/],
];

const parameters = (given: Record<string, unknown>) => ({ parameters: given });
const WITH_PARAMETERS: typeof EVERYWHERE = [
  ["parameters", { parameters: "max_tokens=5" }, /object/],
  ["parameters", { parameters: [1] }, /object/],
  ["parameters.max_tokens", parameters({ max_tokens: 0 }), /1 to 1,000,000/],
  ["parameters.max_tokens", parameters({ max_tokens: -1 }), /1 to 1,000,000/],
  ["parameters.max_tokens", parameters({ max_tokens: 1.5 }), /whole/],
  ["parameters.max_tokens", parameters({ max_tokens: 1_000_001 }), /1 to 1,000,000/],
  ["parameters.max_tokens", parameters({ max_tokens: "100" }), /number/],
  ["parameters.max_tokens", parameters({ max_tokens: true }), /number/],
  ["parameters.temperature", parameters({ temperature: 2.01 }), /0 to 2/],
  ["parameters.temperature", parameters({ temperature: -0.01 }), /0 to 2/],
  ["parameters.temperature", parameters({ temperature: "hot" }), /number/],
  ["parameters.size", parameters({ size: "15x15" }), /16 to 8192/],
  ["parameters.size", parameters({ size: "8193x1" }), /16 to 8192/],
  ["parameters.size", parameters({ size: "1024" }), /1024x1024/],
  ["parameters.size", parameters({ size: "1024X1024" }), /1024x1024/],
  ["parameters.size", parameters({ size: "-64x64" }), /1024x1024/],
  ["parameters.size", parameters({ size: "1e2x1e2" }), /1024x1024/],
  ["parameters.size", parameters({ size: 1024 }), /string/],
  ["parameters.voice", parameters({ voice: "" }), /empty/],
  ["parameters.voice", parameters({ voice: "v".repeat(65) }), /64/],
  ["parameters.format", parameters({ format: 3 }), /string/],
  ["parameters.format", parameters({ format: "f".repeat(65) }), /64/],
  ["parameters", parameters(many(33)), /32/],
  ["parameters.stop", parameters({ stop: ["a"] }), /string, a number, true, false or null/],
  ["parameters.nested", parameters({ nested: {} }), /string, a number, true, false or null/],
];

const bodyFor = (change: Record<string, unknown>) => ({ task: "chat", input: "Hello", ...change });

describe.each(OPERATIONS)("a field of %s that is wrong", (path) => {
  it.each(EVERYWHERE)("is refused by its name: %s", async (param, change, message) => {
    const answer = await service.call("POST", path, bodyFor(change));
    expectRefusal(answer, 400, "invalid_request", { param, message });
  });
});

describe("a bound that is misspelt", () => {
  const chat = { model: "plain-model", messages: [{ role: "user", content: "Hello" }] };
  it.each([
    ["/v1/chat/completions", chat],
    ["/v1/responses", { model: "plain-model", input: "Hello" }],
    ["/v1/embeddings", { model: "plain-model", input: "Hello" }],
    ["/anthropic/v1/messages", { ...chat, max_tokens: 10 }],
    ["/gemini/v1beta/models/plain-model:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] }],
    ["/ollama/api/chat", { ...chat, stream: false }],
    ["/v1/routing/preview", { input: "Hello" }],
  ])("is not ignored at %s", async (path, body) => {
    const answer = await service.call("POST", path, { ...body, preferences: { max_costs: 1e-7 } });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toContain("`preferences` has no field `max_costs`. Did you mean `max_cost`?");
  });
});

describe.each(WITH_TASK)("a choice at %s that is none", (path) => {
  it.each([...WITH_CHOICES, ...WITH_PARAMETERS])("is refused by its name: %s", async (param, change, message) => {
    const answer = await service.call("POST", path, bodyFor(change));
    expectRefusal(answer, 400, "invalid_request", { param, message });
  });

  it.each([
    ["parameters.max_tokens", '{"max_tokens": 1e999}'],
    ["parameters.max_tokens", '{"max_tokens": -0}'],
    ["parameters.max_tokens", '{"max_tokens": 1e-1}'],
    ["parameters.temperature", '{"temperature": 1e999}'],
    ["parameters.temperature", '{"temperature": -1e-9}'],
    ["parameters.top_k", '{"top_k": 1e999}'],
    ["parameters.top_k", '{"top_k": -1e999}'],
  ])("is an absurd number: %s in %s", async (param, given) => {
    const body = `{"task": "chat", "input": "Hello", "model": "plain-model", "parameters": ${given}}`;
    expectRefusal(await service.call("POST", path, body), 400, "invalid_request", { param });
  });

  it.each([[""], ["x".repeat(65)], ["t\u00e4sk"], ["a\nb"], ["chat;drop"], [7], [["chat"]]])(
    "is a task that can't be one: %j",
    async (task) => {
      expectRefusal(await service.call("POST", path, { input: "Hello", task }), 400, "invalid_request", {
        param: "task",
      });
    },
  );
});

describe("a field of one operation alone", () => {
  it("is /v1/ai/request's task, which is required", async () => {
    for (const body of [{ input: "Hello" }, { input: "Hello", task: null }]) {
      const answer = await service.call("POST", "/v1/ai/request", body);
      expectRefusal(answer, 400, "invalid_request", { param: "task", message: /required/ });
    }
  });

  it.each([
    ["size", "15x15"],
    ["size", "1024"],
    ["size", "8193x8193"],
    ["size", 1024],
    ["size", ""],
  ])("is an image's %s: %j", async (param, value) => {
    const answer = await service.call("POST", "/v1/image", { input: "A boat", [param]: value });
    expectRefusal(answer, 400, "invalid_request", { param });
  });

  it.each([
    ["voice", ""],
    ["voice", 1],
    ["voice", "v".repeat(65)],
    ["format", ["mp3"]],
    ["format", "f".repeat(65)],
  ])("is a voice's %s: %j", async (param, value) => {
    const answer = await service.call("POST", "/v1/audio", { input: "Hello", [param]: value });
    expectRefusal(answer, 400, "invalid_request", { param });
  });

  it("is max_tokens beyond what the named model can give", async () => {
    const answer = await service.call("POST", "/v1/ai/request", {
      ...bodyFor({ model: "short-model" }),
      parameters: { max_tokens: 101 },
    });
    expectRefusal(answer, 400, "invalid_request", { param: "parameters.max_tokens", message: /100/ });
  });
});

describe.each(OPERATIONS)("at %s", (path) => {
  it("an Idempotency-Key of more than 255 characters, or of none, is refused", async () => {
    for (const key of ["k".repeat(256), ""]) {
      const answer = await service.call("POST", path, bodyFor({}), { headers: { "idempotency-key": key } });
      expectRefusal(answer, 400, "invalid_request", { param: "Idempotency-Key" });
    }
  });

  it("an unknown model is refused with 404 and the name that was likely meant", async () => {
    const answer = await service.call("POST", path, bodyFor({ model: "plain-modle" }));
    expectRefusal(answer, 404, "model_not_found", { param: "model", message: /"plain-model"/ });
    for (const model of ["operator/plain-modle", "nobody/plain-model", "plain-model/operator", "AUTO", "Plain-Model"]) {
      expectRefusal(await service.call("POST", path, bodyFor({ model })), 404, "model_not_found", {
        param: "model",
      });
    }
  });
});

describe.each(WITH_TASK)("at %s", (path) => {
  it("an unknown fallback is refused before any other model is tried", async () => {
    const answer = await service.call("POST", path, bodyFor({ fallbacks: ["plain-model", "paintre"] }));
    expectRefusal(answer, 404, "model_not_found", { param: "fallbacks", message: /"painter"/ });
  });
});
