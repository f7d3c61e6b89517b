import { readFileSync } from "node:fs";
import { Secret } from "@trunkline/core/secret.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { requestsIn, say, text } from "@trunkline/testing/wire-request.ts";
import { describe, expect, it } from "vitest";
import { httpAdapter } from "../../http/http-adapter.ts";
import { cohereFormat } from "./format.ts";

const { send, sendTalk, ask } = requestsIn(cohereFormat, {
  wire: "cohere",
  endpoint: "https://api.cohere.com",
  upstreamModel: "command-a-03-2025",
});
const image = { type: "attachment" as const, kind: "image" as const, url: "data:image/png;base64,AAAA" };
const tool = (name: string) => ({ name, description: "Does.", inputSchema: { type: "object" } });

describe("a request to Cohere", () => {
  it("is one user message for a plain question", () => {
    const credential = new Secret("co-1");
    const whole = send({ streaming: false }, { credential, authType: "bearer" });
    expect(whole).toEqual({
      url: "https://api.cohere.com/v2/chat",
      streaming: false,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        authorization: "Bearer co-1",
        "x-request-id": "r1",
      },
      body: {
        model: "command-a-03-2025",
        messages: [{ role: "user", content: "Hello?" }],
        stream: false,
      },
      dropped: [],
    });
    expect(send({}).body.stream).toBe(true);
    expect(send({}, { endpoint: "https://gateway.example/cohere/v2/" }).url).toBe(
      "https://gateway.example/cohere/v2/chat",
    );
  });

  it("contains roles, images, plans, tool calls and results", () => {
    const { body } = sendTalk({
      messages: [
        say("system", text("Be brief.")),
        say("developer", text("Be kind.")),
        say("user", text("What is this?"), { ...image, detail: "low" }),
        say("assistant", { type: "thinking", text: "I look." }, text("Well."), {
          type: "tool-call",
          id: "c1",
          name: "look",
          arguments: '{"at":1}',
        }),
        say("tool", { type: "tool-result", id: "c1", text: "a cat" }),
        say("tool", { type: "tool-result", id: "c2", text: "too dark", isError: true }),
        say("assistant", { type: "thinking", text: "A cat." }, text("A cat.")),
        say("user", text("So?")),
      ],
    });
    expect(body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "system", content: "Be kind." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: image.url, detail: "low" } },
        ],
      },
      {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
        tool_plan: "I look.",
        content: "Well.",
      },
      { role: "tool", tool_call_id: "c1", content: "a cat" },
      { role: "tool", tool_call_id: "c2", content: '{"error":"too dark"}' },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "A cat." },
          { type: "text", text: "A cat." },
        ],
      },
      { role: "user", content: "So?" },
    ]);
  });

  it("is not made where an attachment can't be sent", () => {
    const rejected = expect.objectContaining({ kind: "rejected", blamesEndpoint: false });
    expect(() => sendTalk({ messages: [say("user", { ...image, kind: "file" })] })).toThrow(rejected);
    const result = { type: "tool-result" as const, id: "c1", text: "", attachments: [image] };
    expect(() => sendTalk({ messages: [say("tool", result)] })).toThrow(rejected);
  });

  it.each([
    [undefined, undefined, ["look", "count"]],
    ["auto", undefined, ["look", "count"]],
    ["none", "NONE", ["look", "count"]],
    ["required", "REQUIRED", ["look", "count"]],
    [{ name: "count" }, "REQUIRED", ["count"]],
  ] as const)("offers tools with the choice %j", (toolChoice, wireChoice, names) => {
    const { body } = sendTalk({ tools: [tool("look"), { ...tool("count"), strict: true }], toolChoice });
    expect(body.tool_choice).toBe(wireChoice);
    expect(body.strict_tools).toBe(true);
    expect(body.tools).toEqual(
      names.map((name) => ({
        type: "function",
        function: { name, description: "Does.", parameters: { type: "object" } },
      })),
    );
  });

  it("asks for JSON, in the prompt where there are tools as well", () => {
    const schema = { type: "object", required: ["a"] };
    const answerForm = { type: "schema" as const, name: "x", schema };
    expect(sendTalk({ answerForm: { type: "json" } }).body.response_format).toEqual({ type: "json_object" });
    expect(sendTalk({ answerForm }).body.response_format).toEqual({
      type: "json_object",
      json_schema: schema,
    });
    const both = sendTalk({ answerForm, tools: [tool("look")] });
    expect(both.body).not.toHaveProperty("response_format");
    expect(both.body.messages[0]).toEqual({
      role: "system",
      content: expect.stringContaining(JSON.stringify(schema)),
    });
    expect(both.dropped).toEqual(["response_format"]);
  });

  it("uses Cohere's own parameter names", () => {
    const { body, dropped } = ask({
      maxTokens: 100,
      temperature: 0,
      topP: 0.9,
      topK: 40,
      stop: ["END"],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: 0,
      thinking: { budgetTokens: 500 },
    });
    expect(body).toMatchObject({
      max_tokens: 100,
      temperature: 0,
      p: 0.9,
      k: 40,
      stop_sequences: ["END"],
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      logprobs: true,
      thinking: { type: "enabled", token_budget: 500 },
    });
    expect(dropped).toEqual([]);
    expect(ask({ thinking: { effort: "none" } }).body.thinking).toEqual({ type: "disabled" });
    expect(ask({ thinking: { budgetTokens: 0 } }).body.thinking).toEqual({ type: "disabled" });
  });

  it("reports unsupported fields", () => {
    const many = ask({
      choices: 2,
      logprobs: 3,
      stop: ["1", "2", "3", "4", "5", "6"],
      thinking: { effort: "high" },
      size: "16x16",
      voice: "v",
      format: "f",
      pace: 2,
      dimensions: 3,
      others: { user: "u" },
    });
    expect(many.dropped).toEqual([
      "dimensions",
      "format",
      "n",
      "reasoning_effort",
      "size",
      "speed",
      "stop",
      "top_logprobs",
      "user",
      "voice",
    ]);
    expect(many.body.stop_sequences).toHaveLength(5);
    const marks = sendTalk({
      messages: [
        say("user", { ...text("Hi."), cache: { ttl: undefined } }),
        say("assistant", { type: "thinking", text: "", sealed: "x" }, { type: "thinking", text: "a", signature: "s" }),
      ],
      parallelToolCalls: false,
    });
    expect(marks.dropped).toEqual(["cache_control", "parallel_tool_calls", "signature", "thinking"]);
  });

  it("passes on fields of this format only", () => {
    const fields = { safety_mode: "STRICT" };
    expect(send({ extras: { wire: "cohere", fields } }).body.safety_mode).toBe("STRICT");
    expect(send({ extras: { wire: "gemini", fields } }).dropped).toEqual(["safety_mode"]);
  });

  it("sends all embedding inputs at once", () => {
    const conversation = { messages: [say("user", text("one")), say("user", text("two"))], tools: [] };
    const parameters = { ...NO_PARAMETERS, dimensions: 256 };
    const { url, body, streaming, dropped } = send({ conversation, parameters }, { type: "embedding" });
    expect(url).toBe("https://api.cohere.com/v2/embed");
    expect(body).toEqual({
      model: "command-a-03-2025",
      input_type: "search_document",
      texts: ["one", "two"],
      embedding_types: ["float"],
      output_dimension: 256,
    });
    expect([streaming, dropped]).toEqual([false, []]);
  });
});

describe("an error of Cohere", () => {
  it.each([
    [401, "key", { kind: "refused", said: "invalid api token" }],
    [
      400,
      "request",
      { kind: "rejected", blamesEndpoint: false, reason: expect.stringContaining("at least 1 token long") },
    ],
    [404, "model", { kind: "rejected", blamesEndpoint: false }],
    [429, "trial", { kind: "rate-limited" }],
    [500, "internal", { kind: "broken", reason: expect.stringContaining("internal server error") }],
  ])("with status %d is understood: %s", async (status, name, failure) => {
    const body = readFileSync(new URL(`fixtures/error-${name}.json`, import.meta.url));
    const { url } = await serveHttp((_request, response) => void response.writeHead(status).end(body));
    const model = makeModel({ wire: "cohere", endpoint: url });
    const call = { model, inference: makeInference(), requestId: "r1", signal: new AbortController().signal };
    const answer = collect(httpAdapter(openForTest(), cohereFormat).call(call));
    await expect(answer).rejects.toMatchObject(failure);
  });
});
