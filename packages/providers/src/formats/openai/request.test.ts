import type { Content, Conversation, Message } from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { findCompatibleProvider } from "./compatible-providers.ts";
import { operationUrl } from "./operation.ts";
import { toOpenAiRequest } from "./request.ts";

describe("URL and credential", () => {
  const chatOf = (endpoint: string, upstreamModel?: string) =>
    operationUrl({ endpoint, name: "model", upstreamModel }, "chat", findCompatibleProvider(endpoint));

  describe("the URL of a request", () => {
    it.each([
      ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
      ["https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"],
      ["https://api.openai.com", "https://api.openai.com/v1/chat/completions"],
      ["https://api.groq.com/", "https://api.groq.com/openai/v1/chat/completions"],
      ["https://api.deepseek.com", "https://api.deepseek.com/chat/completions"],
      ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"],
      ["https://models.example.com", "https://models.example.com/chat/completions"],
      ["https://models.example.com/a?tenant=7", "https://models.example.com/a/chat/completions?tenant=7"],
      ["https://mine.openai.azure.com/openai/v1", "https://mine.openai.azure.com/openai/v1/chat/completions"],
      [
        "https://mine.openai.azure.com/openai/v1/?api-version=preview",
        "https://mine.openai.azure.com/openai/v1/chat/completions?api-version=preview",
      ],
      ["https://mine.openai.azure.com/", "https://mine.openai.azure.com/openai/v1/chat/completions"],
      [
        "https://mine.openai.azure.com/?api-version=2024-10-21",
        "https://mine.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
      ],
      [
        "https://mine.openai.azure.com/openai?api-version=2024-10-21",
        "https://mine.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
      ],
      [
        "https://mine.openai.azure.com/openai/deployments/other?api-version=2024-10-21",
        "https://mine.openai.azure.com/openai/deployments/other/chat/completions?api-version=2024-10-21",
      ],
    ])("below %s is %s", (endpoint, address) => {
      expect(chatOf(endpoint, "my gpt")).toBe(address);
    });

    it("differs by operation", () => {
      const model = { endpoint: "https://api.openai.com/v1", name: "model", upstreamModel: undefined };
      expect(operationUrl(model, "embeddings", undefined)).toBe("https://api.openai.com/v1/embeddings");
      expect(operationUrl(model, "images", undefined)).toBe("https://api.openai.com/v1/images/generations");
      expect(operationUrl(model, "speech", undefined)).toBe("https://api.openai.com/v1/audio/speech");
      expect(operationUrl(model, "transcription", undefined)).toBe("https://api.openai.com/v1/audio/transcriptions");
    });
  });

  describe("the credential of a request", () => {
    const headersOf = (more: Partial<Model>) =>
      toOpenAiRequest(
        { model: makeModel({ wire: "openai", ...more }), inference: makeInference(), requestId: "r1" },
        new Secret("key-1"),
      ).headers;

    it("is sent as the model is configured, or as the provider expects it", () => {
      const usual = { endpoint: "https://api.openai.com/v1", authType: "bearer" } as const;
      expect(headersOf(usual)).toEqual({
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
        authorization: "Bearer key-1",
        "x-request-id": "r1",
      });
      expect(headersOf({ ...usual, authType: "x-api-key" })).toMatchObject({ "x-api-key": "key-1" });
      const azure = headersOf({ endpoint: "https://mine.openai.azure.com/openai/v1", authType: "bearer" });
      expect(azure).toMatchObject({ "api-key": "key-1" });
      expect(azure).not.toHaveProperty("authorization");
    });

    it("is not sent where none is expected", () => {
      const none = { endpoint: "https://mine.openai.azure.com/openai/v1", authType: "none" } as const;
      expect(JSON.stringify(headersOf(none))).not.toContain("key-1");
    });
  });
});

