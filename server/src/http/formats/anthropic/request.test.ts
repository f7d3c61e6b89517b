import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readMessagesRequest } from "./request.ts";

const HELLO = { model: "plain", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] };
const read = (more: Record<string, unknown> = {}) => readMessagesRequest({ ...HELLO, ...more }, { headers: {} });
const said = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });

describe("a wrong field is named", () => {
  it.each([
    ["max_tokens", { max_tokens: undefined }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["model", { model: undefined }],
    ["messages", { messages: undefined }],
    ["messages", { messages: [] }],
    ["messages", { messages: "Hello" }],
    ["messages[0].role", { messages: [{ role: "tool", content: "Hello" }] }],
    ["messages[0].content", { messages: [{ role: "user" }] }],
    ["messages[0].content[0].type", said({ type: "video" })],
    ["messages[0].content[0].text", said({ type: "text", text: 7 })],
    ["messages[0].content[0].source.type", said({ type: "image", source: { type: "disk", file_id: "f" } })],
    ["messages[0].content[0].source.file_id", said({ type: "image", source: { type: "file", file_id: "f" } })],
    ["messages[0].content[0].source.url", said({ type: "image", source: { type: "url", url: "http://x.example" } })],
    [
      "messages[0].content[0].source.media_type",
      said({ type: "image", source: { type: "base64", media_type: "x,y", data: "aa" } }),
    ],
    [
      "messages[0].content[0].source.media_type",
      said({ type: "document", source: { type: "base64", media_type: "text/plain", data: "aa" } }),
    ],
    [
      "messages[0].content[0].cache_control.ttl",
      said({ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "2h" } }),
    ],
    ["messages[0].content[0].tool_use_id", said({ type: "tool_result", content: "x" })],
    ["system[0].type", { system: [{ type: "image" }] }],
    ["tools[0].name", { tools: [{ input_schema: {} }] }],
    ["tools[0].input_schema", { tools: [{ name: "x" }] }],
    ["tool_choice.type", { tool_choice: { type: "some" } }],
    ["tool_choice", { tool_choice: { type: "any" } }],
    ["tool_choice.name", { tools: [{ name: "x", input_schema: {} }], tool_choice: { type: "tool", name: "y" } }],
    ["thinking.type", { thinking: { type: "hard" } }],
    ["thinking.budget_tokens", { thinking: { type: "enabled" } }],
    ["output_config.format.schema", { output_config: { format: { type: "json_schema" } } }],
    ["output_config.effort", { output_config: { effort: "most" } }],
    ["stop_sequences[0]", { stop_sequences: [""] }],
    ["temperature", { temperature: 3 }],
    ["stream", { stream: "yes" }],
  ])("%s, of %j", (param, more) => {
    const { type, details } = faultOf(() => read(more));
    expect(type).toBe("invalid_request");
    expect(details.param).toBe(param);
  });
});

describe("a message", () => {
  it("has tool results in messages of their own, with the names of their calls", () => {
    const { conversation } = read({
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: { at: 1 } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "Seen" }] },
            { type: "text", text: "And?" },
          ],
        },
      ],
    });
    expect(conversation.messages).toEqual([
      { role: "assistant", content: [{ type: "tool-call", id: "t1", name: "look", arguments: '{"at":1}' }] },
      { role: "tool", content: [{ type: "tool-result", id: "t1", name: "look", text: "Seen" }] },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ]);
  });

  it.each([
    [{ thinking: { type: "disabled" } }, { budgetTokens: 0 }],
    [{ thinking: { type: "adaptive" } }, { effort: "high" }],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "low" } }, { effort: "low" }],
    [{ thinking: { type: "enabled", budget_tokens: 2048 } }, { budgetTokens: 2048 }],
    [{ output_config: { effort: "max" } }, { effort: "xhigh" }],
    [{}, undefined],
  ])("with %j asks for the thinking %j", (more, thinking) => {
    expect(read(more).parameters.thinking).toEqual(thinking);
  });

  it("lists what is dropped, down to blocks that only Anthropic knows", () => {
    const { dropped, conversation } = read({
      service_tier: "auto",
      container: "c",
      mcp_servers: null,
      ...said({ type: "server_tool_use", id: "s", name: "web_search", input: {} }, { type: "text", text: "Hi" }),
    });
    expect(dropped).toEqual(["service_tier", "container", "messages.server_tool_use"]);
    expect(conversation.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
  });
});
