import { createOpenAI } from "@ai-sdk/openai";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI, { APIError, BadRequestError } from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { balanceOf, openCustomer } from "../customer.ts";
import { events, registerUpstream, startUpstream, type Upstream } from "../scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../started-service.ts";

let service: StartedService;
/** A model that speaks OpenAI's chats, and one that keeps our contract alone. */
let chatty: Upstream;
let plain: Upstream;
let openai: OpenAI;
let aiSdk: ReturnType<typeof createOpenAI>;

beforeAll(async () => {
  service = await startService();
  [chatty, plain] = [await startUpstream(), await startUpstream()];
  await registerUpstream(service, { wire: "openai", name: "chatty", endpoint: `${chatty.url}/v1` });
  await registerUpstream(service, { wire: "trunkline", name: "plain", endpoint: plain.url });
  openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
  aiSdk = createOpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY });
});

beforeEach(() => {
  chatty.requests.length = 0;
  plain.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await Promise.all([chatty.close(), plain.close()]);
});

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 10,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

/** A whole answer of a chat. */
const saying = (message: Record<string, unknown>, finish_reason = "stop") => ({
  body: JSON.stringify({
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
    usage: USAGE,
  }),
});

/** The same as a stream of deltas. */
const streaming = (deltas: readonly Record<string, unknown>[], finish_reason = "stop") => ({
  headers: { "content-type": "text/event-stream" },
  body: events(
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage: USAGE },
    "[DONE]",
  ),
});

const CALL = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
const WEATHER = {
  type: "function" as const,
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: true,
};

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const seen: ResponseStreamEvent[] = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

const raw = (body: unknown, options = {}) => service.call("POST", "/openai/v1/responses", body, options);