describe("chat", () => {
  const OPENAI = "https://api.openai.com/v1";
  const DEEPSEEK = "https://api.deepseek.com";
  const MISTRAL = "https://api.mistral.ai/v1";
  const OPENROUTER = "https://openrouter.ai/api/v1";

  /** The body of a chat request, and its unsupported fields. */
  function send(endpoint: string, inference: Partial<Inference> = {}, model: Partial<Model> = {}) {
    const dropped: string[] = [];
    const request = toOpenAiRequest(
      {
        model: makeModel({ wire: "openai", endpoint, ...model }),
        inference: makeInference(inference),
        requestId: "r1",
        onUnsupported: (field) => void dropped.push(field),
      },
      undefined,
    );
    return { body: JSON.parse(request.body.toString()), dropped };
  }

  const talk = (messages: readonly Message[], more: Partial<Conversation> = {}): Partial<Inference> => ({
    conversation: { messages, tools: [], ...more },
  });
  const user = (...content: Content[]): Message => ({ role: "user", content });
  const text = (words: string): Content => ({ type: "text", text: words });
  const given = (parameters: Partial<Parameters>): Partial<Inference> => ({
    parameters: { ...NO_PARAMETERS, ...parameters },
  });
  const TOOL = { name: "get_weather", description: "Weather of a city", inputSchema: { type: "object" } };

  describe("the messages of a chat", () => {
    it("are one user message for a plain question, with the provider's own model name", () => {
      const { body, dropped } = send(OPENAI, { streaming: false }, { upstreamModel: "gpt-4.1" });
      expect(body).toEqual({ model: "gpt-4.1", messages: [{ role: "user", content: "Hello?" }] });
      expect(dropped).toEqual([]);
    });

    it("keep their roles; developer becomes system where the provider does not know it", () => {
      const messages: Message[] = [
        { role: "system", content: [text("Be brief."), text("Be kind.")] },
        { role: "developer", content: [text("Use metric units.")] },
        user(text("Hi")),
        { role: "assistant", content: [text("Hello")] },
      ];
      const sent = (developer: string) => [
        { role: "system", content: "Be brief.\nBe kind." },
        { role: developer, content: "Use metric units." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
      ];
      expect(send(OPENAI, talk(messages)).body.messages).toEqual(sent("developer"));
      expect(send(DEEPSEEK, talk(messages)).body.messages).toEqual(sent("system"));
    });

    it("contain images, audio and files in order", () => {
      const { body } = send(
        OPENAI,
        talk([
          user(
            text("Look"),
            { type: "attachment", kind: "image", url: "https://example.com/a.png", detail: "low" },
            { type: "attachment", kind: "image", url: "data:image/png;base64,AAAA" },
            { type: "attachment", kind: "audio", url: "data:audio/mpeg;base64,BBBB" },
            { type: "attachment", kind: "audio", url: "data:audio/x-wav;base64,CCCC" },
            { type: "attachment", kind: "file", url: "data:application/pdf;base64,DDDD", name: "bill.pdf" },
            { type: "attachment", kind: "file", url: "data:text/plain,a%20b" },
          ),
        ]),
      );
      expect(body.messages[0].content).toEqual([
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
        { type: "input_audio", input_audio: { data: "CCCC", format: "wav" } },
        { type: "file", file: { filename: "bill.pdf", file_data: "data:application/pdf;base64,DDDD" } },
        { type: "file", file: { filename: "file.txt", file_data: "data:text/plain,a%20b" } },
      ]);
    });

    it("are left to another model where an attachment can't be sent", () => {
      const far = (kind: "audio" | "file") => talk([user({ type: "attachment", kind, url: "https://example.com/x" })]);
      const rejected = expect.objectContaining({ kind: "rejected", blamesEndpoint: false });
      expect(() => send(OPENAI, far("audio"))).toThrow(rejected);
      expect(() => send(OPENAI, far("file"))).toThrow(rejected);
      expect(send(OPENROUTER, far("file")).body.messages[0].content).toEqual([
        { type: "file", file: { file_data: "https://example.com/x" } },
      ]);
    });

    const tooling = talk([
      user(text("Weather?")),
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "Two cities." },
          { type: "tool-call", id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
          { type: "tool-call", id: "abcDEF123", name: "get_weather", arguments: '{"city":"Rome"}' },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            id: "call_1",
            text: "rain",
            attachments: [{ type: "attachment", kind: "image", url: "https://example.com/rain.png" }],
          },
        ],
      },
      user({ type: "tool-result", id: "abcDEF123", text: "no such city", isError: true }, text("And now?")),
    ]);

    it("answer calls with one message per result, and add their attachments after the last", () => {
      const { body, dropped } = send(OPENAI, tooling);
      const call = (id: string, city: string) => ({
        id,
        type: "function",
        function: { name: "get_weather", arguments: `{"city":"${city}"}` },
      });
      expect(body.messages).toEqual([
        { role: "user", content: "Weather?" },
        { role: "assistant", content: null, tool_calls: [call("call_1", "Oslo"), call("abcDEF123", "Rome")] },
        { role: "tool", tool_call_id: "call_1", content: "rain" },
        { role: "tool", tool_call_id: "abcDEF123", content: "no such city" },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "https://example.com/rain.png" } }],
        },
        { role: "user", content: "And now?" },
      ]);
      expect(dropped).toEqual(["thinking", "is_error"]);
    });

    it("return reasoning to providers that expect it", () => {
      const { body, dropped } = send(DEEPSEEK, tooling);
      expect(body.messages[1]).toMatchObject({ role: "assistant", reasoning_content: "Two cities." });
      expect(dropped).toEqual(["is_error"]);
      const sealed = talk([{ role: "assistant", content: [{ type: "thinking", text: "", sealed: "x" }] }]);
      expect(send(DEEPSEEK, sealed)).toMatchObject({
        body: { messages: [{ role: "assistant", content: "" }] },
        dropped: ["thinking"],
      });
    });

    it("use short ids where the provider accepts no others, the same for a call and its result", () => {
      const { messages } = send(MISTRAL, tooling).body;
      const [made, kept] = messages[1].tool_calls;
      expect(made.id).toMatch(/^[a-z0-9]{9}$/);
      expect(kept.id).toBe("abcDEF123");
      expect([messages[2].tool_call_id, messages[3].tool_call_id]).toEqual([made.id, "abcDEF123"]);
    });

    it("keep cache breakpoints where they are supported", () => {
      const marked = talk([
        { role: "system", content: [{ type: "text", text: "Long.", cache: { ttl: "1h" } }, text("Short.")] },
      ]);
      expect(send(OPENROUTER, marked)).toMatchObject({
        body: {
          messages: [
            {
              role: "system",
              content: [
                { type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } },
                { type: "text", text: "Short." },
              ],
            },
          ],
        },
        dropped: [],
      });
      expect(send(OPENAI, marked)).toMatchObject({
        body: { messages: [{ role: "system", content: "Long.\nShort." }] },
        dropped: ["cache_control"],
      });
    });
  });

  describe("the tools of a chat", () => {
    const withTools = (more: Partial<Conversation>) =>
      talk([user(text("Hi"))], {
        tools: [TOOL, { name: "stop", description: "", inputSchema: undefined, strict: true }],
        ...more,
      });

    it("are functions, with the client's tool choice", () => {
      const { body } = send(OPENAI, withTools({ toolChoice: { name: "stop" }, parallelToolCalls: false }));
      expect(body.tools).toEqual([
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Weather of a city",
            parameters: { type: "object" },
          },
        },
        { type: "function", function: { name: "stop", strict: true } },
      ]);
      expect(body.tool_choice).toEqual({ type: "function", function: { name: "stop" } });
      expect(body.parallel_tool_calls).toBe(false);
      expect(send(OPENAI, withTools({ toolChoice: "required" })).body.tool_choice).toBe("required");
    });

    it("leave out the choice where there are no tools, or the provider does not support it", () => {
      const use = { toolChoice: "none", parallelToolCalls: true } as const;
      expect(send(OPENAI, talk([user(text("Hi"))], use)).body).not.toHaveProperty("tool_choice");
      const ollama = send("http://127.0.0.1:11434/v1", withTools(use));
      expect(ollama.body).not.toHaveProperty("tool_choice");
      expect(ollama.dropped).toEqual(["tool_choice", "parallel_tool_calls"]);
      expect(send("http://127.0.0.1:11434/v1", withTools({ toolChoice: "auto" })).dropped).toEqual([]);
    });
  });

  describe("the answer's format", () => {
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const formed = talk([user(text("Who?"))], {
      answerForm: { type: "schema", name: "person", schema, description: "Somebody", strict: true },
    });

    it("is JSON, or JSON with a schema", () => {
      expect(send(OPENAI, talk([], { answerForm: { type: "json" } })).body.response_format).toEqual({
        type: "json_object",
      });
      expect(send(OPENAI, formed).body.response_format).toEqual({
        type: "json_schema",
        json_schema: { name: "person", description: "Somebody", schema, strict: true },
      });
    });

    it("is requested in the prompt where schemas are not supported", () => {
      const { body, dropped } = send(DEEPSEEK, formed);
      expect(body.response_format).toEqual({ type: "json_object" });
      expect(body.messages).toEqual([
        { role: "system", content: expect.stringContaining(JSON.stringify(schema)) },
        { role: "user", content: "Who?" },
      ]);
      expect(dropped).toEqual(["json_schema"]);
    });
  });

  describe("the stream of an answer", () => {
    it("is requested with usage, except where the provider refuses that", () => {
      expect(send(OPENAI).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
      expect(send(MISTRAL).body).toMatchObject({ stream: true });
      expect(send(MISTRAL).body).not.toHaveProperty("stream_options");
      expect(send(OPENAI, {}, { streaming: false }).body).not.toHaveProperty("stream");
      expect(send(OPENAI, given({}), {}).dropped).toEqual([]);
    });
  });
});
