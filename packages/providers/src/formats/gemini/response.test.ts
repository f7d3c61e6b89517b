import { readFileSync } from "node:fs";
import { wavDurationMs } from "@trunkline/core/audio-length.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import {
  expectNeverShort,
  expectSameForEveryCut,
  readPieces,
  type WireAnswer,
} from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { geminiFormat } from "./format.ts";

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

function answerOf(bytes: Buffer | object, model: Partial<Model> = {}, inference: Partial<Inference> = {}): WireAnswer {
  const isBytes = Buffer.isBuffer(bytes);
  return {
    format: geminiFormat,
    call: {
      model: makeModel({ wire: "gemini", ...model }),
      inference: makeInference(inference),
      requestId: "r1",
      signal: new AbortController().signal,
    },
    bytes: isBytes ? bytes : Buffer.from(JSON.stringify(bytes)),
    streaming: isBytes && bytes.subarray(0, 5).toString() === "data:",
  };
}

const read = (bytes: Buffer | object, model: Partial<Model> = {}) => {
  const answer = answerOf(bytes, model);
  return readPieces(answer, [answer.bytes]);
};

const ended = (finishReason: string, parts: readonly object[] = [{ text: "hi" }]) => ({
  candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
});

describe("an answer with more candidates than requested", () => {
  it.each([1, -1, 0.5, 1e9])("is refused: the one at %d", (index) => {
    const { candidates } = ended("STOP");
    expect(() => read({ candidates: [...candidates, { ...candidates[0], index }] })).toThrow(
      "gave more answers than were asked for",
    );
  });
});

describe("a stream of Gemini", () => {
  it.each<[string, Part[], Partial<Inference>]>([
    [
      "stream-text.sse",
      [
        { type: "text", text: "Grüße aus 東京 👋." },
        { type: "usage", inputTokens: 7, outputTokens: 7, cachedInputTokens: 4 },
        { type: "finish", reason: "stop" },
      ],
      {},
    ],
    [
      "stream-tools.sse",
      [
        { type: "thinking", text: "**Looking** it up. Two cities." },
        { type: "text", text: "Let me check." },
        {
          type: "tool-call",
          id: "made-up",
          name: "get_weather",
          arguments: '{"city":"Zürich","days":[1,2]}',
          signature: "CpYBAdHtim8=",
        },
        { type: "tool-call", id: "fc-2", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { type: "thinking", text: "", signature: "EjQKMgEM" },
        { type: "usage", inputTokens: 41, outputTokens: 54, reasoningTokens: 30 },
        { type: "finish", reason: "tool-calls" },
      ],
      {},
    ],
    [
      "stream-candidates.sse",
      [
        { type: "text", text: "He" },
        { type: "text", text: "Good", choice: 1 },
        { type: "text", text: "llo" },
        { type: "text", text: " day", choice: 1 },
        {
          type: "logprobs",
          content: [
            {
              token: "He",
              logprob: -0.5,
              bytes: [72, 101],
              top_logprobs: [
                { token: "He", logprob: -0.5, bytes: [72, 101] },
                { token: "No", logprob: -2.5, bytes: [78, 111] },
              ],
            },
            expect.objectContaining({ token: "llo", logprob: -0.25 }),
          ],
        },
        { type: "usage", inputTokens: 3, outputTokens: 4 },
        { type: "finish", reason: "stop" },
        { type: "finish", reason: "length", choice: 1 },
      ],
      { parameters: { ...NO_PARAMETERS, choices: 2 } },
    ],
    [
      "stream-safety.sse",
      [
        { type: "text", text: "First, you" },
        { type: "usage", inputTokens: 5, outputTokens: 3 },
        { type: "finish", reason: "refused" },
      ],
      {},
    ],
  ])("is the same wherever it is cut, and never taken for complete when truncated: %s", (name, parts, inference) => {
    const answer = answerOf(fixture(name), {}, inference);
    expect(expectSameForEveryCut(answer)).toEqual(parts);
    expectNeverShort(answer);
  });

  it("fails with an error in its middle, wherever it is cut", () => {
    const answer = answerOf(fixture("stream-error.sse"));
    expect(() => readPieces(answer, [answer.bytes])).toThrow(
      expect.objectContaining({
        kind: "broken",
        reason: "reported an error: The model is overloaded. Please try again later.",
      }),
    );
    for (let at = 0; at <= answer.bytes.length; at += 1) {
      expect(() => readPieces(answer, [answer.bytes.subarray(0, at), answer.bytes.subarray(at)])).toThrow();
    }
  });

  it("may end with a gateway's end marker", () => {
    const bytes = Buffer.concat([fixture("stream-text.sse"), Buffer.from("data: [DONE]\n\n")]);
    expect(expectSameForEveryCut(answerOf(bytes)).at(-1)).toEqual({ type: "finish", reason: "stop" });
  });

  it("is broken where it is empty", () => {
    expect(() => read(Buffer.from("data: {}\n\n"))).toThrow("the answer has no candidates");
    expect(() => read(Buffer.from(""))).toThrow("the answer has no candidates");
  });
});

describe("a whole answer of Gemini", () => {
  it("has its text, its thinking tokens, and its signature", () => {
    const answer = answerOf(JSON.parse(fixture("whole-text.json").toString()));
    expect(expectSameForEveryCut(answer)).toEqual([
      { type: "text", text: "Why, 2 + 2 is 4." },
      { type: "thinking", text: "", signature: "EjQKMgEM" },
      {
        type: "usage",
        inputTokens: 11,
        outputTokens: 129,
        cachedInputTokens: 6,
        reasoningTokens: 120,
      },
      { type: "finish", reason: "stop" },
    ]);
    expectNeverShort(answer);
  });

  it("is refused where the prompt was blocked", () => {
    expect(read(fixture("whole-blocked.json"))).toEqual([
      { type: "usage", inputTokens: 12, outputTokens: 0 },
      { type: "finish", reason: "refused" },
    ]);
  });

  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "refused"],
    ["RECITATION", "refused"],
    ["LANGUAGE", "refused"],
    ["BLOCKLIST", "refused"],
    ["PROHIBITED_CONTENT", "refused"],
    ["SPII", "refused"],
    ["OTHER", "unknown"],
    ["FINISH_REASON_UNSPECIFIED", "unknown"],
    ["constructor", "unknown"],
  ])("that ended with %s ends with %s", (given, reason) => {
    expect(read(ended(given)).at(-1)).toEqual({ type: "finish", reason });
  });

  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])(
    "that ended with %s fails",
    (reason) => {
      expect(() => read(ended(reason))).toThrow(expect.objectContaining({ kind: "broken", blamesEndpoint: false }));
    },
  );

  it("that was truncated at its limit is no tool call", () => {
    const call = { functionCall: { name: "look" } };
    expect(read(ended("MAX_TOKENS", [call])).at(-1)).toEqual({ type: "finish", reason: "length" });
    expect(read(ended("STOP", [call]))).toEqual([
      { type: "tool-call", id: "made-up", name: "look", arguments: "{}" },
      { type: "finish", reason: "tool-calls" },
    ]);
  });

  it("is broken without a finish reason, or without candidates", () => {
    expect(() => read({ candidates: [{ content: { parts: [{ text: "hi" }] } }] })).toThrow(
      "ended its answer before it was finished",
    );
    expect(() => read({ candidates: [] })).toThrow("the answer has no candidates");
  });

  it("passes on invalid usage, which billing checks", () => {
    const answer = { ...ended("STOP"), usageMetadata: { candidatesTokenCount: "many" } };
    expect(read(answer)).toContainEqual({ type: "usage", inputTokens: undefined, outputTokens: "many" });
  });

  it("counts what tools read as input", () => {
    const usageMetadata = { promptTokenCount: 2, toolUsePromptTokenCount: 3, candidatesTokenCount: 1 };
    expect(read({ ...ended("STOP"), usageMetadata })).toContainEqual({
      type: "usage",
      inputTokens: 5,
      outputTokens: 1,
    });
  });
});

