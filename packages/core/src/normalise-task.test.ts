import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseTask } from "./normalise-task.ts";

describe("normaliseTask", () => {
  it.each([
    ["chat", "chat"],
    ["text", "text"],
    ["text-generation", "text"],
    ["generate_text", "text"],
    ["completion", "text"],
    ["code", "code"],
    ["coding", "code"],
    ["code-generation", "code"],
    ["analysis", "analysis"],
    ["summarization", "analysis"],
    ["classification", "analysis"],
    ["extraction", "analysis"],
    ["translation", "analysis"],
    ["image", "image"],
    ["image-generation", "image"],
    ["audio", "audio"],
    ["voice", "audio"],
    ["tts", "audio"],
    ["speech", "audio"],
    ["multimodal", "multimodal"],
    ["multi-modal", "multimodal"],
    ["vision", "multimodal"],
  ])("takes %s for %s", (task, kind) => {
    expect(normaliseTask(task)).toMatchObject({ kind, known: true });
  });

  it("reads case, underscores, hyphens and spaces alike", () => {
    for (const task of ["Text Generation", "TEXT_GENERATION", " text--generation ", "text_-Generation"]) {
      expect(normaliseTask(task)).toEqual({ kind: "text", word: "text-generation", known: true });
    }
  });

  it("keeps the client's own word, since models list it among their specialties", () => {
    expect(normaliseTask("Translation").word).toBe("translation");
    expect(normaliseTask("Legal Advice")).toEqual({ kind: "text", word: "legal-advice", known: false });
  });

  it("takes any word, and changes nothing when it is applied to its own word", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 64 }), (text) => {
        const task = normaliseTask(text);
        expect(normaliseTask(task.word)).toEqual(task);
      }),
    );
  });

  it("is not fooled by the names of object members", () => {
    expect(normaliseTask("constructor").known).toBe(false);
    expect(normaliseTask("__proto__").known).toBe(false);
  });
});
