import { describe, expect, it } from "vitest";
import { readChat } from "./request.ts";

const user = { role: "user", content: "Hello" };
const body = (more: Record<string, unknown> = {}) => ({ model: "acme/x", messages: [user], ...more });
const said = (content: unknown) => body({ messages: [user, { role: "user", content }] });
const messages = (...later: unknown[]) => body({ messages: [user, ...later] });
const calls = { role: "assistant", tool_calls: [call("a", "look"), call("b", "find")] };
const look = { type: "function", function: { name: "look" } };

function call(id: string, name: string) {
  return { id, type: "function", function: { name, arguments: "{}" } };
}

describe("a chat", () => {
  it("is read into a conversation, every role in its place", () => {
    const { conversation, task, model, streaming, dropped } = readChat(
      body({
        messages: [
          { role: "system", content: "Be brief." },
          { role: "developer", content: [{ type: "text", text: "Be kind." }] },
          user,
          { role: "assistant", reasoning_content: "Hm.", content: [{ type: "refusal", refusal: "No." }] },
          { content: "", ...calls },
          { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "Found" }] },
        ],
      }),
    );
    expect(conversation).toEqual({
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        { role: "user", content: [{ type: "text", text: "Hello" }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", text: "Hm." },
            { type: "text", text: "No." },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "tool-call", id: "a", name: "look", arguments: "{}" },
            { type: "tool-call", id: "b", name: "find", arguments: "{}" },
          ],
        },
        { role: "tool", content: [{ type: "tool-result", id: "b", name: "find", text: "Found" }] },
      ],
      tools: [],
    });
    expect({ kind: task.kind, model, streaming, dropped }).toEqual({
      kind: "chat",
      model: "acme/x",
      streaming: false,
      dropped: [],
    });
  });

  it("keeps the thought signatures of Gemini's calls", () => {
    const signed = { ...call("a", "look"), extra_content: { google: { thought_signature: "s" } } };
    const { conversation } = readChat(messages({ role: "assistant", tool_calls: [signed] }));
    expect(conversation.messages[1]?.content[0]).toMatchObject({ type: "tool-call", signature: "s" });
  });

  it("takes a file as a data URL or in plain base64", () => {
    const file = (fields: Record<string, string>) =>
      readChat(said([{ type: "file", file: fields }])).conversation.messages[1]?.content[0];
    expect(file({ file_data: "JVBERg==", filename: "a.pdf" })).toMatchObject({
      url: "data:application/pdf;base64,JVBERg==",
      name: "a.pdf",
    });
    expect(file({ file_data: "AAAA", filename: "a.bin" })).toMatchObject({
      url: "data:application/octet-stream;base64,AAAA",
    });
    expect(file({ file_data: "data:text/plain,hi" })).toMatchObject({ url: "data:text/plain,hi" });
  });

  it("takes null for an absent field", () => {
    const nothing = Object.fromEntries(
      ["tools", "tool_choice", "response_format", "n", "stop", "seed", "stream", "user", "metadata", "x"].map(
        (name) => [name, null],
      ),
    );
    const { dropped, extras, parameters } = readChat(body(nothing));
    expect({ dropped, extras, choices: parameters.choices }).toEqual({ dropped: [] });
  });

  it("prefers max_completion_tokens to max_tokens, and treats n = 1 as absent", () => {
    expect(readChat(body({ max_tokens: 5, max_completion_tokens: 7, n: 1 })).parameters).toMatchObject({
      maxTokens: 7,
      choices: undefined,
    });
  });

  it("reads the effort max as xhigh", () => {
    expect(readChat(body({ reasoning_effort: "max" })).parameters.thinking).toEqual({ effort: "xhigh" });
    expect(readChat(body({ reasoning_effort: "minimal" })).parameters.thinking).toEqual({
      effort: "minimal",
    });
  });

  it("drops the tool choice where there are no tools", () => {
    expect(readChat(body({ tool_choice: "auto" })).conversation.toolChoice).toBeUndefined();
    expect(readChat(body({ tools: [look], tool_choice: "none" })).conversation.toolChoice).toBe("none");
  });

  it("may ask for any JSON, or for any text", () => {
    const formOf = (type: string) => readChat(body({ response_format: { type } })).conversation.answerForm;
    expect(formOf("json_object")).toEqual({ type: "json" });
    expect(formOf("text")).toBeUndefined();
  });
});

const image = (url: unknown, detail?: unknown) => said([{ type: "image_url", image_url: { url, detail } }]);

