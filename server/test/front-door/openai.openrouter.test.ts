import { OpenRouter } from "@openrouter/sdk";
import type { EventStream } from "@openrouter/sdk/lib/event-streams.js";
import type { ChatStreamChunk } from "@openrouter/sdk/models/chatstreamchunk.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { startWithOpenAi } from "../support/openai-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService } from "../support/started-service.ts";

/** The names under which the two providers of `gpt-4o-mini` serve it. */
const DISCOVERED = "openai/gpt-4o-mini";
let own: string;
let openai: Upstream;
let upstream: Upstream;
let service: StartedService;

beforeAll(async () => {
  ({ upstream: openai, service } = await startWithOpenAi({
    OPENAI_API_KEY: "sk-key",
    TRUNKLINE_DISCOVER_MODELS: "openai/gpt-4o-mini",
  }));
  upstream = await startUpstream();
  const endpoint = `${upstream.url}/v1`;
  const free = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 0 };
  await registerUpstream(service, { wire: "openai", name: "gpt-4o-mini", endpoint });
  await registerUpstream(service, { wire: "openai", name: "second", endpoint });
  await registerUpstream(service, { wire: "openai", name: "given-away", endpoint }, { pricing: free });
  const listed = await service.call("GET", "/v1/models/second");
  own = listed.json.providers[0].full_name.split("/")[0];
});

beforeEach(() => {
  for (const one of [openai, upstream]) {
    one.requests.length = 0;
    one.answer(answerChat({ text: ["Good ", "morning."], thoughts: "Greet." }));
  }
});

afterAll(async () => {
  await service.stop();
  await openai.close();
  await upstream.close();
});

const MESSAGES = [{ role: "user", content: "Hello" }];

async function chat(body: Record<string, unknown>, path = "chat/completions") {
  const asked =
    path === "responses" ? { input: "Hello" } : path === "completions" ? { prompt: "Hello" } : { messages: MESSAGES };
  const { status, json, headers } = await service.call("POST", `/openai/v1/${path}`, { ...asked, ...body });
  return { status, json, model: headers.get("x-trunkline-model"), dropped: headers.get("x-trunkline-dropped") };
}

describe("OpenRouter's library", () => {
  const client = () => new OpenRouter({ apiKey: OPERATOR_KEY, serverURL: `${service.url}/openai/v1` });

  it("gets a whole answer with what it cost", async () => {
    const answer = await client().chat.send({
      chatRequest: {
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: "Hello" }],
        provider: { only: ["openai"], allowFallbacks: false, dataCollection: "allow" },
        reasoning: { effort: "low" },
        stream: false,
      },
    });
    expect(answer).toMatchObject({
      choices: [{ message: { content: "Good morning.", reasoning: "Greet." } }],
      model: DISCOVERED,
      usage: { promptTokens: 10, completionTokens: 20 },
    });
    expect(openai.requests[0]?.json).toMatchObject({ reasoning_effort: "low" });
  });

  it("gets a stream", async () => {
    const stream = await client().chat.send({
      chatRequest: {
        models: ["second", "gpt-4o-mini"],
        messages: [{ role: "user", content: "Hello" }],
        stream: true,
        streamOptions: { includeUsage: true },
      },
    });
    let text = "";
    let cost: unknown;
    for await (const chunk of stream as EventStream<ChatStreamChunk>) {
      text += chunk.choices[0]?.delta.content ?? "";
      cost = chunk.usage?.cost ?? cost;
    }
    expect(text).toBe("Good morning.");
    expect(cost).toBeGreaterThan(0);
  });
});

describe("`models`", () => {
  it.each(["chat/completions", "completions", "responses"])(
    "names the model and what follows it, in %s",
    async (path) => {
      expect(await chat({ models: ["second", "gpt-4o-mini"] }, path)).toMatchObject({
        model: `${own}/second`,
        dropped: null,
      });
      upstream.answer(() => ({ status: 500, body: "{}" }));
      expect(await chat({ model: "second", models: ["second", DISCOVERED] }, path)).toMatchObject({
        model: DISCOVERED,
      });
    },
  );

  it("must hold names of models", async () => {
    expect(await chat({ models: [] })).toMatchObject({ status: 400, json: { error: { param: "models[0]" } } });
    expect(await chat({ models: ["second", 5] })).toMatchObject({
      status: 400,
      json: { error: { param: "models[1]" } },
    });
    expect(await chat({ models: ["second", "nobody"] })).toMatchObject({ status: 404 });
    expect(await chat({})).toMatchObject({ status: 400, json: { error: { param: "model" } } });
  });
});

