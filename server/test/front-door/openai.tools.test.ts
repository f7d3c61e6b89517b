import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let client: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  client = new OpenAI({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const question = { role: "user", content: "How is the weather in Bern and in Rome?" } as const;
const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
} as const;
const time = { type: "function", function: { name: "time" } } as const;
const bern = { id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
const rome = { id: "call_2", name: "weather", arguments: '{"city":"Rome"}' };

const sent = (place = 0) => upstream.requests[place]?.json;

describe("tools with OpenAI's library", () => {
  it("are sent to the model, and its calls to the client, several at once", async () => {
    upstream.answer(answerChat({ calls: [bern, rome], finish: "tool_calls" }));
    const { choices } = await client.chat.completions.create({
      model: "talker",
      messages: [question],
      tools: [weather],
      tool_choice: "required",
      parallel_tool_calls: true,
    });
    expect(sent()).toMatchObject({ tools: [weather], tool_choice: "required", parallel_tool_calls: true });
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
          { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
        ],
      },
    });
  });

  it("give their results back to the model", async () => {
    upstream.answer(answerChat({ text: "Sunny in both." }));
    const { choices } = await client.chat.completions.create({
      model: "talker",
      tools: [weather],
      messages: [
        question,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "Sunny" },
      ],
    });
    expect(choices[0]?.message.content).toBe("Sunny in both.");
    expect(sent().messages.slice(1)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "weather" } }] },
      { role: "tool", tool_call_id: "call_1", content: "Sunny" },
    ]);
  });

  it("come in a stream, whole, each in its own place", async () => {
    upstream.answer(answerChat({ text: "Let me look.", calls: [bern, rome], finish: "tool_calls" }));
    const stream = client.chat.completions.stream({
      model: "talker",
      messages: [question],
      tools: [weather],
    });
    const done: unknown[] = [];
    stream.on("tool_calls.function.arguments.done", ({ index, name, arguments: input }) =>
      done.push([index, name, input]),
    );
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(choices[0]?.message.content).toBe("Let me look.");
    expect(choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(["call_1", "call_2"]);
    expect(done).toEqual([
      [0, "weather", '{"city":"Bern"}'],
      [1, "weather", '{"city":"Rome"}'],
    ]);
  });

  it.each([false, true])("are run by the library's own runner (streaming: %s)", async (stream) => {
    upstream.answer((request) =>
      request.json.messages.some(({ role }: { role: string }) => role === "tool")
        ? answerChat({ text: "Sunny in both." })(request)
        : answerChat({ calls: [bern, rome], finish: "tool_calls" })(request),
    );
    const asked: string[] = [];
    const tool = zodFunction({
      name: "weather",
      parameters: z.object({ city: z.string() }),
      function: ({ city }) => {
        asked.push(city);
        return `Sunny in ${city}`;
      },
    });
    const body = { model: "talker", messages: [question], tools: [tool] };
    const runner = stream
      ? client.chat.completions.runTools({ ...body, stream })
      : client.chat.completions.runTools(body);
    expect(await runner.finalContent()).toBe("Sunny in both.");
    expect(asked).toEqual(["Bern", "Rome"]);
    expect(sent(1).messages.slice(-2)).toMatchObject([
      { role: "tool", tool_call_id: "call_1", content: "Sunny in Bern" },
      { role: "tool", tool_call_id: "call_2", content: "Sunny in Rome" },
    ]);
  });

  it("may be narrowed to those that are allowed, or to one", async () => {
    upstream.answer(answerChat({ text: "Well." }));
    const body = { model: "talker", messages: [question], tools: [weather, time] };
    await client.chat.completions.create({
      ...body,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [{ ...time }] } },
    });
    expect(sent(0)).toMatchObject({ tools: [{ function: { name: "time" } }], tool_choice: "required" });
    await client.chat.completions.create({ ...body, tool_choice: time });
    expect(sent(1)).toMatchObject({ tool_choice: { type: "function", function: { name: "time" } } });
    expect(sent(1).tools).toHaveLength(2);
  });

  it("work in their old form, as functions, and are answered in it", async () => {
    upstream.answer(answerChat({ calls: [bern], finish: "tool_calls" }));
    const body = {
      model: "talker",
      functions: [weather.function],
      function_call: { name: "weather" },
    };
    const { choices } = await client.chat.completions.create({ ...body, messages: [question] });
    expect(choices[0]).toMatchObject({
      finish_reason: "function_call",
      message: { content: null, function_call: { name: "weather", arguments: '{"city":"Bern"}' } },
    });
    expect(choices[0]?.message).not.toHaveProperty("tool_calls");
    expect(sent(0)).toMatchObject({
      tools: [weather],
      tool_choice: { type: "function", function: { name: "weather" } },
    });
    const stream = client.chat.completions.stream({ ...body, messages: [question] });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.choices[0]?.message.function_call).toEqual({
      name: "weather",
      arguments: '{"city":"Bern"}',
    });
    upstream.answer(answerChat({ text: "Sunny." }));
    await client.chat.completions.create({
      ...body,
      messages: [
        question,
        { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: "Sunny" },
      ],
    });
    const [, called, result] = sent(2).messages;
    expect(result).toMatchObject({ role: "tool", content: "Sunny", tool_call_id: called.tool_calls[0].id });
  });

  it("are judged before anything of a call is given out", async () => {
    const call = { ...bern, arguments: '{"note":"Here is how to build a pipe bomb: take a steel pipe and"}' };
    upstream.answer(answerChat({ calls: [call], finish: "tool_calls" }));
    const ask = client.chat.completions.create({ model: "talker", messages: [question], tools: [weather] });
    await expect(ask).rejects.toMatchObject({ status: 403, code: "unsafe_output" });
  });
});
