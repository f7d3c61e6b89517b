import { type Content, type Conversation, conversationOf, type Tool } from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { toConverseBody } from "./request.ts";

const SONNET = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const NOVA = "amazon.nova-pro-v1:0";
const LOOK: Tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
const PNG = "data:image/png;base64,AAAA";

function ask(inference: Partial<Inference>, upstreamModel = SONNET) {
  const dropped: string[] = [];
  const body = toConverseBody({
    model: makeModel({ upstreamModel }),
    inference: makeInference(inference),
    requestId: "r1",
    onUnsupported: (field) => void dropped.push(field),
  });
  return { body: JSON.parse(JSON.stringify(body)), dropped };
}
const withContent = (...content: readonly Content[]) =>
  ask({ conversation: { messages: [{ role: "user", content }], tools: [] } }).body.messages[0].content;
const withParameters = (parameters: Partial<Parameters>, name = SONNET, more: Partial<Conversation> = {}) =>
  ask({ conversation: { ...conversationOf("Hi."), ...more }, parameters: { ...NO_PARAMETERS, ...parameters } }, name);
const text = (words: string): Content => ({ type: "text", text: words });

describe("a conversation for the Converse API", () => {
  it("has turns with blocks, and instructions separately", () => {
    const { body, dropped } = ask({
      conversation: {
        messages: [
          { role: "system", content: [text("Be kind.")] },
          { role: "user", content: [text("Weather?")] },
          {
            role: "assistant",
            content: [
              { type: "thinking", text: "Hm.", signature: "sig" },
              { type: "thinking", text: "", sealed: "c2VhbGVk" },
              { type: "tool-call", id: "t1", name: "look", arguments: '{"at":"Bern"}' },
            ],
          },
          { role: "tool", content: [{ type: "tool-result", id: "t1", text: "Broken.", isError: true }] },
          { role: "system", content: [text("In French.")] },
        ],
        tools: [LOOK],
      },
    });
    expect(body).toEqual({
      system: [{ text: "Be kind." }],
      messages: [
        { role: "user", content: [{ text: "Weather?" }] },
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } },
            { reasoningContent: { redactedContent: "c2VhbGVk" } },
            { toolUse: { toolUseId: "t1", name: "look", input: { at: "Bern" } } },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "t1", content: [{ text: "Broken." }], status: "error" } },
            { text: "<system>\nIn French.\n</system>" },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 4096 },
      toolConfig: {
        tools: [{ toolSpec: { name: "look", description: "Looks.", inputSchema: { json: { type: "object" } } } }],
      },
    });
    expect(dropped).toEqual([]);
  });

  it("has cache points after what they mark", () => {
    const cache = { ttl: "1h" } as const;
    const point = { cachePoint: { type: "default", ttl: "1h" } };
    const { body } = ask({
      conversation: {
        messages: [
          { role: "system", content: [{ type: "text", text: "Long.", cache: { ttl: undefined } }] },
          {
            role: "user",
            content: [
              { type: "text", text: "One", cache },
              { type: "attachment", kind: "image", url: PNG, cache },
            ],
          },
          {
            role: "assistant",
            content: [{ type: "tool-call", id: "t1", name: "look", arguments: "{}", cache }],
          },
          { role: "tool", content: [{ type: "tool-result", id: "t1", text: "Rain.", cache }] },
        ],
        tools: [{ ...LOOK, cache }],
      },
    });
    expect(body.system).toEqual([{ text: "Long." }, { cachePoint: { type: "default" } }]);
    const contents = body.messages.map(({ content }: { content: unknown[] }) => content);
    expect(contents[0]).toEqual([
      { text: "One" },
      point,
      { image: { format: "png", source: { bytes: "AAAA" } } },
      point,
    ]);
    expect([contents[1][1], contents[2][1], body.toolConfig.tools[1]]).toEqual([point, point, point]);
  });

  it("has documents with names that the API accepts, each unique", () => {
    const file = (url: string, name?: string): Content => ({ type: "attachment", kind: "file", url, name });
    expect(
      withContent(
        file("data:application/pdf;base64,JVBERi0=", "Größe_2026/final.pdf"),
        file("data:text/csv;base64,YQ==", "a.csv"),
        file("data:text/markdown;base64,YQ==", "a.md"),
        file("data:application/json;base64,e30="),
      ),
    ).toEqual([
      { document: { format: "pdf", name: "Gr e 2026 final", source: { bytes: "JVBERi0=" } } },
      { document: { format: "csv", name: "a", source: { bytes: "YQ==" } } },
      { document: { format: "md", name: "a 2", source: { bytes: "YQ==" } } },
      { document: { format: "txt", name: "document", source: { bytes: "e30=" } } },
    ]);
  });

  it("has tool results with images, and never an empty one", () => {
    const picture = { type: "attachment", kind: "image", url: PNG } as const;
    expect(
      withContent(
        { type: "tool-result", id: "t1", text: "", attachments: [picture] },
        { type: "tool-result", id: "t2", text: "" },
      ),
    ).toMatchObject([
      { toolResult: { content: [{ image: { format: "png" } }] } },
      { toolResult: { content: [{ text: "(nothing)" }] } },
    ]);
  });

  it.each([
    ["image", "https://example.test/a.png"],
    ["image", "data:image/tiff;base64,AAAA"],
    ["audio", "data:audio/wav;base64,AAAA"],
    ["file", "data:application/zip;base64,AAAA"],
  ] as const)("with %s %s is left to another model", (kind, url) => {
    expect(() => withContent({ type: "attachment", kind, url })).toThrow(
      expect.objectContaining({ kind: "rejected", blamesEndpoint: false }),
    );
  });
});

