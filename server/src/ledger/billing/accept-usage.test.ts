import type { UsagePart } from "@trunkline/core/parts.ts";
import type { AudioLength } from "@trunkline/core/route.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import { SILENT } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptAudio, acceptUsage, addAudio, type GeneratedAudio, NO_GENERATED_AUDIO } from "./accept-usage.ts";

describe("acceptUsage", () => {
  const reported = (
    inputTokens: unknown,
    outputTokens: unknown,
    cachedInputTokens?: unknown,
    cacheWriteTokens?: unknown,
  ) => ({ type: "usage", inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }) as const;
  const OWN = { inputTokens: 100, outputTokens: 200 };
  const OURS = { ...OWN, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, source: "own" };

  /** No attachments, no reasoning, no limit. */
  const PLAIN = { maxOutputTokens: undefined, attachedTokens: 0, thinks: false };

  describe("a provider's count", () => {
    it.each([
      ["the same as ours", 100, 200],
      ["a bit more", 150, 260],
      ["a bit less", 60, 120],
      ["zero where ours is within the slack", 0, 0],
      ["at the upper edge", 100 * 5 + 256, 200 * 5 + 256],
    ])("is accepted when it is %s", (_what, input, output) => {
      expect(acceptUsage(reported(input, output), OWN, PLAIN)).toEqual({
        inputTokens: input,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: output,
        reasoningTokens: 0,
        source: "provider",
      });
    });

    it("of a well-known provider is accepted however high it is, but never too low", () => {
      const known = { ...PLAIN, maxOutputTokens: 1_000, believed: true };
      expect(acceptUsage(reported(900_000, 60_000), OWN, known)).toMatchObject({
        inputTokens: 900_000,
        outputTokens: 60_000,
        source: "provider",
      });
      const much = { inputTokens: 90_000, outputTokens: 900 };
      expect(acceptUsage(reported(0, 900), much, known)).toMatchObject({ ...much, source: "own" });
      expect(acceptUsage(reported(-1, 900), OWN, known)).toMatchObject({ source: "own" });
    });

    it.each([
      ["none", 0],
      ["some", 60],
      ["all", 100],
    ])("of cached input is accepted when it is %s", (_what, cached) => {
      expect(acceptUsage(reported(100, 200, cached), OWN, PLAIN)).toEqual({
        ...OWN,
        cachedInputTokens: cached,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        source: "provider",
      });
    });

    it.each([
      ["more than the input", 101],
      ["negative", -1],
      ["a fraction", 0.5],
      ["a text", "60"],
      ["null", null],
      ["not a number", Number.NaN],
    ])("of cached input is ignored when it is %s", (_what, cached) => {
      expect(acceptUsage(reported(100, 200, cached), OWN, PLAIN)).toEqual({
        ...OWN,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        source: "provider",
      });
    });

    it.each([
      ["none", 0, 0],
      ["some", 60, 60],
      ["all input that was not cached", 70, 70],
      ["more than that", 71, 0],
      ["negative", -1, 0],
      ["a fraction", 0.5, 0],
      ["a text", "60", 0],
      ["null", null, 0],
    ])("of cache writes is checked when it is %s", (_what, written, cacheWriteTokens) => {
      expect(acceptUsage(reported(100, 200, 30, written), OWN, PLAIN)).toEqual({
        ...OWN,
        cachedInputTokens: 30,
        cacheWriteTokens,
        reasoningTokens: 0,
        source: "provider",
      });
    });

    it("of cached input is ignored when the rest is not accepted", () => {
      expect(acceptUsage(reported(100, 1_000_000, 60), OWN, PLAIN)).toEqual(OURS);
    });

    it.each([
      ["missing", undefined, undefined],
      ["half missing", 100, undefined],
      ["null", null, null],
      ["a text", "100", "200"],
      ["negative", -1, 200],
      ["a fraction", 100.5, 200],
      ["not a number", Number.NaN, 200],
      ["infinite", 100, Number.POSITIVE_INFINITY],
      ["beyond safe integers", 100, 2 ** 53],
      ["a list", [100], [200]],
      ["far too much input", 100 * 5 + 257, 200],
      ["far too much output", 100, 200 * 5 + 257],
    ])("is not accepted when it is %s", (_what, input, output) => {
      expect(acceptUsage(reported(input, output), OWN, PLAIN)).toEqual(OURS);
    });

    it("is not accepted when it is far too small", () => {
      const own = { inputTokens: 10_000, outputTokens: 10_000 };
      expect(acceptUsage(reported(10, 10_000), own, PLAIN)).toEqual({ ...OURS, ...own });
      expect(acceptUsage(reported(10_000, 10), own, PLAIN)).toEqual({ ...OURS, ...own });
    });

    it("is not accepted above the requested maximum", () => {
      expect(acceptUsage(reported(100, 210), OWN, { ...PLAIN, maxOutputTokens: 205 })).toEqual(OURS);
      expect(acceptUsage(reported(100, 205), OWN, { ...PLAIN, maxOutputTokens: 205 })).toMatchObject({
        outputTokens: 205,
        source: "provider",
      });
    });

    it("is replaced by ours when it is missing", () => {
      expect(acceptUsage(undefined, OWN, PLAIN)).toEqual(OURS);
    });
  });

  describe("the accepted usage", () => {
    it("is whole, never negative, never above the request's limit and near our own count, for any report", () => {
      const anything = fc.oneof(fc.integer({ min: -10, max: 100_000 }), fc.anything(), fc.double());
      const own = fc.record({ inputTokens: fc.nat(50_000), outputTokens: fc.nat(50_000) });
      const limit = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined });
      fc.assert(
        fc.property(
          anything,
          anything,
          fc.tuple(anything, anything),
          own,
          limit,
          (input, output, [cached, written], counted, maxOutputTokens) => {
            const accepted = acceptUsage(reported(input, output, cached, written), counted, {
              ...PLAIN,
              maxOutputTokens,
            });
            const { cachedInputTokens, cacheWriteTokens } = accepted;
            const parts = [cachedInputTokens, cacheWriteTokens];
            for (const tokens of [accepted.inputTokens, accepted.outputTokens, ...parts]) {
              expect(Number.isSafeInteger(tokens)).toBe(true);
              expect(tokens).toBeGreaterThanOrEqual(0);
            }
            expect(cachedInputTokens + cacheWriteTokens).toBeLessThanOrEqual(accepted.inputTokens);
            expect(accepted.outputTokens).toBeLessThanOrEqual(maxOutputTokens ?? Number.POSITIVE_INFINITY);
            expect(accepted.inputTokens).toBeLessThanOrEqual(counted.inputTokens * 5 + 256);
            expect(accepted.outputTokens).toBeLessThanOrEqual(counted.outputTokens * 5 + 256);
          },
        ),
        { numRuns: 300 },
      );
    });

    it("excludes output beyond the limit", () => {
      expect(acceptUsage(undefined, { inputTokens: 5, outputTokens: 900 }, { ...PLAIN, maxOutputTokens: 100 })).toEqual(
        {
          inputTokens: 5,
          cachedInputTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 100,
          reasoningTokens: 0,
          source: "own",
        },
      );
    });

    it("accepts a provider's count for images up to a few times the estimate", () => {
      const withImage = { ...PLAIN, attachedTokens: 2_000 };
      expect(acceptUsage(reported(100 + 10_000, 200), OWN, withImage).source).toBe("provider");
      expect(acceptUsage(reported(100 + 10_001, 200), OWN, withImage)).toEqual(OURS);
      expect(acceptUsage(reported(100 + 10_000, 200), OWN, PLAIN)).toEqual(OURS);
    });

    it("accepts a reasoning model's hidden tokens up to the requested maximum", () => {
      const thinking = { ...PLAIN, maxOutputTokens: 50_000, thinks: true };
      expect(acceptUsage(reported(100, 50_000), OWN, thinking)).toMatchObject({
        outputTokens: 50_000,
        source: "provider",
      });
      expect(acceptUsage(reported(100, 50_001), OWN, thinking)).toEqual(OURS);
      expect(acceptUsage(reported(100, 50_000), OWN, { ...thinking, thinks: false })).toEqual(OURS);
      expect(acceptUsage(reported(100, 50_000), OWN, { ...thinking, maxOutputTokens: undefined })).toEqual(OURS);
    });
  });
});

