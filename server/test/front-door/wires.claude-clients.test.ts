import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const fixture = (path: string) =>
  readFileSync(new URL(`../../../packages/providers/src/formats/${path}`, import.meta.url));
const MESSAGE_EVENTS = fixture("anthropic/fixtures/stream.sse");
const CONVERSE_EVENTS = fixture("bedrock/fixtures/stream.bin");

let service: StartedService;
let upstream: Upstream;
let anthropic: Anthropic;
let openai: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream(({ path }) => ({
    body: path.endsWith("converse-stream") ? CONVERSE_EVENTS : MESSAGE_EVENTS,
  }));
  const endpoint = upstream.url;
  await registerUpstream(
    service,
    { wire: "anthropic", name: "claude", endpoint },
    { auth_type: "x-api-key", upstream_model: "claude-sonnet-4-5" },
  );
  await registerUpstream(
    service,
    { wire: "bedrock", name: "bedrock-claude", endpoint },
    { credential: "AKID:half::eu-west-1", upstream_model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" },
  );
  anthropic = new Anthropic({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/anthropic`, maxRetries: 0 });
  openai = new OpenAI({ apiKey: OPERATOR_KEY, baseURL: `${service.url}/openai/v1`, maxRetries: 0 });
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const LONG = "You know the weather everywhere. ".repeat(80);
const SCHEMA = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
const cache_control = { type: "ephemeral", ttl: "1h" } as const;

describe("Anthropic's own library, served by a model that speaks its format", () => {
  it("has marks of a cache, thoughts, tools and pictures arrive as they were sent", async () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" } as const;
    const call = {
      type: "tool_use",
      id: "toolu_1",
      name: "get_weather",
      input: { location: "Bern" },
    } as const;
    const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
    const result: Anthropic.ToolResultBlockParam = {
      type: "tool_result",
      tool_use_id: "toolu_1",
      is_error: true,
      content: [
        { type: "text", text: "No rain." },
        { type: "image", source },
      ],
      cache_control,
    };
    const message = await anthropic.messages
      .stream({
        model: "claude",
        max_tokens: 4_000,
        system: [{ type: "text", text: LONG, cache_control }],
        thinking: { type: "enabled", budget_tokens: 2_000 },
        tools: [
          {
            name: "get_weather",
            description: "Looks.",
            input_schema: { ...SCHEMA, type: "object" },
            cache_control,
          },
          { name: "get_time", input_schema: { type: "object" } },
        ],
        tool_choice: { type: "auto", disable_parallel_tool_use: true },
        metadata: { user_id: "u1" },
        messages: [
          { role: "user", content: "The weather in Bern?" },
          { role: "assistant", content: [thinking, { type: "redacted_thinking", data: "c2VhbGVk" }, call] },
          { role: "user", content: [result, { type: "text", text: "And in Zürich?" }] },
        ],
      })
      .finalMessage();
    const sent = upstream.requests.at(-1);
    expect(sent?.path).toBe("/v1/messages");
    expect(sent?.json).toMatchObject({
      model: "claude-sonnet-4-5",
      max_tokens: 4_000,
      stream: true,
      system: [{ type: "text", text: LONG, cache_control }],
      thinking: { type: "enabled", budget_tokens: 2_000 },
      tools: [{ name: "get_weather", input_schema: SCHEMA, cache_control }, { name: "get_time" }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      metadata: { user_id: "u1" },
    });
    expect(sent?.json.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "The weather in Bern?" }] },
      { role: "assistant", content: [thinking, { type: "redacted_thinking", data: "c2VhbGVk" }, call] },
      { role: "user", content: [result, { type: "text", text: "And in Zürich?" }] },
    ]);
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "thinking", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
        { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4a" },
        { type: "text" },
        { type: "tool_use", name: "get_weather", input: { location: "Zürich" } },
        { type: "tool_use", name: "get_time", input: {} },
      ],
      usage: {
        input_tokens: 21,
        cache_read_input_tokens: 1024,
        cache_creation_input_tokens: 188,
        output_tokens: 89,
      },
    });
  });
});

describe.each([
  ["claude", "the Messages API"],
  ["bedrock-claude", "the Converse API"],
])("OpenAI's own library, served by %s over %s", (model) => {
  it("streams words and calls of tools", async () => {
    const stream = openai.chat.completions.stream({
      model,
      max_completion_tokens: 500,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: LONG },
        { role: "user", content: "The weather in Zürich?" },
      ],
      tools: [
        { type: "function", function: { name: "get_weather", description: "Looks.", parameters: SCHEMA } },
        { type: "function", function: { name: "get_time" } },
      ],
      tool_choice: "auto",
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: {
          content: 'I\'ll look that up "now", 你好 😀\n',
          tool_calls: [
            { function: { name: "get_weather", arguments: '{"location": "Zürich"}' } },
            { function: { name: "get_time", arguments: "{}" } },
          ],
        },
      },
    ]);
    expect(usage).toMatchObject({
      prompt_tokens: 1233,
      completion_tokens: 89,
      prompt_tokens_details: { cached_tokens: 1024 },
    });
  });
});
