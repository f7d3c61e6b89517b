import { createOpenAI } from "@ai-sdk/openai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { cosineSimilarity, embed, embedMany } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let openai: OpenAI;

/** One vector of three for each text, made from its length. */
const vectorsFor = (input: string | string[]) => [input].flat().map((text) => [text.length, 0.5, -1.25]);

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(
    service,
    { wire: "trunkline", name: "vectors", endpoint: upstream.url },
    { type: "embedding", pricing: { input_per_1k_tokens: 0.5 } },
  );
  openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(({ json }) => ({
    body: JSON.stringify({
      output: vectorsFor(json.inputs ?? json.input),
      usage: { input_tokens: 20, output_tokens: 0 },
    }),
  }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const raw = (body: Record<string, unknown>, options = {}) =>
  service.call("POST", "/openai/v1/embeddings", body, options);

describe("embeddings with OpenAI's own library", () => {
  it("come as the numbers that the provider gave, in the order of the texts", async () => {
    const answer = await openai.embeddings.create({ model: "vectors", input: ["One", "Two words"] });
    expect(answer.data).toEqual([
      { object: "embedding", index: 0, embedding: [3, 0.5, -1.25] },
      { object: "embedding", index: 1, embedding: [9, 0.5, -1.25] },
    ]);
    expect(answer).toMatchObject({ object: "list", usage: { prompt_tokens: 20, total_tokens: 20 } });
    expect(answer.model).toMatch(/\/vectors$/);
    expect(upstream.requests[0]?.json).toEqual({
      input: "One",
      inputs: ["One", "Two words"],
      parameters: {},
    });
  });

  it("come the same in base64, which the library asks for by default", async () => {
    const floats = await openai.embeddings.create({
      model: "builtin/embed",
      input: "Hello there",
      encoding_format: "float",
    });
    const decoded = await openai.embeddings.create({ model: "builtin/embed", input: "Hello there" });
    expect(decoded.data[0]?.embedding).toEqual(floats.data[0]?.embedding);
    const { json } = await raw({ model: "vectors", input: "abc", encoding_format: "base64" });
    expect(new Float32Array(new Uint8Array(Buffer.from(json.data[0].embedding, "base64")).buffer)).toEqual(
      new Float32Array([3, 0.5, -1.25]),
    );
  });

  it("have the dimensions that are asked for, and say so to the provider", async () => {
    const answer = await openai.embeddings.create({ model: "auto", input: "Hello", dimensions: 64 });
    expect(upstream.requests[0]?.json.parameters).toEqual({ dimensions: 64 });
    expect(answer.data).toHaveLength(1);
    const builtin = await openai.embeddings.create({ model: "embed", input: "Hello", dimensions: 64 });
    expect(builtin.data[0]?.embedding).toHaveLength(64);
  });

  it("are charged by the input alone", async () => {
    const { key } = await openCustomer(service, 1);
    const { status, headers } = await raw({ model: "vectors", input: ["One", "Two"] }, { key });
    expect(status).toBe(200);
    expect(headers.get("x-trunkline-cost")).toBe("0.01");
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.99, held: 0 });
  });

  it("that the money does not cover are refused before anybody is called", async () => {
    const { key } = await openCustomer(service, 0.000001);
    const { status, json } = await raw({ model: "vectors", input: "word ".repeat(100) }, { key });
    expect([status, json.error.code]).toEqual([402, "insufficient_balance"]);
    expect(upstream.requests).toHaveLength(0);
  });

  it("say which field is wrong, in OpenAI's form", async () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ input: "Hello" }, "model"],
      [{ model: "vectors" }, "input"],
      [{ model: "vectors", input: "" }, "input"],
      [{ model: "vectors", input: [] }, "input"],
      [{ model: "vectors", input: ["a", ""] }, "input[1]"],
      [{ model: "vectors", input: [1, -2, 3] }, "input[1]"],
      [{ model: "vectors", input: [[1, 2], ["a"]] }, "input[1][0]"],
      [{ model: "vectors", input: [[1, 2], []] }, "input[1]"],
      [{ model: "vectors", input: [[1, 2], [3]] }, "input"],
      [{ model: "vectors", input: Array(2_049).fill("a") }, "input"],
      [{ model: "vectors", input: "a", dimensions: 0 }, "dimensions"],
      [{ model: "vectors", input: "a", encoding_format: "hex" }, "encoding_format"],
    ];
    for (const [body, param] of wrong) {
      const { status, json } = await raw(body);
      expect([status, json.error.param, json.error.type]).toEqual([400, param, "invalid_request_error"]);
    }
    expect(upstream.requests).toHaveLength(0);
  });

  it("are made of tokens by a provider of OpenAI's format, named or chosen", async () => {
    const wire = { wire: "openai", name: "token-vectors", endpoint: `${upstream.url}/v1` } as const;
    await registerUpstream(service, wire, { type: "embedding", pricing: { input_per_1k_tokens: 0.5 } });
    upstream.answer(({ json }) => ({
      body: JSON.stringify({
        data: json.input.map((_: unknown, index: number) => ({ index, embedding: [index, 1] })),
        usage: { prompt_tokens: 4, total_tokens: 4 },
      }),
    }));
    const two = await openai.embeddings.create({ model: "token-vectors", input: [[1, 2, 3], [4]] });
    expect(two.data.map(({ embedding }) => embedding)).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(two.usage.prompt_tokens).toBe(4);
    const one = await openai.embeddings.create({ model: "auto", input: [1, 2, 3, 4] });
    expect(one.data).toHaveLength(1);
    expect(upstream.requests.map(({ json }) => json.input)).toEqual([[[1, 2, 3], [4]], [[1, 2, 3, 4]]]);
    await service.call("DELETE", "/v1/provider/models/token-vectors");
  });

  it("tell which fields nothing was made of", async () => {
    const { headers } = await raw({ model: "vectors", input: "Hello", user: "u-1", wings: 2 });
    expect(headers.get("x-trunkline-dropped")).toBe("wings, user");
  });

  it("are an error where the provider gives the wrong number of them", async () => {
    upstream.answer(() => ({ body: '{"output":[[1],[2],[3]]}' }));
    const { status, json } = await raw({ model: "vectors", input: ["One", "Two"] });
    expect(status).toBe(502);
    expect(json.error.message).toContain("3 vectors to 2 inputs");
  });

  it("are given again for the same idempotency key, and charged once", async () => {
    const { key } = await openCustomer(service, 1);
    const options = { key, headers: { "idempotency-key": "vectors-once" } };
    const first = await raw({ model: "vectors", input: "Once" }, options);
    const again = await raw({ model: "vectors", input: "Once" }, options);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(upstream.requests).toHaveLength(1);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.99 });
  });

  it("of a model that makes none are refused", async () => {
    const { status, json } = await raw({ model: "guide", input: "Hello" });
    expect(status).toBe(400);
    expect(json.error.message).toContain("makes no embeddings");
  });
});