describe("a response", () => {
  it("is what the model says, with what it took and what was asked for", async () => {
    chatty.answer(() => saying({ content: "Good morning!" }));
    const response = await openai.responses.create({
      model: "chatty",
      instructions: "Be kind.",
      input: "Hello",
      max_output_tokens: 100,
      temperature: 0.5,
      metadata: { purpose: "test" },
    });
    expect(response.output_text).toBe("Good morning!");
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      error: null,
      incomplete_details: null,
      instructions: "Be kind.",
      max_output_tokens: 100,
      metadata: { purpose: "test" },
      output: [{ type: "message", role: "assistant", status: "completed" }],
      usage: {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 30,
      },
    });
    expect(chatty.requests[0]?.json).toMatchObject({
      model: "chatty",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello" },
      ],
      temperature: 0.5,
    });
  });

  it("is incomplete where the model was cut off", async () => {
    chatty.answer(() => saying({ content: "Once upon" }, "length"));
    const response = await openai.responses.create({ model: "chatty", input: "A story" });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  it("keeps a whole conversation: images, files, calls, their results and thoughts", async () => {
    chatty.answer(() => saying({ content: "It is 3 degrees." }));
    const picture = "data:image/png;base64,iVBORw0KGgo=";
    await openai.responses.create({
      model: "chatty",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this, and the weather?" },
            { type: "input_image", image_url: picture, detail: "low" },
            { type: "input_file", file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" },
          ],
        },
        { type: "reasoning", id: "rs-1", summary: [{ type: "summary_text", text: "I need the weather." }] },
        {
          type: "message",
          id: "msg-1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Let me see.", annotations: [] }],
        },
        { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call", call_id: "call_2", name: "weather", arguments: '{"city":"Rome"}' },
        { type: "function_call_output", call_id: "call_1", output: "3 degrees" },
        {
          type: "function_call_output",
          call_id: "call_2",
          output: [{ type: "input_text", text: "21 degrees" }],
        },
      ],
      tools: [WEATHER],
    });
    const [user, assistant, ...results] = chatty.requests[0]?.json.messages ?? [];
    expect(user.content).toMatchObject([
      { type: "text", text: "What is this, and the weather?" },
      { type: "image_url", image_url: { url: picture, detail: "low" } },
      { type: "file" },
    ]);
    expect(assistant).toMatchObject({
      role: "assistant",
      content: "Let me see.",
      tool_calls: [{ id: "call_1" }, { id: "call_2" }],
    });
    expect(results).toMatchObject([
      { role: "tool", tool_call_id: "call_1", content: "3 degrees" },
      { role: "tool", tool_call_id: "call_2", content: "21 degrees" },
    ]);
    expect(chatty.requests[0]?.json.tools).toMatchObject([
      { type: "function", function: { name: "weather" } },
    ]);
  });

  it("has thoughts and calls as items of their own, which can be handed back as they are", async () => {
    chatty.answer(() =>
      saying({ content: null, reasoning_content: "Oslo it is.", tool_calls: [CALL] }, "tool_calls"),
    );
    const first = await openai.responses.create({ model: "chatty", input: "Weather?", tools: [WEATHER] });
    expect(first.output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Oslo it is." }] },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
    ]);
    expect(first.status).toBe("completed");
    chatty.answer(() => saying({ content: "Cold." }));
    const second = await openai.responses.create({
      model: "chatty",
      tools: [WEATHER],
      input: [
        { role: "user", content: "Weather?" },
        ...first.output,
        { type: "function_call_output", call_id: "call_1", output: "3 degrees" },
      ] as OpenAI.Responses.ResponseInput,
    });
    expect(second.output_text).toBe("Cold.");
    expect(chatty.requests[1]?.json.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_1" },
    ]);
  });

  it("follows a schema, and is parsed by the library", async () => {
    const City = z.object({ city: z.string(), degrees: z.number() });
    chatty.answer(() => saying({ content: '{"city":"Oslo","degrees":3}' }));
    const response = await openai.responses.parse({
      model: "chatty",
      input: "Weather in Oslo",
      text: { format: zodTextFormat(City, "city") },
    });
    expect(response.output_parsed).toEqual({ city: "Oslo", degrees: 3 });
    expect(chatty.requests[0]?.json.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "city", strict: true },
    });
  });

  it("is given by a model that only knows our contract, tools and all", async () => {
    plain.answer(() => ({
      body: JSON.stringify({
        output: { tool_calls: [{ id: "t1", name: "weather", arguments: { city: "Oslo" } }] },
        usage: { input_tokens: 30, output_tokens: 5 },
      }),
    }));
    const response = await openai.responses.create({ model: "plain", input: "Weather?", tools: [WEATHER] });
    expect(response.output).toMatchObject([{ type: "function_call", name: "weather" }]);
    expect(JSON.parse(plain.requests[0]?.json ? JSON.stringify(plain.requests[0].json.input) : "")).toContain(
      "weather",
    );
  });

  it("tells which fields nothing was made of, and passes on what only this wire knows", async () => {
    chatty.answer(() => saying({ content: "Yes." }));
    const { headers } = await raw({
      model: "chatty",
      input: "Hello",
      store: true,
      truncation: "auto",
      text: { verbosity: "low" },
      reasoning: { effort: "low", summary: "auto" },
      include: ["file_search_call.results"],
      user: "u-1",
      wings: 2,
    });
    expect(headers.get("x-trunkline-dropped")).toBe("store, truncation, wings, include, reasoning.summary");
    expect(chatty.requests[0]?.json).toMatchObject({
      verbosity: "low",
      user: "u-1",
      reasoning_effort: "low",
    });
  });

  it("is charged like any other, and given again for the same idempotency key", async () => {
    chatty.answer(() => saying({ content: "Yes." }));
    const { key } = await openCustomer(service, 1);
    const options = { key, headers: { "idempotency-key": "one-response" } };
    const first = await raw({ model: "chatty", input: "Hello" }, options);
    const again = await raw({ model: "chatty", input: "Hello" }, options);
    expect(first.json.usage.cost).toBe(0.00003);
    expect(again.json).toEqual(first.json);
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.99997, held: 0 });
  });

  it("is refused with the field that is wrong", async () => {
    const user = { role: "user", content: "Hello" };
    const wrong: [Record<string, unknown>, string][] = [
      [{ model: undefined }, "model"],
      [{ input: undefined }, "input"],
      [{ input: "" }, "input"],
      [{ input: [] }, "input"],
      [{ input: [{ role: "tool", content: "x" }] }, "input[0].role"],
      [{ input: [{ type: "web_search_call" }] }, "input[0].type"],
      [{ input: [{ type: "item_reference", id: "msg-1" }] }, "input[0].type"],
      [
        { input: [{ role: "user", content: [{ type: "output_text", text: "x" }] }] },
        "input[0].content[0].type",
      ],
      [
        { input: [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }] },
        "input[0].content[0].file_id",
      ],
      [{ input: [user, { type: "function_call_output", call_id: "c", output: "x" }] }, "input[1].call_id"],
      [{ input: [user, { type: "function_call", call_id: "c", name: "f" }] }, "input[1].arguments"],
      [{ previous_response_id: "resp-1" }, "previous_response_id"],
      [{ conversation: "conv-1" }, "conversation"],
      [{ background: true }, "background"],
      [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
      [{ tools: [{ type: "function", name: "a b" }] }, "tools[0].name"],
      [{ tools: [WEATHER, WEATHER] }, "tools"],
      [{ tools: [WEATHER], tool_choice: { type: "function", name: "other" } }, "tool_choice.name"],
      [{ tool_choice: "required" }, "tool_choice"],
      [{ text: { format: { type: "xml" } } }, "text.format.type"],
      [{ text: { verbosity: "loud" } }, "text.verbosity"],
      [{ reasoning: { effort: "huge" } }, "reasoning.effort"],
      [{ max_output_tokens: 0 }, "max_output_tokens"],
      [{ temperature: 3 }, "temperature"],
      [{ stream: "yes" }, "stream"],
      [{ metadata: { a: 1 } }, "metadata.a"],
    ];
    for (const [more, param] of wrong) {
      const { status, json } = await raw({ model: "chatty", input: "Hello", ...more });
      expect([status, json.error.param, json.error.type]).toEqual([400, param, "invalid_request_error"]);
    }
    const stored = openai.responses.create({ model: "chatty", input: "Hi", previous_response_id: "resp-1" });
    await expect(stored).rejects.toThrow(BadRequestError);
    expect(chatty.requests).toHaveLength(0);
  });
});