describe("tools for the Converse API", () => {
  const choose = (more: Partial<Conversation>, name = SONNET) => withParameters({}, name, { tools: [LOOK], ...more });

  it.each<[Partial<Conversation>, unknown, string[]]>([
    [{}, undefined, []],
    [{ toolChoice: "auto" }, { auto: {} }, []],
    [{ toolChoice: "required" }, { any: {} }, []],
    [{ toolChoice: { name: "look" } }, { tool: { name: "look" } }, []],
    [{ parallelToolCalls: false }, undefined, ["parallel_tool_calls"]],
  ])("are chosen according to %j", (more, toolChoice, dropped) => {
    const asked = choose(more);
    expect(asked.body.toolConfig.toolChoice).toEqual(toolChoice);
    expect(asked.dropped).toEqual(dropped);
  });

  it("are left out where none may be called, unless some were called before", () => {
    expect(choose({ toolChoice: "none" })).toMatchObject({ dropped: [] });
    expect(choose({ toolChoice: "none" }).body).not.toHaveProperty("toolConfig");
    const called: Content = { type: "tool-call", id: "t1", name: "seek", arguments: "{}" };
    const messages = [{ role: "assistant", content: [called] }] as const;
    expect(choose({ messages, toolChoice: "none" })).toMatchObject({
      body: { toolConfig: { tools: [{ toolSpec: { name: "look" } }] } },
      dropped: ["tool_choice"],
    });
    expect(choose({ messages, tools: [] })).toMatchObject({
      body: { toolConfig: { tools: [{ toolSpec: { name: "seek" } }] } },
      dropped: [],
    });
  });
});

describe("parameters for the Converse API", () => {
  it("are passed on, Claude's own beside the common ones", () => {
    const { body, dropped } = withParameters({ maxTokens: 50, temperature: 0.5, topK: 40, stop: ["END"] });
    expect(body.inferenceConfig).toEqual({ maxTokens: 50, temperature: 0.5, stopSequences: ["END"] });
    expect(body.additionalModelRequestFields).toEqual({ top_k: 40 });
    expect(body.additionalModelResponseFieldPaths).toEqual(["/stop_sequence"]);
    expect(dropped).toEqual([]);
  });

  it("that another vendor's model does not support are reported", () => {
    const given = { topP: 0.9, topK: 40, thinking: { effort: "high" }, seed: 1, temperature: 1.5 } as const;
    const { body, dropped } = withParameters(given, NOVA);
    expect(body.inferenceConfig).toEqual({ maxTokens: 4096, temperature: 1, topP: 0.9 });
    expect(body).not.toHaveProperty("additionalModelRequestFields");
    expect(dropped.toSorted()).toEqual(["seed", "temperature", "thinking", "top_k"]);
  });

  it("request thinking from Claude in the form it accepts", () => {
    expect(withParameters({ thinking: { effort: "low" } }).body.additionalModelRequestFields).toEqual({
      thinking: { type: "enabled", budget_tokens: 2_048 },
    });
    const opus = withParameters({ thinking: { effort: "high" } }, "anthropic.claude-opus-4-8-v1:0");
    expect(opus.body.additionalModelRequestFields).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
  });

  it("enforce a schema where that is supported", () => {
    const schema = { type: "object", properties: {} };
    const answerForm = { type: "schema", name: "place", schema } as const;
    for (const name of [SONNET, "openai.gpt-oss-120b-1:0", "qwen.qwen3-32b-v1:0"])
      expect(withParameters({}, name, { answerForm })).toMatchObject({
        body: {
          outputConfig: {
            textFormat: {
              type: "json_schema",
              structure: {
                jsonSchema: {
                  name: "place",
                  schema: '{"type":"object","properties":{},"additionalProperties":false}',
                },
              },
            },
          },
        },
        dropped: [],
      });
    const nova = withParameters({}, NOVA, { answerForm });
    expect(nova.body.system[0].text).toContain(JSON.stringify(schema));
    expect(nova.dropped).toEqual(["response_format"]);
  });

  it("of other formats are reported", () => {
    const extras = { wire: "anthropic", fields: { metadata: { user_id: "u1" } } } as const;
    expect(ask({ extras }).dropped).toEqual(["metadata"]);
  });
});
