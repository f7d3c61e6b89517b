import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let service: StartedService;
let upstream: Upstream;
let contract: ScriptedProvider;
let customer: Customer;
let client: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  contract = await startProvider();
  await registerUpstream(service, { wire: "openai", name: "talker:8b", endpoint: `${upstream.url}/v1` });
  await service.call("POST", "/v1/provider/models", registrationOf(contract, "plain", { streaming: true }));
  customer = await openCustomer(service, 10);
  client = new OpenAI({ apiKey: customer.key, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(answerChat({ text: "Good morning." }));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await contract.stop();
});

const hello = { role: "user", content: "Hello" } as const;
const ask = (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  client.chat.completions.create({ model: "talker:8b", messages: [hello], ...more });
const sent = () => upstream.requests[0]?.json;

describe("a chat with OpenAI's library", () => {
  it("is answered in OpenAI's form, with what it took and what it cost", async () => {
    const before = await balanceOf(service, customer.key);
    const { data, response } = await ask().withResponse();
    expect(data).toEqual({
      id: `chatcmpl-${response.headers.get("x-request-id")}`,
      object: "chat.completion",
      created: expect.any(Number),
      model: expect.stringMatching(/^[\w-]+\/talker:8b$/),
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Good morning.", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 5 },
        cost: 0.00003,
      },
    });
    expect(Math.abs(data.created - Date.now() / 1_000)).toBeLessThan(60);
    expect(response.headers.get("x-trunkline-model")).toBe(data.model);
    expect(response.headers.get("x-trunkline-cost")).toBe("0.00003");
    expect(response.headers.get("x-trunkline-dropped")).toBeNull();
    const after = await balanceOf(service, customer.key);
    expect(before.balance - after.balance).toBeCloseTo(0.00003, 9);
  });

  it("hands everything that an upstream of the same wire knows on to it", async () => {
    const { response } = await ask({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        hello,
        { role: "assistant", content: "Hi." },
        { role: "user", content: "And now?" },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 100,
      stop: ["END", "STOP"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      logit_bias: { "50256": -100 },
      reasoning_effort: "low",
      user: "someone",
      metadata: { team: "blue" },
      store: false,
      prompt_cache_key: "k",
      safety_identifier: "s",
      verbosity: "low",
    }).withResponse();
    expect(response.headers.get("x-trunkline-dropped")).toBeNull();
    expect(sent()).toMatchObject({
      model: "talker:8b",
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END", "STOP"],
      seed: 7,
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      logit_bias: { "50256": -100 },
      reasoning_effort: "low",
      user: "someone",
      metadata: { team: "blue" },
      store: false,
      prompt_cache_key: "k",
      safety_identifier: "s",
      verbosity: "low",
    });
    expect(sent().max_completion_tokens ?? sent().max_tokens).toBe(100);
    // Local model servers rarely know the developer role: it is sent as the system's.
    expect(sent().messages).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "system" },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi." },
      { role: "user", content: "And now?" },
    ]);
  });

  it("never hands on what would make it dearer than its quote, and lists what it leaves out", async () => {
    const { response } = await ask({
      service_tier: "priority",
      web_search_options: {},
      modalities: ["text", "audio"],
      audio: { format: "mp3", voice: "alloy" },
      prediction: { type: "content", content: "Hello" },
      messages: [{ ...hello, name: "Ada" }],
      ...{ invented: true },
    }).withResponse();
    expect(response.headers.get("x-trunkline-dropped")?.split(", ").toSorted()).toEqual([
      "audio",
      "invented",
      "messages.name",
      "modalities",
      "prediction",
      "service_tier",
      "web_search_options",
    ]);
    for (const field of ["service_tier", "web_search_options", "modalities", "audio", "prediction", "invented"])
      expect(sent()).not.toHaveProperty(field);
  });

  it("says nothing of fields that mean what happens anyway", async () => {
    const { response } = await ask({ service_tier: "auto", modalities: ["text"] }).withResponse();
    expect(response.headers.get("x-trunkline-dropped")).toBeNull();
  });

  it("sees images, hears sounds and reads files", async () => {
    await ask({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: PIXEL, detail: "low" } },
            { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
            { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" } },
          ],
        },
      ],
    });
    expect(sent().messages[0].content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: PIXEL, detail: "low" } },
      { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      {
        type: "file",
        file: { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" },
      },
    ]);
  });

  it("gives as many choices as it is asked for, and pays for all of them", async () => {
    upstream.answer(answerChat({ text: "One." }, { text: "Two.", finish: "length" }));
    const { choices } = await ask({ n: 2 });
    expect(sent().n).toBe(2);
    expect(choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])).toEqual([
      [0, "One.", "stop"],
      [1, "Two.", "length"],
    ]);
  });

  it("gives one choice and says so where the provider knows no more", async () => {
    const { data, response } = await client.chat.completions
      .create({ model: "plain", messages: [hello], n: 3 })
      .withResponse();
    expect(data.choices.map(({ message }) => message.content)).toEqual(["A plain answer."]);
    expect(response.headers.get("x-trunkline-dropped")).toBe("n");
  });

  it("tells how likely the words were", async () => {
    const content = [{ token: "Good", logprob: -0.1, bytes: null, top_logprobs: [] }];
    upstream.answer(answerChat({ text: "Good", logprobs: content }));
    const { choices } = await ask({ logprobs: true, top_logprobs: 2 });
    expect(sent()).toMatchObject({ logprobs: true, top_logprobs: 2 });
    expect(choices[0]?.logprobs).toEqual({ content, refusal: null });
  });

  it("shows what the model thought, and takes it back in the next round", async () => {
    upstream.answer(answerChat({ text: "42.", thoughts: "Six times seven." }));
    const { choices } = await ask();
    const [choice] = choices;
    expect(choice?.message).toMatchObject({ content: "42.", reasoning_content: "Six times seven." });
    if (choice === undefined) throw new Error("There is no choice.");
    await ask({ messages: [hello, choice.message, { role: "user", content: "Why?" }] });
    expect(upstream.requests[1]?.json.messages[1]).toMatchObject({ role: "assistant", content: "42." });
  });

  it("is parsed by the schema that it was asked for", async () => {
    upstream.answer(answerChat({ text: '{"city":"Bern","degrees":21}' }));
    const weather = z.object({ city: z.string(), degrees: z.number() });
    const { choices } = await client.chat.completions.parse({
      model: "talker:8b",
      messages: [hello],
      response_format: zodResponseFormat(weather, "weather"),
    });
    expect(choices[0]?.message.parsed).toEqual({ city: "Bern", degrees: 21 });
    expect(sent().response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "weather", strict: true, schema: { required: ["city", "degrees"] } },
    });
  });

  it("says that a filter ended it", async () => {
    upstream.answer(answerChat({ text: "I can", finish: "content_filter" }));
    expect((await ask()).choices[0]?.finish_reason).toBe("content_filter");
  });

  it("runs once under one idempotency key, and is repeated word for word", async () => {
    const options = { headers: { "idempotency-key": "chat-1" } };
    const body = { model: "talker:8b", messages: [hello] };
    const first = await client.chat.completions.create(body, options);
    const { data: second, response } = await client.chat.completions.create(body, options).withResponse();
    expect(second).toEqual(first);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    expect(response.headers.get("x-trunkline-model")).toBe(first.model);
    expect(upstream.requests).toHaveLength(1);
  });

  it("is served by a provider that keeps our own contract as well", async () => {
    const { choices, usage } = await client.chat.completions.create({ model: "plain", messages: [hello] });
    expect(choices[0]?.message.content).toBe("A plain answer.");
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 20 });
  });

  it.each(["auto", "auto:cost", "auto:speed", "auto:quality"])("leaves the choice to us as %s", async (model) => {
    const { data, response } = await ask({ model }).withResponse();
    expect(data.model).toMatch(/\/(talker:8b|plain)$/);
    const id = response.headers.get("x-request-id");
    const record = await service.call("GET", `/v1/requests/${id}`, undefined, { key: customer.key });
    const strategy = { "auto:speed": "speed-optimized", "auto:quality": "quality-optimized" }[model];
    expect(record.json.routing.strategy).toBe(strategy ?? "cost-optimized");
    expect(record.json.path).toBe("/openai/v1/chat/completions");
  });

  it("takes what only we know: a route, preferences and fallbacks", async () => {
    const { data, response } = await ask({
      model: "auto",
      ...{ route: "quality", preferences: { max_cost: 1 }, fallbacks: ["plain"] },
    }).withResponse();
    expect(data.object).toBe("chat.completion");
    expect(response.headers.get("x-trunkline-dropped")).toBeNull();
  });
});
