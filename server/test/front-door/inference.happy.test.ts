import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, more] of [
    ["plain", {}],
    ["flowing", { streaming: true }],
    ["painter", { type: "image", pricing: { per_image: 0.04 }, capabilities: ["image-generation"] }],
    ["speaker", { type: "audio", pricing: { per_request: 0.01 } }],
    ["keyed", { auth_type: "x-api-key" }],
    ["open", { auth_type: "none", credential: null }],
    ["seer", { type: "multimodal" }],
  ] as const) {
    const { status } = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
    expect(status).toBe(201);
  }
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** 10 input tokens at 0.001 and 20 output tokens at 0.002 per thousand. */
const PLAIN_COST = 0.00005;

describe("POST /v1/ai/request", () => {
  it("answers exactly output, model_used and cost", async () => {
    const { status, json } = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "Hello there",
      model: "plain",
    });
    expect(status).toBe(200);
    expect(json).toEqual({ output: "A plain answer.", model_used: "plain", cost: PLAIN_COST });
  });

  it("sends the provider exactly input and parameters, with its credential and our request id", async () => {
    const { headers } = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "Hello there",
      model: "plain",
      parameters: { max_tokens: 50, temperature: 0.5, top_k: 3, flag: true, nothing: null },
    });
    const [call] = provider.calls;
    expect(call?.body).toEqual({
      input: "Hello there",
      parameters: { max_tokens: 50, temperature: 0.5, top_k: 3, flag: true, nothing: null },
    });
    expect(call?.headers.authorization).toBe("Bearer provider-credential-of-the-tests");
    expect(call?.headers["content-type"]).toBe("application/json");
    expect(call?.headers["x-request-id"]).toBe(headers.get("x-request-id"));
  });

  it("authenticates to a provider by x-api-key, or not at all, as registered", async () => {
    await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hi", model: "keyed" });
    await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hi", model: "open" });
    expect(provider.calls[0]?.headers["x-api-key"]).toBe("provider-credential-of-the-tests");
    expect(provider.calls[0]?.headers.authorization).toBeUndefined();
    expect(provider.calls[1]?.headers.authorization).toBeUndefined();
    expect(provider.calls[1]?.headers["x-api-key"]).toBeUndefined();
  });

  it("gives an image's URL as the output", async () => {
    provider.script = (response) =>
      response.end(JSON.stringify({ output: { image_url: "https://example.com/a.png" }, latency_ms: 3 })) && undefined;
    const { json } = await service.call("POST", "/v1/ai/request", {
      task: "image_generation",
      input: "A boat",
      model: "painter",
    });
    expect(json).toEqual({ output: "https://example.com/a.png", model_used: "painter", cost: 0.04 });
  });

  it("passes attachments on to a multimodal model", async () => {
    const attachments = [{ type: "image", url: "https://example.com/cat.png" }];
    const { status } = await service.call("POST", "/v1/ai/request", {
      task: "vision",
      input: "What is this?",
      attachments,
    });
    expect(status).toBe(200);
    expect(provider.calls[0]?.body.attachments).toEqual(attachments);
  });

  it("takes null for absent, ignores unknown fields, and says who answered in the headers", async () => {
    const { status, headers } = await service.call(
      "POST",
      "/v1/ai/request",
      {
        task: "Text Generation",
        input: "Hi",
        model: "plain",
        route: null,
        preferences: null,
        parameters: null,
        unheard: [1],
      },
      { headers: { "x-client-request-id": "mine-1" } },
    );
    expect(status).toBe(200);
    expect(headers.get("x-client-request-id")).toBe("mine-1");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("server-timing")).toMatch(/^gateway;dur=[\d.]+, provider;dur=[\d.]+, settle;dur=[\d.]+$/);
    expect(headers.get("ratelimit-policy")).toBe('"default";q=1000000;w=60');
    expect(headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
  });

  it("charges nothing for an empty answer", async () => {
    provider.script = (response) =>
      void response.end(JSON.stringify({ output: "", usage: { input_tokens: 10, output_tokens: 0 } }));
    const { status, json } = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "Hi",
      model: "plain",
    });
    expect(status).toBe(200);
    expect(json).toEqual({ output: "", model_used: "plain", cost: 0 });
  });
});

