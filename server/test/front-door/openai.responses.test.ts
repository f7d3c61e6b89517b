import { BadRequestError } from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type { ResponseInput } from "openai/resources/responses/responses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { CALL, CHAT_CALL, openResponsesClients, type ResponsesClients, WEATHER } from "../support/responses-clients.ts";

let clients: ResponsesClients;

beforeAll(async () => {
  clients = await openResponsesClients();
});

beforeEach(() => {
  clients.chatty.requests.length = 0;
  clients.plain.requests.length = 0;
});

afterAll(() => clients.close());

const raw = (body: unknown, options = {}) => clients.service.call("POST", "/openai/v1/responses", body, options);

describe("a response", () => {
  it("is what the model says, with what it took and what was asked for", async () => {
    clients.chatty.answer(answerChat({ text: "Good morning!" }));
    const response = await clients.openai.responses.create({
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
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 30,
      },
    });
    expect(clients.chatty.requests[0]?.json).toMatchObject({
      model: "chatty",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello" },
      ],
      temperature: 0.5,
    });
  });

  it("is incomplete where the model was cut off", async () => {
    clients.chatty.answer(answerChat({ text: "Once upon", finish: "length" }));
    const response = await clients.openai.responses.create({ model: "chatty", input: "A story" });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  it("keeps a whole conversation: images, files, calls, their results and thoughts", async () => {
    clients.chatty.answer(answerChat({ text: "It is 3 degrees." }));
    const picture = "data:image/png;base64,iVBORw0KGgo=";
    await clients.openai.responses.create({
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
    const [user, assistant, ...results] = clients.chatty.requests[0]?.json.messages ?? [];
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
    expect(clients.chatty.requests[0]?.json.tools).toMatchObject([{ type: "function", function: { name: "weather" } }]);
  });

  it("has thoughts and calls as items of their own, which can be handed back as they are", async () => {
    clients.chatty.answer(answerChat({ thoughts: "Oslo it is.", calls: [CALL], finish: "tool_calls" }));
    const first = await clients.openai.responses.create({
      model: "chatty",
      input: "Weather?",
      tools: [WEATHER],
    });
    expect(first.output).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "Oslo it is." }] },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
    ]);
    expect(first.status).toBe("completed");
    clients.chatty.answer(answerChat({ text: "Cold." }));
    const second = await clients.openai.responses.create({
      model: "chatty",
      tools: [WEATHER],
      input: [
        { role: "user", content: "Weather?" },
        ...first.output,
        { type: "function_call_output", call_id: "call_1", output: "3 degrees" },
      ] as ResponseInput,
    });
    expect(second.output_text).toBe("Cold.");
    expect(clients.chatty.requests[1]?.json.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [CHAT_CALL] },
      { role: "tool", tool_call_id: "call_1" },
    ]);
  });

  it("follows a schema, and is parsed by the library", async () => {
    const City = z.object({ city: z.string(), degrees: z.number() });
    clients.chatty.answer(answerChat({ text: '{"city":"Oslo","degrees":3}' }));
    const response = await clients.openai.responses.parse({
      model: "chatty",
      input: "Weather in Oslo",
      text: { format: zodTextFormat(City, "city") },
    });
    expect(response.output_parsed).toEqual({ city: "Oslo", degrees: 3 });
    expect(clients.chatty.requests[0]?.json.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "city", strict: true },
    });
  });

  it("is given by a model that only knows our contract, tools and all", async () => {
    clients.plain.answer(() => ({
      body: JSON.stringify({
        output: { tool_calls: [{ id: "t1", name: "weather", arguments: { city: "Oslo" } }] },
        usage: { input_tokens: 30, output_tokens: 5 },
      }),
    }));
    const response = await clients.openai.responses.create({
      model: "plain",
      input: "Weather?",
      tools: [WEATHER],
    });
    expect(response.output).toMatchObject([{ type: "function_call", name: "weather" }]);
    expect(
      JSON.parse(clients.plain.requests[0]?.json ? JSON.stringify(clients.plain.requests[0].json.input) : ""),
    ).toContain("weather");
  });

  it("tells which fields nothing was made of, and passes on what only this wire knows", async () => {
    clients.chatty.answer(answerChat({ text: "Yes." }));
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
    expect(headers.get("x-trunkline-dropped")).toBe("truncation, wings, include, reasoning.summary");
    expect(clients.chatty.requests[0]?.json).toMatchObject({
      verbosity: "low",
      user: "u-1",
      reasoning_effort: "low",
    });
  });

  it("is charged like any other, and given again for the same idempotency key", async () => {
    clients.chatty.answer(answerChat({ text: "Yes." }));
    const { key } = await openCustomer(clients.service, 1);
    const options = { key, headers: { "idempotency-key": "one-response" } };
    const first = await raw({ model: "chatty", input: "Hello" }, options);
    const again = await raw({ model: "chatty", input: "Hello" }, options);
    expect(first.json.usage.cost).toBe(0.00003);
    expect(again.json).toEqual(first.json);
    expect(await balanceOf(clients.service, key)).toMatchObject({ balance: 0.99997, held: 0 });
  });

  it("is refused in OpenAI's form, before anybody is called", async () => {
    const stored = clients.openai.responses.create({
      model: "chatty",
      input: "Hi",
      previous_response_id: "resp-1",
    });
    await expect(stored).rejects.toThrow(BadRequestError);
    await expect(stored).rejects.toMatchObject({ param: "previous_response_id" });
    expect(clients.chatty.requests).toHaveLength(0);
  });
});
