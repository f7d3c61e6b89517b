import { NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { requestsIn, say, text } from "@trunkline/testing/wire-request.ts";
import { describe, expect, it } from "vitest";
import { geminiFormat } from "./format.ts";

const BASE = "https://generativelanguage.googleapis.com";
const { send, sendTalk, ask } = requestsIn(geminiFormat, {
  wire: "gemini",
  endpoint: BASE,
  upstreamModel: "gemini-2.5-flash",
});
const tool = (inputSchema: unknown) => ({ name: "look", description: "Looks.", inputSchema });

describe("parameters for Gemini", () => {
  it("have Gemini's names", () => {
    const { body, dropped } = ask({
      temperature: 0,
      topP: 0.9,
      topK: 40,
      maxTokens: 100,
      stop: ["END"],
      seed: 7,
      choices: 2,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      logprobs: 3,
    });
    expect(body.generationConfig).toEqual({
      temperature: 0,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
      candidateCount: 2,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 3,
    });
    expect(dropped).toEqual([]);
    expect(ask({ choices: 1, logprobs: 0 }).body.generationConfig).toEqual({ responseLogprobs: true });
  });

  it.each([
    ["gemini-2.5-flash", { effort: "none" }, { thinkingBudget: 0, includeThoughts: false }],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128, includeThoughts: false }],
    ["gemini-2.5-flash", { effort: "medium" }, { thinkingBudget: 8_192, includeThoughts: true }],
    ["gemini-2.5-flash", { budgetTokens: 2_000 }, { thinkingBudget: 2_000, includeThoughts: true }],
    ["gemini-flash-latest", { effort: "low" }, { thinkingBudget: 1_024, includeThoughts: true }],
    ["gemini-3-pro-preview", { effort: "xhigh" }, { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-3-pro-preview", { effort: "none" }, { thinkingLevel: "minimal", includeThoughts: false }],
    ["gemini-3-pro-preview", { budgetTokens: 0 }, { thinkingBudget: 0, includeThoughts: false }],
    ["gemini-2.5-flash", {}, { includeThoughts: true }],
  ] as const)("limit thinking: %s, %j", (upstreamModel, thinking, thinkingConfig) => {
    const { body } = ask({ thinking }, { upstreamModel });
    expect(body.generationConfig).toEqual({ thinkingConfig });
  });

  it("are reported where they are not supported", () => {
    expect(ask({ thinking: { effort: "low" } }, { upstreamModel: "gemini-2.0-flash" }).dropped).toEqual(["thinking"]);
    const many = ask({
      stop: ["1", "2", "3", "4", "5", "6"],
      seed: 2 ** 40,
      size: "16x16",
      voice: "v",
      format: "f",
      pace: 2,
      dimensions: 3,
      others: { user: "u" },
    });
    expect(many.dropped).toEqual(["dimensions", "format", "seed", "size", "speed", "stop", "user", "voice"]);
    expect(many.body.generationConfig).toEqual({ stopSequences: ["1", "2", "3", "4", "5"] });
    const cache = { ttl: undefined };
    const marks = sendTalk({
      messages: [
        say("user", { ...text("Hi."), cache }),
        say("user", { type: "attachment", kind: "image", url: "data:,", detail: "low", name: "a.png" }),
        say("assistant", { type: "thinking", text: "", sealed: "x" }),
      ],
      tools: [{ ...tool({}), strict: true }],
      parallelToolCalls: false,
    });
    expect(marks.dropped).toEqual(["cache_control", "detail", "filename", "parallel_tool_calls", "strict", "thinking"]);
  });

  it("of one format only are kept for that format", () => {
    const fields = { safetySettings: [], generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW" } };
    const parameters = { ...NO_PARAMETERS, temperature: 1 };
    const own = send({ extras: { wire: "gemini", fields }, parameters });
    expect(own.body).toMatchObject({
      safetySettings: [],
      generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW", temperature: 1 },
    });
    const other = send({ extras: { wire: "openai", fields: { user: "u" } } });
    expect([other.body.user, other.dropped]).toEqual([undefined, ["user"]]);
  });

  it("give an image its aspect ratio", () => {
    const shape = (size: string | undefined) => {
      const { body, dropped, streaming } = ask({ size }, { type: "image" });
      expect(streaming).toBe(false);
      return [body.generationConfig.responseModalities, body.generationConfig.imageConfig, dropped];
    };
    const both = ["TEXT", "IMAGE"];
    expect(shape(undefined)).toEqual([both, undefined, []]);
    expect(shape("1024x1024")).toEqual([both, undefined, []]);
    expect(shape("1792x1024")).toEqual([both, undefined, ["size"]]);
    expect(shape("1536x1024")).toEqual([both, { aspectRatio: "3:2" }, []]);
    expect(shape("1080x1920")).toEqual([both, { aspectRatio: "9:16" }, []]);
  });
});

describe("inputs for Gemini embeddings", () => {
  it("are sent all at once", () => {
    const conversation = { messages: [say("user", text("one")), say("user", text("two"))], tools: [] };
    const parameters = { ...NO_PARAMETERS, dimensions: 256 };
    const model = { type: "embedding" as const, upstreamModel: "gemini-embedding-001" };
    const { url, body, streaming, dropped } = send({ conversation, parameters }, model);
    expect(url).toBe(`${BASE}/v1beta/models/gemini-embedding-001:batchEmbedContents`);
    const request = (words: string) => ({
      model: "models/gemini-embedding-001",
      content: { parts: [{ text: words }] },
      outputDimensionality: 256,
    });
    expect(body).toEqual({ requests: [request("one"), request("two")] });
    expect([streaming, dropped]).toEqual([false, []]);
  });

  it("go to another operation of Vertex AI", () => {
    const conversation = { messages: [say("user", text("one")), say("user", text("two"))], tools: [] };
    const endpoint = "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google";
    const model = { type: "embedding" as const, upstreamModel: "gemini-embedding-001", endpoint };
    const { url, body } = send({ conversation, parameters: { ...NO_PARAMETERS, dimensions: 256 } }, model);
    expect(url).toBe(`${endpoint}/models/gemini-embedding-001:predict`);
    expect(body).toEqual({
      instances: [{ content: "one" }, { content: "two" }],
      parameters: { outputDimensionality: 256 },
    });
  });
});

describe("speech of Gemini", () => {
  const model = { type: "audio" as const, upstreamModel: "gemini-2.5-flash-preview-tts" };
  const speak = (parameters: { voice?: string; format?: string }) =>
    send({ parameters: { ...NO_PARAMETERS, ...parameters } }, model);

  it("is requested whole, with a voice of Gemini's own", () => {
    const { url, body, streaming, dropped } = speak({ voice: "Kore", format: "wav" });
    expect(url).toBe(`${BASE}/v1beta/models/gemini-2.5-flash-preview-tts:generateContent`);
    expect(body.generationConfig).toEqual({
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    });
    expect([streaming, dropped]).toEqual([false, []]);
  });

  it("has its usual voice where another vendor's is named, and is WAV whatever is asked for", () => {
    const { body, dropped } = speak({ voice: "alloy", format: "mp3" });
    expect(body.generationConfig).toEqual({ responseModalities: ["AUDIO"] });
    expect(dropped.toSorted()).toEqual(["format", "voice"]);
  });
});