describe("an image of Gemini", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";

  it("is media, with the text beside it", () => {
    expect(read(fixture("whole-image.json"), { type: "image" })).toEqual([
      { type: "text", text: "Here is your circle." },
      { type: "media", kind: "image", url, source: { image_url: url } },
      { type: "usage", inputTokens: 6, outputTokens: 1290 },
      { type: "finish", reason: "stop" },
    ]);
  });

  it("that is missing is a broken or refused answer", () => {
    expect(() => read(ended("STOP"), { type: "image" })).toThrow("answered without an image");
    expect(() => read(ended("IMAGE_SAFETY"), { type: "image" })).toThrow(
      expect.objectContaining({ kind: "rejected", blamesEndpoint: false }),
    );
    expect(() => read(fixture("whole-blocked.json"), { type: "image" })).toThrow("refused to make this image");
  });
});

describe("embeddings of Gemini", () => {
  const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
  const embedding = (bytes: Buffer | object, ...inputs: string[]) =>
    answerOf(bytes, { type: "embedding" }, { conversation: { messages: inputs.map(user), tools: [] } });

  it("are one vector per input", () => {
    const answer = { ...embedding(fixture("embeddings.json"), "one", "two"), streaming: false };
    expect(expectSameForEveryCut(answer)).toEqual([
      { type: "embedding", index: 0, vector: [0.013168523, -0.008711934] },
      { type: "embedding", index: 1, vector: [0.5, 0.25] },
      { type: "finish", reason: "stop" },
    ]);
    expectNeverShort(answer);
  });

  it("have usage where it is reported", () => {
    const answer = embedding({ embeddings: [{ values: [1] }], usageMetadata: { promptTokenCount: 3 } }, "one");
    expect(readPieces(answer, [answer.bytes])).toContainEqual({
      type: "usage",
      inputTokens: 3,
      outputTokens: 0,
    });
  });

  it("are broken where there are too few, or none", () => {
    const one = embedding({ embeddings: [{ values: [1] }] }, "one", "two");
    expect(() => readPieces(one, [one.bytes])).toThrow("answered with 1 vector to 2 inputs");
    const none = embedding({}, "one");
    expect(() => readPieces(none, [])).toThrow("answered with 0 vectors to 1 input");
  });

  it("of Vertex AI are read with the tokens of each text", () => {
    const prediction = (values: readonly number[], count: number) => ({
      embeddings: { values, statistics: { token_count: count, truncated: false } },
    });
    const answer = embedding({ predictions: [prediction([1], 3), prediction([2], 4)] }, "one", "two");
    expect(readPieces(answer, [answer.bytes])).toEqual([
      { type: "embedding", index: 0, vector: [1] },
      { type: "embedding", index: 1, vector: [2] },
      { type: "usage", inputTokens: 7, outputTokens: 0 },
      { type: "finish", reason: "stop" },
    ]);
  });
});

describe("speech of Gemini", () => {
  it("is made a file that can be played, as long as its samples", () => {
    const second = Buffer.alloc(48_000, 1).toString("base64");
    const parts = [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: second } }];
    const [media] = read(ended("STOP", parts), { type: "audio" }).filter(({ type }) => type === "media");
    const url = media?.type === "media" ? media.url : "";
    expect(url).toMatch(/^data:audio\/wav;base64,UklGR/);
    expect(wavDurationMs(url)).toBe(1_000);
  });
});