describe("a response as it comes", () => {
  it("is told by typed events in order, numbered from zero", async () => {
    chatty.answer(() => streaming([{ content: "Good " }, { content: "morning!" }]));
    const seen = await eventsOf(
      await openai.responses.create({ model: "chatty", input: "Hi", stream: true }),
    );
    expect(seen.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      ...seen.filter(({ type }) => type === "response.output_text.delta").map(({ type }) => type),
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, index) => index));
    expect(seen.at(-1)).toMatchObject({ response: { usage: { total_tokens: 30 } } });
  });

  it("is put together by the library's own helper", async () => {
    chatty.answer(() =>
      streaming([{ reasoning_content: "Hm." }, { content: "Good " }, { content: "morning!" }]),
    );
    const stream = openai.responses.stream({ model: "chatty", input: "Hi" });
    let heard = "";
    stream.on("response.output_text.delta", ({ delta }) => {
      heard += delta;
    });
    const final = await stream.finalResponse();
    expect([heard, final.output_text]).toEqual(["Good morning!", "Good morning!"]);
    expect(final.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm." }] },
      { type: "message", status: "completed" },
    ]);
  });

  it("has whole calls with their arguments", async () => {
    chatty.answer(() =>
      streaming([{ content: "Let me see." }, { tool_calls: [{ index: 0, ...CALL }] }], "tool_calls"),
    );
    const stream = openai.responses.stream({ model: "chatty", input: "Weather?", tools: [WEATHER] });
    const seen = await eventsOf(stream);
    expect(seen.map(({ type }) => type).slice(-6)).toEqual([
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: "message" },
      { type: "function_call", arguments: '{"city":"Oslo"}', status: "completed" },
    ]);
  });

  it("comes of a model that only knows our contract", async () => {
    plain.answer(() => ({ body: ['{"delta":"Good "}\n', '{"delta":"morning!"}\n', '{"done":true}\n'] }));
    const stream = openai.responses.stream({ model: "plain", input: "Hi" });
    expect((await stream.finalResponse()).output_text).toBe("Good morning!");
  });

  it("ends with the error where it breaks off", async () => {
    chatty.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events({ choices: [{ index: 0, delta: { content: "Good morning to everyone. " } }] }),
    }));
    const seen: ResponseStreamEvent[] = [];
    const broken = (async () => {
      const stream = await openai.responses.create({ model: "chatty", input: "Hi", stream: true });
      for await (const event of stream) seen.push(event);
    })();
    await expect(broken).rejects.toThrow(APIError);
    expect(seen.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "provider_error" } },
    });
  });

  it("keeps its status where it is refused before it begins", async () => {
    chatty.answer(() => ({ status: 400, body: '{"error":{"message":"no"}}' }));
    await expect(
      openai.responses.create({ model: "chatty", input: "Hi", stream: true }),
    ).rejects.toMatchObject({
      status: 502,
    });
  });
});

