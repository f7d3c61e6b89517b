import type { Conversation, Tool } from "@trunkline/core/conversation.ts";
import { askMessages, block, LOOK, PLAIN, SONNET } from "@trunkline/testing/ask-messages.ts";
import { NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";

describe("a request to the Messages API", () => {
  it("asks for a stream where the client reads one and the model gives one", () => {
    expect(askMessages({ streaming: true })).toMatchObject({ streaming: true, body: { stream: true } });
    expect(askMessages({ streaming: true }, { streaming: false })).toMatchObject({ streaming: false });
    expect(askMessages({ streaming: false }).body).not.toHaveProperty("stream");
  });

  it.each([
    ["the client's own", 7, 100, 7],
    ["the model's, where the client sets none", undefined, 100, 100],
    ["what was quoted, where nobody sets one", undefined, undefined, 4096],
  ])("has a limit of the answer: %s", (_what, maxTokens, maxOutputTokens, expected) => {
    const parameters = { ...NO_PARAMETERS, maxTokens };
    expect(askMessages({ parameters }, { maxOutputTokens }).body.max_tokens).toBe(expected);
  });

  it("shows the credential as the model says", () => {
    expect(askMessages({}).headers).not.toHaveProperty("authorization");
    expect(askMessages({}).headers).toMatchObject({ "anthropic-version": "2023-06-01" });
  });
});

describe("marks of a cache", () => {
  it("are kept on everything that can carry one, with their time", () => {
    const cache = { ttl: "1h" } as const;
    const url = "data:image/png;base64,AAAA";
    const { body, dropped } = askMessages({
      conversation: {
        messages: [
          { role: "system", content: [{ type: "text", text: "Long.", cache: { ttl: undefined } }] },
          {
            role: "user",
            content: [
              { type: "text", text: "One", cache },
              { type: "attachment", kind: "image", url, cache },
              { type: "attachment", kind: "file", url: "https://example.test/a.pdf", cache },
            ],
          },
          {
            role: "assistant",
            content: [{ type: "tool-call", id: "t1", name: "look", arguments: "{}", cache }],
          },
          { role: "tool", content: [{ type: "tool-result", id: "t1", text: "Rain.", cache }] },
        ],
        tools: [{ ...LOOK, cache: { ttl: "5m" } }],
      },
    });
    const cache_control = { type: "ephemeral", ttl: "1h" };
    expect(body.system).toEqual([{ ...block("Long."), cache_control: { type: "ephemeral" } }]);
    const blocks = body.messages.flatMap(({ content }: { content: unknown[] }) => content);
    expect(blocks).toHaveLength(5);
    for (const one of blocks) expect(one).toMatchObject({ cache_control });
    expect(body.tools).toMatchObject([{ name: "look", cache_control: { type: "ephemeral", ttl: "5m" } }]);
    expect(dropped).toEqual([]);
  });
});

describe("tools", () => {
  const choose = (more: Partial<Conversation>, name = SONNET) =>
    askMessages({ conversation: { ...PLAIN, tools: [LOOK], ...more } }, { upstreamModel: name });

  it("are named with what they take", () => {
    const bare: Tool = { name: "bare", description: "", inputSchema: undefined, strict: true };
    expect(choose({ tools: [LOOK, bare] }).body.tools).toEqual([
      { name: "look", description: "Looks.", input_schema: { type: "object" } },
      { name: "bare", input_schema: { type: "object" }, strict: true },
    ]);
    expect(choose({ tools: [bare] }, "kimi-k2")).toMatchObject({ dropped: ["strict"] });
  });

  it.each<[Partial<Conversation>, unknown]>([
    [{}, undefined],
    [{ toolChoice: "auto" }, { type: "auto" }],
    [{ toolChoice: "none" }, { type: "none" }],
    [{ toolChoice: "required" }, { type: "any" }],
    [{ toolChoice: { name: "look" } }, { type: "tool", name: "look" }],
    [{ parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
    [{ parallelToolCalls: true }, undefined],
    [
      { toolChoice: "required", parallelToolCalls: false },
      { type: "any", disable_parallel_tool_use: true },
    ],
  ])("are chosen as %j says", (more, expected) => {
    expect(choose(more).body.tool_choice).toEqual(expected);
  });

  it("can't be forced on a model that always thinks", () => {
    const { body, dropped } = choose({ toolChoice: "required" }, "claude-opus-5-5");
    expect(body).not.toHaveProperty("tool_choice");
    expect(dropped).toEqual(["tool_choice"]);
  });

  it("are not chosen from where there are none", () => {
    expect(choose({ tools: [], toolChoice: "required" }).body).not.toHaveProperty("tool_choice");
  });
});

describe("fields that only this format knows", () => {
  it("are passed on where they can cost nothing, and named where not", () => {
    const { body, headers, dropped } = askMessages({
      extras: {
        wire: "anthropic",
        fields: {
          metadata: { user_id: "u1" },
          service_tier: "standard_only",
          cache_control: { type: "ephemeral", ttl: "1h" },
          "anthropic-beta": "interleaved-thinking-2025-05-14, context-1m-2025-08-07",
          speed: "fast",
          max_tokens: 9,
          toString: "x",
        },
      },
    });
    expect(body).toMatchObject({
      metadata: { user_id: "u1" },
      service_tier: "standard_only",
      cache_control: { type: "ephemeral", ttl: "1h" },
      max_tokens: 4096,
    });
    expect(headers).toMatchObject({ "anthropic-beta": "interleaved-thinking-2025-05-14" });
    expect(dropped).toEqual(["anthropic-beta:context-1m-2025-08-07", "speed", "max_tokens", "toString"]);
  });

  it.each([
    ["metadata", { user_id: "u1", other: "x" }],
    ["metadata", "u1"],
    ["service_tier", "priority"],
    ["cache_control", { type: "forever" }],
  ])("are not passed on where %s is %j", (name, value) => {
    const { body, dropped } = askMessages({ extras: { wire: "anthropic", fields: { [name]: value } } });
    expect(body).not.toHaveProperty(name);
    expect(dropped).toEqual([name]);
  });

  it("of another format are named and left out", () => {
    const { body, dropped } = askMessages({
      extras: { wire: "openai", fields: { metadata: { user_id: "u" } } },
    });
    expect(body).not.toHaveProperty("metadata");
    expect(dropped).toEqual(["metadata"]);
  });
});
