import { Secret } from "@trunkline/core/secret.ts";
import { requestsIn, say, text } from "@trunkline/testing/wire-request.ts";
import { describe, expect, it } from "vitest";
import { geminiFormat } from "./format.ts";

const BASE = "https://generativelanguage.googleapis.com";
const { send, sendTalk } = requestsIn(geminiFormat, {
  wire: "gemini",
  endpoint: BASE,
  upstreamModel: "gemini-2.5-flash",
});
const tool = (inputSchema: unknown) => ({ name: "look", description: "Looks.", inputSchema });

describe("a request to Gemini", () => {
  it("is one user message for a plain question", () => {
    const { url, body, headers, streaming, dropped } = send({ streaming: false });
    expect(url).toBe(`${BASE}/v1beta/models/gemini-2.5-flash:generateContent`);
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Hello?" }] }] });
    expect(headers).toEqual({ "content-type": "application/json", "x-request-id": "r1" });
    expect([streaming, dropped]).toEqual([false, []]);
  });

  it.each([
    [BASE, "gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash"],
    [`${BASE}/`, "models/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash"],
    [`${BASE}/v1beta`, "x", "/v1beta/models/x"],
    [`${BASE}/v1/`, "x", "/v1/models/x"],
    ["https://gateway.example/google", "a/b?c", "/google/v1beta/models/a%2Fb%3Fc"],
    [
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google",
      "x",
      "/v1/projects/p/locations/global/publishers/google/models/x",
    ],
  ])("goes to the operation below %s", (endpoint, upstreamModel, path) => {
    const { url, streaming } = send({}, { endpoint, upstreamModel });
    expect(new URL(url).pathname).toBe(`${path}:streamGenerateContent`);
    expect(new URL(url).search).toBe("?alt=sse");
    expect(streaming).toBe(true);
  });

  it("sends its key in the configured header", () => {
    const credential = new Secret("k-1");
    expect(send({}, { credential, authType: "x-api-key" }).headers).toMatchObject({
      "x-goog-api-key": "k-1",
    });
    expect(send({}, { credential, authType: "bearer" }).headers).toMatchObject({
      authorization: "Bearer k-1",
    });
    expect(JSON.stringify(send({}, { credential, authType: "none" }))).not.toContain("k-1");
  });

  it("contains roles, parts, tool calls and results", () => {
    const { body } = sendTalk({
      messages: [
        say("system", text("Be brief.")),
        say("developer", text("Be kind.")),
        say(
          "user",
          text("What is this?"),
          { type: "attachment", kind: "image", url: "data:image/png;base64,AAAA" },
          { type: "attachment", kind: "file", url: "https://example.com/a.pdf" },
          { type: "attachment", kind: "file", url: "data:text/plain,a%20b" },
        ),
        say(
          "assistant",
          { type: "thinking", text: "Hm.", signature: "s1" },
          text("I look."),
          { type: "tool-call", id: "c1", name: "look", arguments: '{"at":1}', signature: "s2" },
          { type: "tool-call", id: `call_${"0".repeat(32)}`, name: "count", arguments: "broken" },
          { type: "thinking", text: "", signature: "s3" },
        ),
        say("tool", { type: "tool-result", id: "c1", text: '{"seen":"a cat"}' }),
        say("tool", { type: "tool-result", id: `call_${"0".repeat(32)}`, text: "too dark", isError: true }),
        say("tool", {
          type: "tool-result",
          id: "c9",
          name: "draw",
          text: "done",
          attachments: [{ type: "attachment", kind: "image", url: "data:image/png;base64,BBBB" }],
        }),
        say("user", text("So?")),
      ],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: "Be brief." }, { text: "Be kind." }] });
    expect(body.contents).toEqual([
      {
        role: "user",
        parts: [
          { text: "What is this?" },
          { inlineData: { mimeType: "image/png", data: "AAAA" } },
          { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
          { inlineData: { mimeType: "text/plain", data: "YSBi" } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true, thoughtSignature: "s1" },
          { text: "I look." },
          { functionCall: { id: "c1", name: "look", args: { at: 1 } }, thoughtSignature: "s2" },
          { functionCall: { name: "count", args: {} } },
          { text: "", thoughtSignature: "s3" },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "look", response: { seen: "a cat" } } },
          { functionResponse: { name: "count", response: { error: "too dark" } } },
          { functionResponse: { id: "c9", name: "draw", response: { output: "done" } } },
          { inlineData: { mimeType: "image/png", data: "BBBB" } },
          { text: "So?" },
        ],
      },
    ]);
  });

  it("turns instructions without a message into a user message", () => {
    const { body } = sendTalk({ messages: [say("system", text("Say hello."))] });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Say hello." }] }] });
  });

  it("adds placeholder signatures to calls of other models where the model needs them", () => {
    const call = { type: "tool-call" as const, id: "c1", name: "look", arguments: "{}" };
    const messages = [say("user", text("Hi.")), say("assistant", call, { ...call, id: "c2" })];
    const calls = (upstreamModel: string, more = messages) =>
      sendTalk({ messages: more }, { upstreamModel }).body.contents[1].parts.map(
        (part: { thoughtSignature?: string }) => part.thoughtSignature,
      );
    expect(calls("gemini-3-pro-preview")).toEqual(["skip_thought_signature_validator", undefined]);
    expect(calls("gemini-2.5-pro")).toEqual([undefined, undefined]);
    const own = [say("user", text("Hi.")), say("assistant", { ...call, signature: "s" })];
    expect(calls("gemini-3-pro-preview", own)).toEqual(["s"]);
  });
});