describe("acceptAudio", () => {
  /** A request for speech that usually takes 2 seconds, and at most 16. */
  const SPEECH: AudioLength = { ...SILENT, spokenMs: 2_000, maxSpokenMs: 16_000 };
  const TOKENS = { inputTokens: 10, outputTokens: 0 };
  const MP3 = addAudio(NO_GENERATED_AUDIO, "https://example.test/a.mp3");
  const HALF_A_SECOND = addAudio(NO_GENERATED_AUDIO, makeWav());

  const PLAIN = { maxOutputTokens: undefined, attachedTokens: 0, thinks: false };

  function accept(more: Partial<UsagePart> | undefined, generated: GeneratedAudio, length = SPEECH) {
    const reported =
      more === undefined
        ? undefined
        : ({ type: "usage", inputTokens: undefined, outputTokens: undefined, ...more } as const);
    return acceptAudio(reported, acceptUsage(reported, TOKENS, PLAIN), generated, length);
  }

  describe("the seconds that a provider reports", () => {
    it.each([
      ["a whole number", 3, 3_000],
      ["a fraction", 2.345, 2_345],
      ["a fraction of a millisecond", 2.3451, 2_346],
      ["not exact as a double", 2.007, 2_007],
      ["nothing", 0, 0],
      ["all that was quoted", 16, 16_000],
    ])("are accepted when they are %s", (_what, seconds, audioMs) => {
      expect(accept({ seconds }, MP3)).toEqual({ audioMs, audioSource: "provider" });
    });

    it.each([
      ["missing", undefined],
      ["null", null],
      ["a text", "3"],
      ["negative", -0.001],
      ["not a number", Number.NaN],
      ["infinite", Number.POSITIVE_INFINITY],
      ["a millisecond more than was quoted", 16.001],
      ["beyond safe integers", 1e300],
    ])("are replaced by an estimate when they are %s", (_what, seconds) => {
      expect(accept({ seconds }, MP3)).toEqual({ audioMs: 2_000, audioSource: "estimated" });
    });

    it("are accepted with plausible tokens, and not with implausible ones", () => {
      expect(accept({ inputTokens: 12, outputTokens: 0, seconds: 3 }, MP3)).toMatchObject({ audioMs: 3_000 });
      for (const outputTokens of [1_000_000, -1, undefined])
        expect(accept({ inputTokens: 12, outputTokens, seconds: 3 }, MP3)).toMatchObject({
          audioSource: "estimated",
        });
      expect(accept({ inputTokens: null, outputTokens: null, seconds: 3 }, MP3)).toMatchObject({
        audioSource: "provider",
      });
    });

    it("are accepted near a measured length, and replaced by it otherwise", () => {
      for (const seconds of [0, 0.5, 1, 1.55])
        expect(accept({ seconds }, HALF_A_SECOND)).toMatchObject({ audioSource: "provider" });
      for (const seconds of [1.551, 2, 16])
        expect(accept({ seconds }, HALF_A_SECOND)).toEqual({ audioMs: 500, audioSource: "measured" });
    });

    it("are not accepted when there was neither input nor output audio", () => {
      expect(accept({ seconds: 1 }, NO_GENERATED_AUDIO)).toEqual({ audioMs: 0, audioSource: undefined });
      expect(accept({ seconds: 1 }, HALF_A_SECOND, SILENT)).toEqual({ audioMs: 0, audioSource: undefined });
    });
  });

  describe("our own count of audio", () => {
    it("is the total length of the generated files", () => {
      expect(accept(undefined, addAudio(HALF_A_SECOND, makeWav()))).toEqual({
        audioMs: 1_000,
        audioSource: "measured",
      });
    });

    it("never exceeds the quote, however long a file is", () => {
      const hour = addAudio(NO_GENERATED_AUDIO, makeWav({ bytes: 3_600, samplesPerSecond: 1 }));
      expect(accept(undefined, hour)).toEqual({ audioMs: 16_000, audioSource: "measured" });
    });

    it("is an estimate when a file can't be measured", () => {
      expect(accept(undefined, addAudio(HALF_A_SECOND, "https://example.test/a.mp3"))).toEqual({
        audioMs: 2_000,
        audioSource: "estimated",
      });
    });

    it("is the input's length, also when the answer is text", () => {
      const heard = { ...SILENT, heardMs: 4_000, maxHeardMs: 5_000 };
      expect(accept(undefined, NO_GENERATED_AUDIO, heard)).toEqual({
        audioMs: 4_000,
        audioSource: "measured",
      });
      expect(accept({ seconds: 5 }, NO_GENERATED_AUDIO, heard)).toEqual({
        audioMs: 5_000,
        audioSource: "provider",
      });
      const unseen = { ...SILENT, maxHeardMs: 600_000, heardIsExact: false };
      expect(accept(undefined, NO_GENERATED_AUDIO, unseen)).toEqual({ audioMs: 0, audioSource: "estimated" });
      expect(accept({ seconds: 61 }, NO_GENERATED_AUDIO, unseen)).toMatchObject({ audioMs: 61_000 });
    });
  });

  it("accepts whole milliseconds within the quote, for any report", () => {
    const anything = fc.oneof(fc.double(), fc.integer(), fc.anything());
    const generated = fc.record({ pieces: fc.nat(2), measuredMs: fc.nat(100_000), unmeasured: fc.nat(2) });
    fc.assert(
      fc.property(
        anything,
        anything,
        generated,
        fc.nat(20_000),
        fc.nat(20_000),
        (seconds, tokens, pieces, spoken, heard) => {
          const length = {
            spokenMs: spoken,
            maxSpokenMs: spoken * 3,
            heardMs: heard,
            maxHeardMs: heard + 1_000,
            heardIsExact: spoken % 2 === 0,
          };
          const { audioMs } = accept({ seconds, inputTokens: tokens, outputTokens: tokens }, pieces, length);
          expect(Number.isSafeInteger(audioMs)).toBe(true);
          expect(audioMs).toBeGreaterThanOrEqual(0);
          expect(audioMs).toBeLessThanOrEqual(length.maxSpokenMs + length.maxHeardMs);
        },
      ),
      { numRuns: 200 },
    );
  });
});
