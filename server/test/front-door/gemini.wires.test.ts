import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { GoogleGenAI } from "@google/genai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerMessage } from "../support/anthropic-upstream.ts";
import { answerChat } from "../support/openai-chat-upstream.ts";
import { registerUpstream, startUpstream, type Upstream, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let client: GoogleGenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  await registerUpstream(service, { wire: "gemini", name: "gemini-home", endpoint: upstream.url });
  await registerUpstream(service, { wire: "openai", name: "openai-home", endpoint: `${upstream.url}/v1` });
  await registerUpstream(service, { wire: "anthropic", name: "anthropic-home", endpoint: upstream.url });
  client = new GoogleGenAI({ apiKey: OPERATOR_KEY, httpOptions: { baseUrl: `${service.url}/gemini` } });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const SCHEMA = { type: "object", properties: { place: { type: "string" } }, required: ["place"] } as const;
const WEATHER = {
  name: "weather",
  description: "The weather at a place",
  parametersJsonSchema: SCHEMA,
} as const;

/** A provider of Google's wire that answers with these parts, whole or streamed, as it is asked. */
const answerParts =
  (...parts: readonly object[]) =>
  ({ path }: UpstreamRequest) => {
    const response = {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
    };
    return path.includes(":stream")
      ? {
          headers: { "content-type": "text/event-stream" },
          body: `data: ${JSON.stringify(response)}\r\n\r\n`,
        }
      : { body: JSON.stringify(response) };
  };

describe("a provider of the same wire", () => {
  it("has its thoughts and signatures passed on and back", async () => {
    const parts = [
      { text: "Let me see.", thought: true },
      { functionCall: { id: "f1", name: "weather", args: { place: "Bergen" } }, thoughtSignature: "c2ln" },
    ];
    upstream.answer(answerParts(...parts));
    const asked = {
      model: "gemini-home",
      config: { tools: [{ functionDeclarations: [WEATHER] }], thinkingConfig: { includeThoughts: true } },
    };
    const question = { role: "user", parts: [{ text: "Weather?" }] };
    const first = await client.models.generateContent({ ...asked, contents: [question] });
    const content = first.candidates?.[0]?.content;
    expect(content?.parts).toEqual(parts);
    expect(first.functionCalls).toEqual([{ id: "f1", name: "weather", args: { place: "Bergen" } }]);
    upstream.answer(answerParts({ text: "It rains." }));
    const response = { id: "f1", name: "weather", response: { output: "Rain" } };
    await client.models.generateContent({
      ...asked,
      contents: [question, content ?? {}, { role: "user", parts: [{ functionResponse: response }] }],
    });
    const { contents } = upstream.requests.at(-1)?.json ?? {};
    expect(contents[1].parts).toEqual(parts);
    expect(contents[2].parts).toEqual([{ functionResponse: response }]);
  });

  it("is shown what is attached", async () => {
    upstream.answer(answerParts({ text: "A cat." }));
    const image = { inlineData: { mimeType: "image/png", data: "aGVsbG8=" } };
    const { text } = await client.models.generateContent({
      model: "gemini-home",
      contents: [{ role: "user", parts: [{ text: "What is it?" }, image] }],
    });
    expect(text).toBe("A cat.");
    expect(upstream.requests.at(-1)?.json.contents[0].parts).toEqual([{ text: "What is it?" }, image]);
  });
});

const call = { id: "call_1", name: "weather", arguments: '{"place":"Bergen"}' };

describe.each([
  [
    "gemini-home",
    {
      call: answerParts({ functionCall: { name: "weather", args: { place: "Bergen" } } }),
      text: answerParts({ text: "It rains." }),
    },
  ],
  ["openai-home", { call: answerChat({ calls: [call] }), text: answerChat({ text: "It rains." }) }],
  [
    "anthropic-home",
    {
      call: answerMessage(
        [{ type: "tool_use", id: "toolu_1", name: "weather", input: { place: "Bergen" } }],
        "tool_use",
      ),
      text: answerMessage([{ type: "text", text: "It rains." }]),
    },
  ],
])("%s", (model, { call, text }) => {
  it("calls functions for Google's library, streamed and not", async () => {
    upstream.answer(call);
    const asked = {
      model,
      contents: "Weather in Bergen?",
      config: { tools: [{ functionDeclarations: [WEATHER] }] },
    };
    const whole = await client.models.generateContent(asked);
    const streamed = [];
    for await (const chunk of await client.models.generateContentStream(asked))
      streamed.push(...(chunk.functionCalls ?? []));
    const expected = [{ name: "weather", args: { place: "Bergen" } }];
    expect(whole.functionCalls).toMatchObject(expected);
    expect(streamed).toMatchObject(expected);
  });

  it("serves the Vercel AI SDK, with tools", async () => {
    const google = createGoogleGenerativeAI({
      apiKey: OPERATOR_KEY,
      baseURL: `${service.url}/gemini/v1beta`,
    });
    const weather = tool({
      description: WEATHER.description,
      inputSchema: jsonSchema<{ place: string }>(SCHEMA),
      execute: async ({ place }) => `Rain in ${place}`,
    });
    const asked = {
      model: google(model),
      prompt: "Weather in Bergen?",
      maxOutputTokens: 200,
      tools: { weather },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    };
    upstream.answer((request) => (upstream.requests.length === 1 ? call(request) : text(request)));
    expect((await generateText(asked)).text).toBe("It rains.");
    expect(JSON.stringify(upstream.requests[1]?.json)).toContain("Rain in Bergen");
    upstream.requests.length = 0;
    expect(await streamText(asked).text).toBe("It rains.");
  });
});