describe("the first wrong field of a chat is named by its path:", () => {
  it.each<[string | undefined, unknown]>([
    [undefined, []],
    ["model", { messages: [user] }],
    ["messages", { model: "x" }],
    ["messages", { model: "x", messages: [] }],
    ["messages", { model: "x", messages: "Hello" }],
    ["messages", body({ messages: [{ role: "user", content: "" }] })],
    ["messages[0]", { model: "x", messages: ["Hello"] }],
    ["messages[1].role", messages({ role: "robot", content: "Hi" })],
    ["messages[1].content", messages({ role: "user" })],
    ["messages[1].content", said([])],
    ["messages[1].content", messages({ role: "assistant" })],
    ["messages[1].content[0]", said(["Hi"])],
    ["messages[1].content[0].type", said([{ type: "video" }])],
    ["messages[1].content[0].text", said([{ type: "text" }])],
    ["messages[1].content[0].image_url", said([{ type: "image_url", image_url: "https://x.test/" }])],
    ["messages[1].content[0].image_url.url", image("http://x.test/a.png")],
    ["messages[1].content[0].image_url.url", image("file:///etc/passwd")],
    ["messages[1].content[0].image_url.url", image(undefined)],
    ["messages[1].content[0].image_url.detail", image("data:,", "most")],
    ["messages[1].content[0].input_audio.format", said([{ type: "input_audio", input_audio: { data: "AA" } }])],
    [
      "messages[1].content[0].input_audio.data",
      said([{ type: "input_audio", input_audio: { data: "no base64!", format: "wav" } }]),
    ],
    ["messages[1].content[0].file.file_id", said([{ type: "file", file: { file_id: "file-1" } }])],
    ["messages[1].content[0].file.file_data", said([{ type: "file", file: {} }])],
    [
      "messages[1].content[0].type",
      messages({ role: "system", content: [{ type: "image_url", image_url: { url: "data:," } }] }),
    ],
    ["messages[1].content[0].type", messages({ role: "assistant", content: [{ type: "image_url" }] })],
    ["messages[1].tool_calls[0].id", messages({ role: "assistant", tool_calls: [{ function: {} }] })],
    ["messages[1].tool_calls[0].type", messages({ role: "assistant", tool_calls: [{ type: "computer" }] })],
    [
      "messages[1].tool_calls[0].custom.input",
      messages({ role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "look" } }] }),
    ],
    [
      "messages[1].tool_calls[0].function.arguments",
      messages({ role: "assistant", tool_calls: [{ id: "a", function: { name: "look" } }] }),
    ],
    ["messages[1].tool_call_id", messages({ role: "tool", content: "Sunny" })],
    ["messages[1].tool_call_id", messages({ role: "tool", content: "Sunny", tool_call_id: "a" })],
    ["messages[2].content", messages(calls, { role: "tool", tool_call_id: "a" })],
    ["messages[1].name", messages({ role: "function", name: "look", content: "Sunny" })],
    ["tools", body({ tools: "look" })],
    ["tools", body({ tools: [look, look] })],
    [
      "tools",
      body({
        tools: [{ type: "function", function: { name: "a", parameters: { x: "y".repeat(400_000) } } }],
      }),
    ],
    ["tools[0].type", body({ tools: [{ name: "look" }] })],
    ["tools[0].custom.name", body({ tools: [{ type: "custom", custom: { name: "look up" } }] })],
    ["tools[0].function.name", body({ tools: [{ type: "function", function: { name: "look up" } }] })],
    [
      "tools[0].function.parameters",
      body({ tools: [{ type: "function", function: { name: "look", parameters: "any" } }] }),
    ],
    ["functions[0].name", body({ functions: [{}] })],
    ["tool_choice", body({ tool_choice: "required" })],
    ["tool_choice", body({ tool_choice: "sometimes", tools: [look] })],
    ["tool_choice.type", body({ tool_choice: {}, tools: [look] })],
    ["tool_choice.custom.name", body({ tool_choice: { type: "custom", custom: { name: "x" } }, tools: [look] })],
    ["tool_choice.function.name", body({ tool_choice: { type: "function", function: { name: "x" } }, tools: [look] })],
    [
      "tool_choice.allowed_tools.tools[0].function.name",
      body({
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "x" } }] },
        },
        tools: [look],
      }),
    ],
    [
      "tool_choice.allowed_tools.mode",
      body({
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "x", tools: [look] } },
        tools: [look],
      }),
    ],
    ["function_call.name", body({ function_call: { name: "x" }, functions: [{ name: "look" }] })],
    ["parallel_tool_calls", body({ parallel_tool_calls: "yes" })],
    ["response_format", body({ response_format: "json" })],
    ["response_format.type", body({ response_format: { type: "xml" } })],
    ["response_format.json_schema", body({ response_format: { type: "json_schema" } })],
    ["response_format.json_schema.name", body({ response_format: { type: "json_schema", json_schema: {} } })],
    ["max_tokens", body({ max_tokens: 0 })],
    ["max_completion_tokens", body({ max_completion_tokens: 1.5 })],
    ["temperature", body({ temperature: 2.1 })],
    ["top_p", body({ top_p: "1" })],
    ["n", body({ n: 9 })],
    ["n", body({ n: 0 })],
    ["stop", body({ stop: 7 })],
    ["stop", body({ stop: ["a", "b", "c", "d", "e"] })],
    ["stop[1]", body({ stop: ["a", ""] })],
    ["seed", body({ seed: 0.5 })],
    ["frequency_penalty", body({ frequency_penalty: 3 })],
    ["presence_penalty", body({ presence_penalty: -3 })],
    ["logprobs", body({ logprobs: 1 })],
    ["top_logprobs", body({ top_logprobs: 21, logprobs: true })],
    ["top_logprobs", body({ top_logprobs: 2 })],
    ["reasoning_effort", body({ reasoning_effort: "huge" })],
    ["stream", body({ stream: "yes" })],
    ["stream_options", body({ stream_options: true })],
    ["stream_options.include_usage", body({ stream_options: { include_usage: 1 } })],
    ["logit_bias.7", body({ logit_bias: { 7: 101 } })],
    ["metadata.team", body({ metadata: { team: 7 } })],
    ["metadata", body({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`n${at}`, "x"])) })],
    ["store", body({ store: "no" })],
    ["verbosity", body({ verbosity: "none" })],
    ["user", body({ user: "" })],
    ["route", body({ route: "best" })],
    ["preferences.max_cost", body({ preferences: { max_cost: -1 } })],
    ["fallbacks[0]", body({ fallbacks: [7] })],
  ])("%s", (param, given) => {
    let thrown: unknown;
    try {
      readChat(given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ type: "invalid_request", details: param === undefined ? {} : { param } });
  });
});