describe("embeddings with other libraries", () => {
  it("work with the AI SDK, one and many", async () => {
    const provider = createOpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY });
    const model = provider.embeddingModel("builtin/embed");
    const { embedding: question } = await embed({ model, value: "Where is my parcel?" });
    const { embeddings } = await embedMany({
      model,
      values: ["My parcel, where is it?", "Turn the heating down."],
    });
    expect(embeddings).toHaveLength(2);
    const [near = [], far = []] = embeddings;
    expect(cosineSimilarity(question, near)).toBeGreaterThan(0.5);
    expect(cosineSimilarity(question, far)).toBeLessThan(0.25);
  });

  it("work with LangChain", async () => {
    const langchain = new OpenAIEmbeddings({
      model: "builtin/embed",
      apiKey: OPERATOR_KEY,
      configuration: { baseURL: `${service.url}/openai/v1` },
    });
    const [one] = await langchain.embedDocuments(["The same text", "Another one"]);
    expect(await langchain.embedQuery("The same text")).toEqual(one);
  });
});

describe("embeddings in our own form", () => {
  it("are lists of numbers with their model, usage and cost", async () => {
    const { status, json } = await service.call("POST", "/v1/embeddings", {
      input: ["One", "Two"],
      model: "vectors",
      dimensions: 3,
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      embeddings: [
        [3, 0.5, -1.25],
        [3, 0.5, -1.25],
      ],
      model: expect.stringMatching(/\/vectors$/),
      usage: { input_tokens: 20, output_tokens: 0 },
      cost: 0.01,
    });
    expect(upstream.requests[0]?.json.parameters).toEqual({ dimensions: 3 });
  });

  it("are made by the built-in model where no other can", async () => {
    await service.call("PATCH", "/v1/provider/models/vectors", { state: "suspended" });
    const { json } = await service.call("POST", "/v1/embeddings", { input: "Hello" });
    expect(json).toMatchObject({ model: "builtin/embed", cost: 0 });
    expect(json.embeddings[0]).toHaveLength(256);
    await service.call("PATCH", "/v1/provider/models/vectors", { state: "active" });
  });

  it("say which field is wrong", async () => {
    for (const [body, param] of [
      [{}, "input"],
      [{ input: [[1]] }, "input[0]"],
      [{ input: "a", dimensions: 1.5 }, "dimensions"],
      [{ input: "a", parameters: { dimensions: "many" } }, "parameters.dimensions"],
    ] as const) {
      expectRefusal(await service.call("POST", "/v1/embeddings", body), 400, "invalid_request", { param });
    }
  });
});
