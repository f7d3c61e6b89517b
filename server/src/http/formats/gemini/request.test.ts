import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readGenerateContentRequest } from "./request.ts";

const said = (...parts: unknown[]) => ({ contents: [{ role: "user", parts }] });
const read = (more: Record<string, unknown> = {}) =>
  readGenerateContentRequest({ ...said({ text: "Hello" }), ...more }, "plain", false);

describe("a wrong field is named", () => {
  it.each([
    ["contents", { contents: undefined }],
    ["contents", { contents: [] }],
    ["contents[0].role", { contents: [{ role: "robot", parts: [] }] }],
    ["contents[0].parts", { contents: [{ role: "user" }] }],
    ["contents[0].parts[0]", said({})],
    ["contents[0].parts[0].text", said({ text: 7 })],
    ["contents[0].parts[0].inlineData.mimeType", said({ inlineData: { mimeType: "x,y", data: "aa" } })],
    ["contents[0].parts[0].inlineData.data", said({ inline_data: { mime_type: "image/png" } })],
    ["contents[0].parts[0].fileData.fileUri", said({ fileData: { fileUri: "gs://bucket/x" } })],
    ["contents[0].parts[0].functionCall.name", said({ functionCall: {} })],
    ["tools[0].functionDeclarations[0].name", { tools: [{ functionDeclarations: [{}] }] }],
    ["toolConfig.functionCallingConfig.mode", { toolConfig: { functionCallingConfig: { mode: "MAYBE" } } }],
    ["toolConfig.functionCallingConfig", { toolConfig: { functionCallingConfig: { mode: "ANY" } } }],
    ["generationConfig.temperature", { generationConfig: { temperature: 9 } }],
    ["generationConfig.candidateCount", { generationConfig: { candidateCount: 0 } }],
    ["generationConfig.responseMimeType", { generationConfig: { responseMimeType: "text/x.enum" } }],
    [
      "generationConfig.thinkingConfig.thinkingLevel",
      { generationConfig: { thinkingConfig: { thinkingLevel: "DEEP" } } },
    ],
    ["cachedContent", { cachedContent: "cachedContents/1" }],
  ])("%s, of %j", (param, more) => {
    const { type, details } = faultOf(() => read(more));
    expect(type).toBe("invalid_request");
    expect(details.param).toBe(param);
  });
});

describe("contents", () => {
  it("match results to calls by name and order where there are no ids", () => {
    const { conversation } = read({
      contents: [
        {
          role: "model",
          parts: [
            { functionCall: { name: "look", args: { at: 1 } } },
            { functionCall: { name: "look", args: { at: 2 } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "look", response: { output: "One" } } },
            { functionResponse: { name: "look", response: { error: "Dark" } } },
          ],
        },
      ],
    });
    const [calls, results] = conversation.messages.map(({ content }) => content);
    const ids = calls?.map((content) => (content.type === "tool-call" ? content.id : ""));
    expect(new Set(ids).size).toBe(2);
    expect(results).toMatchObject([
      { type: "tool-result", id: ids?.[0], text: '{"output":"One"}' },
      { type: "tool-result", id: ids?.[1], isError: true },
    ]);
  });

  it("turn text that comes as data into text", () => {
    const data = Buffer.from("Words all the same").toString("base64");
    const { conversation } = read(said({ inlineData: { mimeType: "text/plain", data } }));
    expect(conversation.messages[0]?.content).toEqual([{ type: "text", text: "Words all the same" }]);
  });

  it.each([
    [{ thinkingBudget: 0 }, { budgetTokens: 0 }],
    [{ thinkingBudget: 500 }, { budgetTokens: 500 }],
    [{ thinkingLevel: "low" }, { effort: "low" }],
    [{ thinkingBudget: -1, includeThoughts: true }, {}],
    [{ includeThoughts: false }, undefined],
  ])("with %j ask for the thinking %j", (thinkingConfig, thinking) => {
    expect(read({ generationConfig: { thinkingConfig } }).parameters.thinking).toEqual(thinking);
  });

  it("give a model only the functions that it may be made to call", () => {
    const functionDeclarations = ["a", "b", "c"].map((name) => ({ name }));
    const asked = (allowedFunctionNames: readonly string[]) =>
      read({
        tools: [{ functionDeclarations }],
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames } },
      }).conversation;
    expect(asked(["a", "b"])).toMatchObject({
      toolChoice: "required",
      tools: [{ name: "a" }, { name: "b" }],
    });
    expect(asked(["b"])).toMatchObject({ toolChoice: { name: "b" } });
  });
});
