import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areValidWeights, DEFAULT_WEIGHTS, normaliseTask, normaliseWeights } from "./inference.ts";

describe("weights", () => {
  describe("areValidWeights and normaliseWeights", () => {
    it("accept three shares of 1", () => {
      expect(areValidWeights(DEFAULT_WEIGHTS)).toBe(true);
      expect(areValidWeights({ cost: 1, speed: 0, quality: 0 })).toBe(true);
      expect(areValidWeights({ cost: 0.33, speed: 0.33, quality: 0.33 })).toBe(true);
      expect(areValidWeights({ cost: 0.5, speed: 0.5, quality: 0.5 })).toBe(false);
      expect(areValidWeights({ cost: 1.2, speed: -0.2, quality: 0 })).toBe(false);
      expect(areValidWeights({ cost: 0, speed: 0, quality: 0 })).toBe(false);
    });

    it("keep the given weights and add up to 1, also for thirds", () => {
      expect(normaliseWeights({ cost: 0.5, speed: 0.25, quality: 0.25 })).toEqual({
        cost: 0.5,
        speed: 0.25,
        quality: 0.25,
      });
      expect(normaliseWeights({ cost: 0.33, speed: 0.33, quality: 0.33 })).toEqual({
        cost: 0.3333,
        speed: 0.3333,
        quality: 0.3334,
      });
    });

    it("are never negative and always add up to 1", () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      fc.assert(
        fc.property(share, share, (one, other) => {
          const [least, most] = [Math.min(one, other), Math.max(one, other)];
          const settled = normaliseWeights({ cost: least, speed: most - least, quality: 1 - most });
          expect(Math.min(settled.cost, settled.speed, settled.quality)).toBeGreaterThanOrEqual(0);
          expect(settled.cost + settled.speed + settled.quality).toBeCloseTo(1, 3);
        }),
      );
    });
  });
});

describe("task words", () => {
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
    ])("maps %s to %s", (task, kind) => {
      expect(normaliseTask(task)).toMatchObject({ kind, known: true });
    });

    it("treats case, underscores, hyphens and spaces alike", () => {
      for (const task of ["Text Generation", "TEXT_GENERATION", " text--generation ", "text_-Generation"]) {
        expect(normaliseTask(task)).toEqual({ kind: "text", word: "text-generation", known: true });
      }
    });

    it("keeps the client's own word, since models list it among their specialties", () => {
      expect(normaliseTask("Translation").word).toBe("translation");
      expect(normaliseTask("Legal Advice")).toEqual({ kind: "text", word: "legal-advice", known: false });
    });

    it("accepts any word, and changes nothing when applied to its own result", () => {
      fc.assert(
        fc.property(fc.string({ maxLength: 64 }), (text) => {
          const task = normaliseTask(text);
          expect(normaliseTask(task.word)).toEqual(task);
        }),
      );
    });

    it("is not confused by the names of Object members", () => {
      expect(normaliseTask("constructor").known).toBe(false);
      expect(normaliseTask("__proto__").known).toBe(false);
    });
  });
});