describe("`provider`", () => {
  const model = "gpt-4o-mini";

  it("limits a model to some providers, or leaves some out", async () => {
    expect(await chat({ model, provider: { only: ["OpenAI"] } })).toMatchObject({ model: DISCOVERED });
    expect(await chat({ model, provider: { ignore: ["openai/fast"] } })).toMatchObject({ model: `${own}/${model}` });
    const { status, json } = await chat({ model, provider: { only: ["elsewhere"] } });
    expect(status).toBe(503);
    expect(json.error.message).toContain("leaves its provider out");
  });

  it("orders providers, and falls back to the others unless that is forbidden", async () => {
    for (const order of [
      ["openai", own],
      [own, "openai"],
    ]) {
      const first = await chat({ model, provider: { order } });
      expect(first.model).toBe(`${order[0]}/${model}`);
    }
    openai.answer(() => ({ status: 500, body: "{}" }));
    expect(await chat({ model, provider: { order: ["openai"] } })).toMatchObject({ model: `${own}/${model}` });
    const closed = await chat({ model, provider: { order: ["openai"], allow_fallbacks: false } });
    expect(closed.status).toBeGreaterThanOrEqual(500);
  });

  it("bounds the price per million tokens", async () => {
    // One provider takes a dollar per million tokens each way, the other 0.15 and 0.60.
    expect(await chat({ model, provider: { max_price: { prompt: 0.2 } } })).toMatchObject({ model: DISCOVERED });
    expect(await chat({ model, provider: { max_price: { completion: "0.1" } } })).toMatchObject({ status: 503 });
    const wrong = await chat({ model, provider: { max_price: { completion: "cheap" } } });
    expect(wrong.json.error.param).toBe("provider.max_price.completion");
  });

  it("sorts by price, by a field or by the model's name", async () => {
    for (const body of [
      { model, provider: { sort: "price" } },
      { model, provider: { sort: { by: "price" } } },
      { model: `${model}:floor` },
    ])
      expect(await chat(body)).toMatchObject({ status: 200, model: DISCOVERED, dropped: null });
    expect(await chat({ model: `${model}:nitro` })).toMatchObject({ status: 200 });
    expect(await chat({ model, provider: { sort: "colour" } })).toMatchObject({
      status: 400,
      json: { error: { param: "provider.sort" } },
    });
  });

  it("lists what has no counterpart, and leaves out what changes nothing", async () => {
    const provider = {
      data_collection: "allow",
      require_parameters: true,
      quantizations: ["fp8"],
      allow_fallbacks: false,
    };
    const { status, dropped } = await chat({
      model,
      provider,
      plugins: [{ id: "web" }],
      transforms: ["middle-out"],
      route: "fallback",
    });
    expect(status).toBe(200);
    expect(dropped?.split(", ").sort()).toEqual([
      "plugins",
      "provider.allow_fallbacks",
      "provider.quantizations",
      "provider.require_parameters",
      "transforms",
    ]);
    const usual = { data_collection: "allow", require_parameters: false, allow_fallbacks: true };
    expect(await chat({ model, provider: usual, usage: { include: true } })).toMatchObject({
      status: 200,
      dropped: null,
    });
  });
});

describe("a model's name that ends in `:free`", () => {
  it("stands for the free offers of that model", async () => {
    expect(await chat({ model: "given-away:free" })).toMatchObject({ status: 200, model: `${own}/given-away` });
    expect(await chat({ model: "second:free" })).toMatchObject({ status: 404 });
  });
});

describe("`reasoning`", () => {
  const model = DISCOVERED;

  it.each([
    [{ effort: "high" }, { reasoning_effort: "high" }],
    [{ enabled: true }, { reasoning_effort: "medium" }],
    [{ enabled: false }, { reasoning_effort: "none" }],
  ])("is sent as the provider says it: %j", async (reasoning, sent) => {
    expect(await chat({ model, reasoning })).toMatchObject({ status: 200, dropped: null });
    expect(openai.requests[0]?.json).toMatchObject(sent);
  });

  it("shows what the model thought under OpenRouter's name, or leaves it out", async () => {
    const shown = async (body: Record<string, unknown>) => (await chat({ model, ...body })).json.choices[0].message;
    expect(await shown({ reasoning: {} })).toMatchObject({ reasoning: "Greet." });
    expect(await shown({})).toMatchObject({ reasoning_content: "Greet." });
    const left = await shown({ reasoning: { exclude: true } });
    expect(left.content).toBe("Good morning.");
    expect(JSON.stringify(left)).not.toContain("Greet.");
    for (const [reasoning, name] of [
      [{}, '"reasoning":"Greet."'],
      [{ exclude: true }, undefined],
    ] as const) {
      const { text } = await service.call("POST", "/openai/v1/chat/completions", {
        model,
        messages: MESSAGES,
        reasoning,
        stream: true,
      });
      if (name === undefined) expect(text).not.toContain("Greet.");
      else expect(text).toContain(name);
    }
  });

  it("is refused where it is no such object", async () => {
    expect(await chat({ model, reasoning: { effort: "huge" } })).toMatchObject({
      status: 400,
      json: { error: { param: "reasoning.effort" } },
    });
    expect(await chat({ model, reasoning: "high" })).toMatchObject({
      status: 400,
      json: { error: { param: "reasoning" } },
    });
  });
});

describe("`usage: {include: true}`", () => {
  it("adds the usage to a stream", async () => {
    for (const [path, asked] of [
      ["chat/completions", { messages: MESSAGES }],
      ["completions", { prompt: "Hello" }],
    ] as const) {
      const body = { model: DISCOVERED, ...asked, stream: true };
      const ask = async (more: object) => (await service.call("POST", `/openai/v1/${path}`, { ...body, ...more })).text;
      expect(await ask({ usage: { include: true } })).toContain('"cost":');
      expect(await ask({})).not.toContain('"cost":');
    }
  });
});