describe("the AI SDK, whose usual model asks for responses", () => {
  const weather = tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 3 degrees`,
  });

  it("generates text", async () => {
    chatty.answer(() => saying({ content: "Good morning!", reasoning_content: "Be polite." }));
    const { text, reasoningText, usage } = await generateText({
      model: aiSdk("chatty"),
      system: "Be kind.",
      prompt: "Hello",
    });
    expect([text, reasoningText]).toEqual(["Good morning!", "Be polite."]);
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it("streams text", async () => {
    chatty.answer(() => streaming([{ content: "Good " }, { content: "morning!" }]));
    const { textStream, finishReason } = streamText({ model: aiSdk("chatty"), prompt: "Hello" });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect([text, await finishReason]).toEqual(["Good morning!", "stop"]);
  });

  it("calls tools and goes on with what they bring back", async () => {
    chatty.answer(({ json }) =>
      json.messages.some(({ role }: { role: string }) => role === "tool")
        ? saying({ content: "It is cold in Oslo." })
        : saying({ content: null, tool_calls: [CALL] }, "tool_calls"),
    );
    const { text, steps } = await generateText({
      model: aiSdk("chatty"),
      prompt: "Weather in Oslo?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect([text, steps.length]).toEqual(["It is cold in Oslo.", 2]);
    expect(chatty.requests[1]?.json.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "Oslo: 3 degrees",
    });
  });

  it("does the same in a stream, with words before the call, where nothing is to be stored", async () => {
    chatty.answer(({ json }) =>
      json.messages.some(({ role }: { role: string }) => role === "tool")
        ? streaming([{ content: "It is cold in Oslo." }])
        : streaming([{ content: "Let me see." }, { tool_calls: [{ index: 0, ...CALL }] }], "tool_calls"),
    );
    const result = streamText({
      model: aiSdk("chatty"),
      prompt: "Weather in Oslo?",
      tools: { weather },
      stopWhen: stepCountIs(3),
      providerOptions: { openai: { store: false } },
    });
    expect(await result.text).toBe("It is cold in Oslo.");
    expect(chatty.requests[1]?.json.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Let me see.", tool_calls: [CALL] },
      { role: "tool" },
    ]);
  });

  it("generates an object", async () => {
    chatty.answer(() => saying({ content: '{"city":"Oslo"}' }));
    const { object } = await generateObject({
      model: aiSdk("chatty"),
      prompt: "A city",
      schema: z.object({ city: z.string() }),
    });
    expect(object).toEqual({ city: "Oslo" });
  });

  it("tells of an error in the middle of a stream", async () => {
    chatty.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events({ choices: [{ index: 0, delta: { content: "Good morning to everyone. " } }] }),
    }));
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model: aiSdk("chatty"),
      prompt: "Hello",
      onError: ({ error }) => void errors.push(error),
    });
    for await (const _ of textStream);
    expect(errors.length).toBeGreaterThan(0);
  });
});
