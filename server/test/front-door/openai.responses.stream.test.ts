import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { APIError } from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerChat } from "../support/openai-chat-upstream.ts";
import {
  CALL,
  CHAT_CALL,
  callFirst,
  openResponsesClients,
  type ResponsesClients,
  WEATHER,
} from "../support/responses-clients.ts";
import { events } from "../support/scripted-upstream.ts";

let clients: ResponsesClients;

beforeAll(async () => {
  clients = await openResponsesClients();
});

beforeEach(() => {
  clients.chatty.requests.length = 0;
  clients.plain.requests.length = 0;
});

afterAll(() => clients.close());

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const seen: ResponseStreamEvent[] = [];
  for await (const event of stream) seen.push(event);
  return seen;
}

describe("a response as it comes", () => {
  it("comes as typed events in order, numbered from zero", async () => {
    clients.chatty.answer(answerChat({ text: ["Good ", "morning!"] }));
    const seen = await eventsOf(await clients.openai.responses.create({ model: "chatty", input: "Hi", stream: true }));
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
    clients.chatty.answer(answerChat({ thoughts: "Hm.", text: ["Good ", "morning!"] }));
    const stream = clients.openai.responses.stream({ model: "chatty", input: "Hi" });
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
    clients.chatty.answer(answerChat({ text: "Let me see.", calls: [CALL], finish: "tool_calls" }));
    const stream = clients.openai.responses.stream({ model: "chatty", input: "Weather?", tools: [WEATHER] });
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
    clients.plain.answer(() => ({ body: ['{"delta":"Good "}\n', '{"delta":"morning!"}\n', '{"done":true}\n'] }));
    const stream = clients.openai.responses.stream({ model: "plain", input: "Hi" });
    expect((await stream.finalResponse()).output_text).toBe("Good morning!");
  });

  it("ends with the error where it breaks off", async () => {
    clients.chatty.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events({ choices: [{ index: 0, delta: { content: "Good morning to everyone. " } }] }),
    }));
    const seen: ResponseStreamEvent[] = [];
    const broken = (async () => {
      const stream = await clients.openai.responses.create({ model: "chatty", input: "Hi", stream: true });
      for await (const event of stream) seen.push(event);
    })();
    await expect(broken).rejects.toThrow(APIError);
    expect(seen.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "provider_error" } },
    });
  });

  it("keeps its status where it is refused before it begins", async () => {
    clients.chatty.answer(() => ({ status: 400, body: '{"error":{"message":"no"}}' }));
    await expect(clients.openai.responses.create({ model: "chatty", input: "Hi", stream: true })).rejects.toMatchObject(
      {
        status: 400,
      },
    );
  });
});

describe("the AI SDK, whose usual model asks for responses", () => {
  const weather = tool({
    description: "The weather in a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `${city}: 3 degrees`,
  });

  it("generates text", async () => {
    clients.chatty.answer(answerChat({ text: "Good morning!", thoughts: "Be polite." }));
    const { text, reasoningText, usage } = await generateText({
      model: clients.aiSdk("chatty"),
      system: "Be kind.",
      prompt: "Hello",
    });
    expect([text, reasoningText]).toEqual(["Good morning!", "Be polite."]);
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 20 });
  });

  it("streams text", async () => {
    clients.chatty.answer(answerChat({ text: ["Good ", "morning!"] }));
    const { textStream, finishReason } = streamText({ model: clients.aiSdk("chatty"), prompt: "Hello" });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect([text, await finishReason]).toEqual(["Good morning!", "stop"]);
  });

  it("calls tools and goes on with what they bring back", async () => {
    clients.chatty.answer(callFirst({}, { text: "It is cold in Oslo." }));
    const { text, steps } = await generateText({
      model: clients.aiSdk("chatty"),
      prompt: "Weather in Oslo?",
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    expect([text, steps.length]).toEqual(["It is cold in Oslo.", 2]);
    expect(clients.chatty.requests[1]?.json.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "Oslo: 3 degrees",
    });
  });

  it("does the same in a stream, with words before the call, where nothing is to be stored", async () => {
    clients.chatty.answer(callFirst({ text: "Let me see." }, { text: "It is cold in Oslo." }));
    const result = streamText({
      model: clients.aiSdk("chatty"),
      prompt: "Weather in Oslo?",
      tools: { weather },
      stopWhen: stepCountIs(3),
      providerOptions: { openai: { store: false } },
    });
    expect(await result.text).toBe("It is cold in Oslo.");
    expect(clients.chatty.requests[1]?.json.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Let me see.", tool_calls: [CHAT_CALL] },
      { role: "tool" },
    ]);
  });

  it("generates an object", async () => {
    clients.chatty.answer(answerChat({ text: '{"city":"Oslo"}' }));
    const { object } = await generateObject({
      model: clients.aiSdk("chatty"),
      prompt: "A city",
      schema: z.object({ city: z.string() }),
    });
    expect(object).toEqual({ city: "Oslo" });
  });

  it("tells of an error in the middle of a stream", async () => {
    clients.chatty.answer(() => ({
      headers: { "content-type": "text/event-stream" },
      body: events({ choices: [{ index: 0, delta: { content: "Good morning to everyone. " } }] }),
    }));
    const errors: unknown[] = [];
    const { textStream } = streamText({
      model: clients.aiSdk("chatty"),
      prompt: "Hello",
      onError: ({ error }) => void errors.push(error),
    });
    for await (const _ of textStream);
    expect(errors.length).toBeGreaterThan(0);
  });
});