describe("tools for Gemini", () => {
  const schema = { type: "object", properties: { at: { type: "integer" } }, additionalProperties: false };

  it("are declared with their full schemas", () => {
    expect(sendTalk({ tools: [tool(schema), tool(undefined)] }).body.tools).toEqual([
      {
        functionDeclarations: [
          { name: "look", description: "Looks.", parametersJsonSchema: schema },
          { name: "look", description: "Looks." },
        ],
      },
    ]);
  });

  it("are declared with reduced schemas where the version supports less", () => {
    const endpoint = `${BASE}/v1`;
    const [{ functionDeclarations }] = sendTalk(
      { tools: [tool(schema), tool({ type: "object", properties: {} })] },
      { endpoint },
    ).body.tools;
    expect(functionDeclarations).toEqual([
      {
        name: "look",
        description: "Looks.",
        parameters: { type: "object", properties: { at: { type: "integer" } } },
      },
      { name: "look", description: "Looks." },
    ]);
  });

  it.each([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ name: "look" }, { mode: "ANY", allowedFunctionNames: ["look"] }],
  ] as const)("are chosen according to %j", (toolChoice, functionCallingConfig) => {
    expect(sendTalk({ tools: [tool(schema)], toolChoice }).body.toolConfig).toEqual({
      functionCallingConfig,
    });
  });

  it("are left to the model without a choice", () => {
    expect(sendTalk({ tools: [tool(schema)] }).body).not.toHaveProperty("toolConfig");
  });
});

describe("the format of Gemini's answer", () => {
  const schema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { type: "string" } },
  };
  const answerForm = { type: "schema" as const, name: "x", schema };

  it("is JSON, with its schema as the version supports it", () => {
    expect(sendTalk({ answerForm: { type: "json" } }).body.generationConfig).toEqual({
      responseMimeType: "application/json",
    });
    expect(sendTalk({ answerForm }).body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    });
    expect(sendTalk({ answerForm }, { endpoint: `${BASE}/v1` }).body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseSchema: { type: "object", properties: { a: { type: "string" } } },
    });
  });

  it("is requested in the prompt beside tools, where a model can't do both", () => {
    const both = { answerForm, tools: [tool({ type: "object" })] };
    const older = sendTalk(both);
    expect(older.body).not.toHaveProperty("generationConfig");
    expect(older.body.systemInstruction.parts[0].text).toContain(JSON.stringify(schema));
    expect(older.dropped).toEqual(["response_format"]);
    const newer = sendTalk(both, { upstreamModel: "gemini-3-flash-preview" });
    expect(newer.body.generationConfig).toMatchObject({ responseJsonSchema: schema });
    expect(newer.dropped).toEqual([]);
  });
});
