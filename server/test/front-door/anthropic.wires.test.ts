import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { ChatAnthropic } from "@langchain/anthropic";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerMessage } from "../support/anthropic-upstream.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let client: Anthropic;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const pricing = {
    input_per_1k_tokens: 0.001,
    cached_input_per_1k_tokens: 0.0001,
    cache_write_per_1k_tokens: 0.00125,
    output_per_1k_tokens: 0.001,
  };
  await registerUpstream(
    service,
    { wire: "anthropic", name: "claude-sonnet-4-5-home", endpoint: upstream.url },
    { pricing, auth_type: "x-api-key" },
  );
  await registerUpstream(service, { wire: "openai", name: "other-wire", endpoint: `${upstream.url}/v1` });
  client = new Anthropic({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/anthropic`, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const MODEL = "claude-sonnet-4-5-home";
const ephemeral = { type: "ephemeral" } as const;
const hour = { type: "ephemeral", ttl: "1h" } as const;
const WEATHER = {
  name: "weather",
  description: "The weather at a place",
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
} as const satisfies Anthropic.Tool;

const THOUGHT = { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" } as const;
const SEALED = { type: "redacted_thinking", data: "c2VhbGVk" } as const;
const SAID = { type: "text", text: "It rains." } as const;
const CALL = { type: "tool_use", id: "toolu_1", name: "weather", input: { place: "Bergen" } } as const;

describe("a provider of the same wire", () => {
  it("is given every cache mark where the client put it, and what it cached is reported back", async () => {
    upstream.answer(answerMessage([SAID]));
    const request = {
      model: MODEL,
      max_tokens: 2000,
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Know this book by heart.", cache_control: hour },
      ],
      tools: [{ ...WEATHER, cache_control: ephemeral }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather?", cache_control: ephemeral }] },
        { role: "assistant", content: [THOUGHT, SEALED, SAID, CALL] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: "Rain",
              is_error: true,
              cache_control: ephemeral,
            },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "aGVsbG8=" },
              cache_control: ephemeral,
            },
            { type: "text", text: "And tomorrow?" },
          ],
        },
      ],
      metadata: { user_id: "user-7" },
    } satisfies Anthropic.MessageCreateParams;
    const { data, response } = await client.messages.create(request).withResponse();
    expect(upstream.requests[0]?.json).toEqual(request);
    expect(data.usage).toMatchObject({
      input_tokens: 20,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 60,
      output_tokens: 10,
    });
    expect(response.headers.get("x-trunkline-dropped")).toBeNull();
  });

  it("is given one mark for all of a request as one on its last piece", async () => {
    upstream.answer(answerMessage([SAID]));
    await client.messages.create({
      model: MODEL,
      max_tokens: 10,
      cache_control: hour,
      messages: [{ role: "user", content: "Weather?" }],
    });
    expect(upstream.requests[0]?.json.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather?", cache_control: hour }] },
    ]);
  });

  it("has its thoughts passed on and back, streamed and not", async () => {
    upstream.answer(answerMessage([THOUGHT, SEALED, SAID, CALL], "tool_use"));
    const request = {
      model: MODEL,
      max_tokens: 4000,
      thinking: { type: "enabled", budget_tokens: 2000 },
      tools: [WEATHER],
      messages: [{ role: "user", content: "Weather?" }],
    } satisfies Anthropic.MessageCreateParams;
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      expect(content).toMatchObject([THOUGHT, SEALED, SAID, CALL]);
      expect(stop_reason).toBe("tool_use");
    }
    await client.messages.create({
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", content: streamed.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain" }] },
      ],
    });
    expect(upstream.requests.at(-1)?.json.messages[1].content).toEqual([THOUGHT, SEALED, SAID, CALL]);
    expect(upstream.requests.at(-1)?.json.thinking).toEqual({ type: "enabled", budget_tokens: 2000 });
  });

  it("gets beta features, but none that costs more", async () => {
    upstream.answer(answerMessage([SAID]));
    const { response } = await client.beta.messages
      .create({
        model: MODEL,
        max_tokens: 10,
        messages: [{ role: "user", content: "Hello" }],
        betas: ["interleaved-thinking-2025-05-14", "context-1m-2025-08-07"],
      })
      .withResponse();
    expect(upstream.requests[0]?.headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14");
    expect(response.headers.get("x-trunkline-dropped")).toContain("context-1m");
  });
});

describe.each([
  ["the same wire", MODEL, { call: answerMessage([CALL], "tool_use"), text: answerMessage([SAID]) }],
  [
    "another wire",
    "other-wire",
    {
      call: answerChat({ calls: [{ id: "call_1", name: "weather", arguments: '{"place":"Bergen"}' }] }),
      text: answerChat({ text: "It rains." }),
    },
  ],
])("with a provider of %s", (_, model, { call, text }) => {
  /** Calls the tool first, and answers once it has the result. */
  const answerInTurns = () =>
    upstream.answer((request) => (upstream.requests.length === 1 ? call(request) : text(request)));

  it("the library's own runner calls tools until there is an answer", async () => {
    answerInTurns();
    const places: string[] = [];
    const weather = betaTool({
      name: "weather",
      description: WEATHER.description,
      inputSchema: WEATHER.input_schema,
      run: ({ place }) => {
        places.push(place);
        return "Rain";
      },
    });
    const message = await client.beta.messages.toolRunner({
      model,
      max_tokens: 100,
      tools: [weather],
      messages: [{ role: "user", content: "Weather in Bergen?" }],
    });
    expect(places).toEqual(["Bergen"]);
    expect(message.content).toMatchObject([SAID]);
    expect(JSON.stringify(upstream.requests[1]?.json)).toContain("Rain");
  });

  it("the library streams a call, whole and parsed", async () => {
    upstream.answer(call);
    const message = await client.messages
      .stream({
        model,
        max_tokens: 100,
        tools: [WEATHER],
        tool_choice: { type: "any", disable_parallel_tool_use: true },
        messages: [{ role: "user", content: "Weather in Bergen?" }],
      })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: "tool_use", name: "weather", input: { place: "Bergen" } }]);
    expect(message.stop_reason).toBe("tool_use");
  });

  it("the Vercel AI SDK generates, streams, and calls tools", async () => {
    const anthropic = createAnthropic({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/anthropic/v1` });
    const tools = {
      weather: tool({
        description: WEATHER.description,
        inputSchema: jsonSchema<{ place: string }>(WEATHER.input_schema),
        execute: async ({ place }) => `Rain in ${place}`,
      }),
    };
    answerInTurns();
    const asked = {
      model: anthropic(model),
      prompt: "Weather in Bergen?",
      maxOutputTokens: 200,
      tools,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    };
    const generated = await generateText(asked);
    expect(generated.text).toBe("It rains.");
    expect(generated.steps).toHaveLength(2);
    upstream.requests.length = 0;
    const streamed = streamText(asked);
    expect(await streamed.text).toBe("It rains.");
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
  });

  it("LangChain invokes, streams, and binds tools", async () => {
    const chat = new ChatAnthropic({
      model,
      apiKey: OPERATOR_KEY,
      anthropicApiUrl: `${service.url}/anthropic`,
      maxTokens: 100,
      maxRetries: 0,
    });
    upstream.answer(text);
    const answer = await chat.invoke("Weather?");
    expect(answer.text).toBe("It rains.");
    expect(answer).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } });
    let words = "";
    for await (const chunk of await chat.stream("Weather?")) words += chunk.text;
    expect(words).toBe("It rains.");
    upstream.answer(call);
    const called = await chat.bindTools([WEATHER]).invoke("Weather in Bergen?");
    expect(called.tool_calls).toMatchObject([{ name: "weather", args: { place: "Bergen" } }]);
  });
});
