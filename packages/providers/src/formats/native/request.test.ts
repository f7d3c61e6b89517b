import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { toNativeRequest } from "./request.ts";

function requestFor(inference: Partial<Inference>, model: Partial<Model> = {}) {
  const call = { model: makeModel(model), inference: makeInference(inference), requestId: "r1" };
  const { headers, body, streaming } = toNativeRequest(call, call.model.credential);
  return { headers, body: JSON.parse(String(body)), streaming };
}

describe("toNativeRequest", () => {
  it("sends only input and parameters for a plain request", () => {
    const { headers, body } = requestFor({ streaming: false });
    expect(body).toEqual({ input: "Hello?", parameters: {} });
    expect(headers).toEqual({
      "content-type": "application/json",
      accept: "application/json",
      "x-request-id": "r1",
    });
  });

  it("sends exactly the given parameters, under their wire names", () => {
    const others = { seed: 7, stop: null, deep: true, style: "plain" };
    const all = { maxTokens: 5, temperature: 0, size: "16x16", voice: "a", format: "mp3", others };
    expect(requestFor({ parameters: all }).body.parameters).toEqual({
      max_tokens: 5,
      temperature: 0,
      size: "16x16",
      voice: "a",
      format: "mp3",
      ...others,
    });
    expect(requestFor({ parameters: { ...NO_PARAMETERS, temperature: 1 } }).body.parameters).toEqual({
      temperature: 1,
    });
  });

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])("asks for a stream only where the client wants one and the model supports it (%s, %s)", (wanted, able) => {
    const { headers, body, streaming } = requestFor({ streaming: wanted }, { streaming: able });
    expect(streaming).toBe(wanted && able);
    expect(body.stream).toBe(wanted && able ? true : undefined);
    expect(headers.accept).toBe(
      wanted && able ? "application/x-ndjson, text/event-stream, application/json" : "application/json",
    );
  });

  it("sends several embedding inputs beside the first", () => {
    const user = (words: string) => ({
      role: "user" as const,
      content: [{ type: "text" as const, text: words }],
    });
    const conversation = { messages: [user("one"), user("two")], tools: [] };
    expect(requestFor({ conversation }, { type: "embedding" }).body).toMatchObject({
      input: "one",
      inputs: ["one", "two"],
    });
    expect(requestFor({}, { type: "embedding" }).body).toEqual({
      input: "Hello?",
      parameters: {},
      stream: true,
    });
  });

  it("reports unsupported fields, and does not send them", () => {
    const dropped: string[] = [];
    const cache = { ttl: undefined };
    const inference = makeInference({
      parameters: { ...NO_PARAMETERS, choices: 2, logprobs: 0 },
      extras: { wire: "openai", fields: { user: "u" } },
      conversation: {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", text: "hm", signature: "s" },
              { type: "thinking", text: "", sealed: "x" },
              { type: "attachment", kind: "image", url: "data:,", detail: "low" },
            ],
          },
        ],
        tools: [{ name: "a", description: "", inputSchema: {}, cache, strict: true }],
      },
    });
    const call = {
      model: makeModel(),
      inference,
      requestId: "r1",
      onUnsupported: (field: string) => dropped.push(field),
    };
    const { body } = toNativeRequest(call, undefined);
    expect(dropped.toSorted()).toEqual([
      "cache_control",
      "detail",
      "logprobs",
      "n",
      "signature",
      "strict",
      "thinking",
      "user",
    ]);
    expect(JSON.parse(String(body)).parameters).toEqual({});
  });

  it("reports nothing where everything is supported", () => {
    const dropped: string[] = [];
    const call = { model: makeModel(), inference: makeInference(), requestId: "r1" };
    toNativeRequest({ ...call, onUnsupported: (field) => dropped.push(field) }, undefined);
    expect(dropped).toEqual([]);
  });

  it("sends attachments beside the text", () => {
    const conversation = conversationOf("What is this?", [
      { type: "attachment", kind: "image", url: "https://example.com/a.png" },
      { type: "attachment", kind: "file", url: "data:,b" },
    ]);
    expect(requestFor({ conversation }).body).toMatchObject({
      input: "What is this?",
      attachments: [
        { type: "image", url: "https://example.com/a.png" },
        { type: "file", url: "data:,b" },
      ],
    });
  });

  it("sends the credential in the configured header", () => {
    const credential = new Secret("sk-1");
    expect(requestFor({}, { credential, authType: "bearer" }).headers.authorization).toBe("Bearer sk-1");
    expect(requestFor({}, { credential, authType: "x-api-key" }).headers["x-api-key"]).toBe("sk-1");
    expect(JSON.stringify(requestFor({}, { credential, authType: "none" }))).not.toContain("sk-1");
    expect(requestFor({}, { authType: "bearer" }).headers).not.toHaveProperty("authorization");
  });
});
