import { describe, expect, it } from "vitest";
import { readResponse } from "./request.ts";

const WEATHER = { type: "function", name: "weather", parameters: { type: "object", properties: {} } };

const user = { role: "user", content: "Hello" };
const WRONG: [Record<string, unknown>, string][] = [
  [{ model: undefined }, "model"],
  [{ input: undefined }, "input"],
  [{ input: "" }, "input"],
  [{ input: [] }, "input"],
  [{ input: [{ role: "tool", content: "x" }] }, "input[0].role"],
  [{ input: [{ type: "web_search_call" }] }, "input"],
  [{ input: [{ type: "letter" }] }, "input[0].type"],
  [{ input: [user, { type: "custom_tool_call", call_id: "c", name: "f" }] }, "input[1].input"],
  [{ input: [{ type: "item_reference" }] }, "input[0].type"],
  [{ input: [{ role: "user", content: [{ type: "output_text", text: "x" }] }] }, "input[0].content[0].type"],
  [{ input: [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }] }, "input[0].content[0].file_id"],
  [{ input: [user, { type: "function_call_output", call_id: "c", output: "x" }] }, "input[1].call_id"],
  [{ input: [user, { type: "function_call", call_id: "c", name: "f" }] }, "input[1].arguments"],
  [{ previous_response_id: 1 }, "previous_response_id"],
  [{ conversation: {} }, "conversation.id"],
  [{ prompt: { id: "pmpt_1" } }, "prompt"],
  [{ store: "yes" }, "store"],
  [{ background: true }, "background"],
  [{ tools: [{}] }, "tools[0].type"],
  [{ tools: [{ type: "namespace", name: "team", tools: [{ type: "function" }] }] }, "tools[0].tools[0].name"],
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

describe("a body of responses", () => {
  it.each(WRONG)("with %j is refused with the field that is wrong, %s", (more, param) => {
    expect(() => readResponse({ model: "chatty", input: "Hello", ...more })).toThrow(
      expect.objectContaining({ type: "invalid_request", details: { param } }),
    );
  });

  it("has the earlier turns first, and in the place of a reference its item", () => {
    const call = { id: "fc-1", type: "function_call", call_id: "c", name: "weather", arguments: "{}" };
    const earlierItems = [{ id: "msg-0", type: "message", ...user }];
    const { conversation } = readResponse(
      {
        model: "chatty",
        input: [
          { type: "item_reference", id: "fc-1" },
          { type: "function_call_output", call_id: "c", output: "3 degrees" },
        ],
      },
      undefined,
      {
        earlierItems,
        referredItems: new Map([["fc-1", call]]),
        conversationId: undefined,
        stores: false,
        keep: async () => ({ store: false, conversation: null }),
      },
    );
    expect(conversation?.messages).toMatchObject([
      { role: "user", content: [{ text: "Hello" }] },
      { role: "assistant", content: [{ type: "tool-call", id: "c" }] },
      { role: "tool", content: [{ type: "tool-result", id: "c", text: "3 degrees" }] },
    ]);
  });

  it("is refused where it refers to an item that is not kept", () => {
    const reading = () => readResponse({ model: "chatty", input: [user, { type: "item_reference", id: "msg-1" }] });
    expect(reading).toThrow(expect.objectContaining({ type: "not_found", details: { param: "input[1].id" } }));
  });

  it("becomes a conversation with one message for each turn of the model", () => {
    const { conversation } = readResponse({
      model: "chatty",
      instructions: "Be kind.",
      input: [
        { role: "user", content: "Weather?" },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
        { type: "function_call", call_id: "c1", name: "weather", arguments: "" },
        { type: "function_call_output", call_id: "c1", output: "cold" },
      ],
      tools: [WEATHER],
    });
    expect(conversation.messages).toEqual([
      { role: "system", content: [{ type: "text", text: "Be kind." }] },
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "Hm." },
          { type: "tool-call", id: "c1", name: "weather", arguments: "{}" },
        ],
      },
      { role: "tool", content: [{ type: "tool-result", id: "c1", name: "weather", text: "cold" }] },
    ]);
  });

  it("may allow only some of its tools", () => {
    const other = { ...WEATHER, name: "other" };
    const { conversation } = readResponse({
      model: "chatty",
      input: "Hi",
      tools: [WEATHER, other],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "other" }] },
    });
    expect(conversation).toMatchObject({ tools: [{ name: "other" }], toolChoice: "required" });
  });

  it("drops tools that only OpenAI runs, and their calls, and says so", () => {
    const { conversation, dropped } = readResponse({
      model: "chatty",
      input: [{ type: "web_search_call", id: "ws_1" }, user],
      tools: [WEATHER, { type: "web_search" }, { type: "tool_search" }],
      tool_choice: { type: "web_search" },
    });
    expect(conversation).toMatchObject({ messages: [{ role: "user" }], tools: [{ name: "weather" }] });
    expect(conversation.toolChoice).toBeUndefined();
    expect(dropped).toEqual(["input.web_search_call", "tools.web_search", "tools.tool_search", "tool_choice"]);
  });

  it("asks for no tool where all of them were dropped", () => {
    const { conversation } = readResponse({
      model: "chatty",
      input: "Hi",
      tools: [{ type: "web_search" }],
      tool_choice: "required",
    });
    expect(conversation).toMatchObject({ tools: [], toolChoice: undefined });
  });

  it("makes functions of custom tools and of those in namespaces", () => {
    const { conversation } = readResponse({
      model: "chatty",
      input: [
        user,
        { type: "custom_tool_call", call_id: "c1", name: "patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" },
        { type: "function_call", call_id: "c2", namespace: "team", name: "spawn", arguments: "{}" },
        { type: "function_call_output", call_id: "c2", output: "started" },
      ],
      tools: [
        {
          type: "custom",
          name: "patch",
          description: "Edits.",
          format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
        },
        { type: "namespace", name: "team", tools: [{ type: "function", name: "spawn" }] },
        { type: "namespace", name: "a".repeat(40), tools: [{ type: "function", name: "b".repeat(40) }] },
      ],
    });
    expect(conversation.tools.map(({ name }) => name)).toEqual([
      "patch",
      "team__spawn",
      expect.stringMatching(/^a{40}__b{13}_[0-9a-f]{8}$/),
    ]);
    expect(conversation.tools[0]?.inputSchema).toMatchObject({
      properties: { input: { type: "string", description: expect.stringContaining("start: /x/") } },
      required: ["input"],
    });
    expect(conversation.messages.flatMap(({ content }) => content)).toMatchObject([
      { text: "Hello" },
      { type: "tool-call", name: "patch", arguments: '{"input":"*** Begin"}' },
      { type: "tool-result", name: "patch", text: "done" },
      { type: "tool-call", name: "team__spawn" },
      { type: "tool-result", name: "team__spawn", text: "started" },
    ]);
  });
});