describe("POST /v1/generate", () => {
  it("answers in the client libraries' form", async () => {
    const { status, json } = await service.call("POST", "/v1/generate", {
      input: "Hi",
      model: "operator/plain",
      route: "auto",
      parameters: {},
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      output: "A plain answer.",
      model: "operator/plain",
      usage: { input_tokens: 10, output_tokens: 20 },
      latency_ms: expect.any(Number),
    });
  });

  it("gives the provider's own object for an image", async () => {
    provider.script = (response) =>
      void response.end(JSON.stringify({ output: { image_url: "https://example.com/a.png", seed: 7 } }));
    const { json } = await service.call("POST", "/v1/generate", {
      input: "A boat",
      model: "painter",
      task: "image",
    });
    expect(json.output).toEqual({ image_url: "https://example.com/a.png", seed: 7 });
  });
});

describe("POST /v1/stream", () => {
  const flow = (chunks: readonly string[]) => {
    provider.script = async (response) => {
      for (const chunk of chunks) {
        response.write(chunk);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
  };

  it("passes deltas on as lines of JSON and ends with what it cost", async () => {
    flow([
      '{"delta": "Hel',
      'lo"}\n',
      '{"delta": " wörld"}\n',
      '{"done": true, "usage": {"input_tokens": 10, "output_tokens": 20}}\n',
    ]);
    const { status, headers, text } = await service.call("POST", "/v1/stream", {
      input: "Hi",
      model: "flowing",
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      lines
        .slice(0, -1)
        .map((line) => line.delta)
        .join(""),
    ).toBe("Hello wörld");
    expect(lines.at(-1)).toEqual({
      done: true,
      model: "operator/flowing",
      usage: { input_tokens: 10, output_tokens: 20 },
      cost: PLAIN_COST,
    });
    expect(provider.calls[0]?.body.stream).toBe(true);
  });

  it("speaks server-sent events when asked to", async () => {
    flow(['data: {"delta": "Hi"}\n\n', 'data: {"done": true}\n\n']);
    const { headers, text } = await service.call(
      "POST",
      "/v1/stream",
      { input: "Hi", model: "flowing" },
      { headers: { accept: "text/event-stream" } },
    );
    expect(headers.get("content-type")).toBe("text/event-stream");
    const events = text
      .trimEnd()
      .split("\n\n")
      .map((event) => JSON.parse(event.replace(/^data: /, "")));
    expect(events[0]).toEqual({ delta: "Hi" });
    expect(events.at(-1)).toMatchObject({ done: true, model: "operator/flowing" });
  });

  it("serves a model that does not stream, too", async () => {
    const { text } = await service.call("POST", "/v1/stream", { input: "Hi", model: "plain" });
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      lines
        .slice(0, -1)
        .map((line) => line.delta)
        .join(""),
    ).toBe("A plain answer.");
    expect(lines.at(-1).cost).toBe(PLAIN_COST);
  });
});

describe("POST /v1/image and /v1/audio", () => {
  it("answer with a URL, the model and the cost; the size has a default", async () => {
    provider.script = (response) =>
      void response.end(JSON.stringify({ output: { image_url: "data:image/png;base64,AAAA" } }));
    const { json } = await service.call("POST", "/v1/image", { input: "A boat", model: "painter" });
    expect(json).toEqual({ image_url: "data:image/png;base64,AAAA", model: "operator/painter", cost: 0.04 });
    expect(provider.calls[0]?.body.parameters).toEqual({ size: "1024x1024" });
  });

  it("pass voice and format on", async () => {
    provider.script = (response) =>
      void response.end(JSON.stringify({ output: { audio_url: "https://example.com/a.mp3" } }));
    const { json } = await service.call("POST", "/v1/audio", {
      input: "Hello",
      voice: "amy",
      format: "mp3",
      model: "speaker",
    });
    expect(json).toEqual({ audio_url: "https://example.com/a.mp3", model: "operator/speaker", cost: 0.01 });
    expect(provider.calls[0]?.body.parameters).toEqual({ voice: "amy", format: "mp3" });
  });
});

describe("the built-in models", () => {
  it("answer when named, for nothing", async () => {
    const { status, json } = await service.call("POST", "/v1/ai/request", {
      task: "chat",
      input: "How do I register my own model?",
      model: "builtin/guide",
    });
    expect(status).toBe(200);
    expect(json.model_used).toBe("guide");
    expect(json.cost).toBe(0);
    expect(json.output.length).toBeGreaterThan(40);
  });

  it("draw a picture", async () => {
    const { json } = await service.call("POST", "/v1/image", {
      input: "A quiet lake at night",
      size: "64x64",
      model: "sketch",
    });
    expect(json.image_url).toMatch(/^data:image\/png;base64,/);
    expect(json.model).toBe("builtin/sketch");
  });
});
