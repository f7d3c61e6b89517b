import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const SIGNATURE = "c2lnbmF0dXJlLW9mLWEtY2FsbA==";

let service: StartedService;
let upstream: Upstream;
let anthropic: Anthropic;
let openai: OpenAI;

/** Gemini, which calls a tool with a signature, and then answers. */
function answerTo({ path, json }: UpstreamRequest) {
  const isSecond = JSON.stringify(json.contents).includes("functionResponse");
  const parts = isSecond
    ? [{ text: "Rain.", thoughtSignature: "dGV4dA==" }]
    : [{ functionCall: { name: "weather", args: { place: "Bergen" } }, thoughtSignature: SIGNATURE }];
  const chunk = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  return path.includes("stream")
    ? { headers: { "content-type": "text/event-stream" }, body: `data: ${JSON.stringify(chunk)}\r\n\r\n` }
    : { body: JSON.stringify(chunk) };
}

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream(answerTo)]);
  await registerUpstream(service, { wire: "gemini", name: "gem", endpoint: upstream.url });
  anthropic = new Anthropic({ baseURL: service.url, apiKey: OPERATOR_KEY, maxRetries: 0 });
  openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

/** The call as Gemini got it back. */
function returnedCall() {
  const contents: { parts: { functionCall?: object; thoughtSignature?: string }[] }[] =
    upstream.requests.at(-1)?.json.contents;
  expect(JSON.stringify(contents)).not.toContain('"thoughtSignature":""');
  return contents.flatMap(({ parts }) => parts).find(({ functionCall }) => functionCall !== undefined);
}

const schema = { type: "object" as const, properties: { place: { type: "string" } } };
const question = { role: "user" as const, content: "What is the weather in Bergen?" };

describe("Gemini gets the signature of its call back from clients of", () => {
  it.each([false, true])("Anthropic's format; streamed: %s", async (streamed) => {
    const request = { model: "gem", max_tokens: 100, tools: [{ name: "weather", input_schema: schema }] };
    const first = { ...request, messages: [question] };
    const message = streamed
      ? await anthropic.messages.stream(first).finalMessage()
      : await anthropic.messages.create(first);
    const call = message.content.find((block) => block.type === "tool_use");
    expect(call).toMatchObject({ name: "weather", input: { place: "Bergen" } });
    expect(message.content.at(-1)).toBe(call);
    const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "rain" };
    const messages = [question, { role: "assistant" as const, content: message.content }];
    const last = await anthropic.messages.create({
      ...request,
      messages: [...messages, { role: "user", content: [result] }],
    });
    expect(returnedCall()).toMatchObject({ functionCall: { name: "weather" }, thoughtSignature: SIGNATURE });
    expect(last.content).toEqual([expect.objectContaining({ type: "text", text: "Rain." })]);
  });

  it("OpenAI's chats", async () => {
    const request = {
      model: "gem",
      tools: [{ type: "function" as const, function: { name: "weather", parameters: schema } }],
    };
    const first = await openai.chat.completions.create({ ...request, messages: [question] });
    const message = first.choices[0]?.message;
    if (message === undefined) throw new Error("no message");
    const tool = { role: "tool" as const, tool_call_id: message.tool_calls?.[0]?.id ?? "", content: "rain" };
    await openai.chat.completions.create({ ...request, messages: [question, message, tool] });
    expect(returnedCall()).toMatchObject({ thoughtSignature: SIGNATURE });
  });

  it("OpenAI's responses, by all items and by the response's id", async () => {
    const request = {
      model: "gem",
      tools: [{ type: "function" as const, name: "weather", parameters: schema, strict: false }],
    };
    const first = await openai.responses.create({ ...request, input: [question] });
    const call = first.output.find((item) => item.type === "function_call");
    const result = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "rain" };
    await openai.responses.create({
      ...request,
      input: [question, ...(first.output as OpenAI.Responses.ResponseInput), result],
    });
    expect(returnedCall()).toMatchObject({ thoughtSignature: SIGNATURE });
    await openai.responses.create({ ...request, previous_response_id: first.id, input: [result] });
    expect(returnedCall()).toMatchObject({ thoughtSignature: SIGNATURE });
  });

  it("Google's own format", async () => {
    const path = "/v1beta/models/gem:generateContent";
    const request = { tools: [{ functionDeclarations: [{ name: "weather", parameters: schema }] }] };
    const asked = { role: "user", parts: [{ text: question.content }] };
    const first = await service.call("POST", path, { ...request, contents: [asked] });
    const said = first.json.candidates[0].content;
    const result = { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "rain" } } }] };
    await service.call("POST", path, { ...request, contents: [asked, said, result] });
    expect(returnedCall()).toMatchObject({ thoughtSignature: SIGNATURE });
  });
});
