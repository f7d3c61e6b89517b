import { describe, expect, it } from "vitest";
import { CollectedAnswer } from "./collected-answer.ts";
import type { Part } from "./parts.ts";

const PARTS: readonly Part[] = [
  { type: "thinking", text: "Hm. " },
  { type: "text", text: "Hello" },
  { type: "text", text: "Hi", choice: 1 },
  { type: "tool-call", id: "1", name: "look", arguments: "{}", choice: 1 },
  { type: "text", text: " world", choice: 0 },
  { type: "finish", reason: "length", choice: 1 },
  { type: "usage", inputTokens: 1, outputTokens: 2 },
  { type: "finish", reason: "stop" },
];

describe("a collected answer", () => {
  it("has the text and the end of its first choice, and the output of all in the order of arrival", () => {
    const answer = CollectedAnswer.of(PARTS);
    expect(answer.text).toBe("Hello world");
    expect(answer.output).toBe("Hm. HelloHi{} world");
    expect(answer.finish).toEqual({ type: "finish", reason: "stop" });
    expect(answer.hasToolCalls).toBe(false);
    expect(answer.parts).toEqual(PARTS);
  });

  it("keeps no parts where they are not needed, and the same text", () => {
    const answer = new CollectedAnswer(false);
    for (const part of PARTS) answer.add(part);
    expect(answer.parts).toEqual([]);
    expect(answer.output).toBe(CollectedAnswer.of(PARTS).output);
  });

  it("knows its first picture or sound, its embeddings, and the tool calls of its first choice", () => {
    const first: Part = { type: "media", kind: "image", url: "https://example.test/1.png", source: {} };
    const pictures = CollectedAnswer.of([first, { ...first, url: "https://example.test/2.png" }]);
    expect(pictures.media).toEqual(first);
    expect(pictures.hasMediaOrEmbeddings).toBe(true);
    expect(CollectedAnswer.of([{ type: "embedding", index: 0, vector: [1] }]).hasMediaOrEmbeddings).toBe(true);
    expect(CollectedAnswer.of(PARTS).hasMediaOrEmbeddings).toBe(false);
    const call: Part = { type: "tool-call", id: "1", name: "look", arguments: "{}" };
    expect(CollectedAnswer.of([call]).hasToolCalls).toBe(true);
  });
});
