import type { UsagePart } from "@trunkline/core/answer.ts";
import type { AudioLength } from "@trunkline/core/route.ts";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import { SILENT } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptAudio, addAudio, type GeneratedAudio, NO_GENERATED_AUDIO } from "./accept-audio.ts";
import { acceptUsage } from "./accept-usage.ts";

/** A request for speech that usually takes two seconds, and sixteen at most. */
const SPEECH: AudioLength = { ...SILENT, spokenMs: 2_000, maxSpokenMs: 16_000 };
const TOKENS = { inputTokens: 10, outputTokens: 0 };
const MP3 = addAudio(NO_GENERATED_AUDIO, "https://example.test/a.mp3");
const HALF_A_SECOND = addAudio(NO_GENERATED_AUDIO, makeWav());

const PLAIN = { maxOutputTokens: undefined, attachedTokens: 0, thinks: false };

function accept(more: Partial<UsagePart> | undefined, made: GeneratedAudio, length = SPEECH) {
  const reported =
    more === undefined
      ? undefined
      : ({ type: "usage", inputTokens: undefined, outputTokens: undefined, ...more } as const);
  return acceptAudio(reported, acceptUsage(reported, TOKENS, PLAIN), made, length);
}

describe("the seconds that a provider reports", () => {
  it.each([
    ["a whole number", 3, 3_000],
    ["a fraction", 2.345, 2_345],
    ["a started millisecond", 2.3451, 2_346],
    ["what no double is exactly", 2.007, 2_007],
    ["nothing", 0, 0],
    ["all that was quoted", 16, 16_000],
  ])("are believed when they are %s", (_what, seconds, audioMs) => {
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
    ["beyond whole numbers", 1e300],
  ])("are replaced by an estimate when they are %s", (_what, seconds) => {
    expect(accept({ seconds }, MP3)).toEqual({ audioMs: 2_000, audioSource: "estimated" });
  });

  it("are believed beside tokens that are, and not beside tokens that are not", () => {
    expect(accept({ inputTokens: 12, outputTokens: 0, seconds: 3 }, MP3)).toMatchObject({ audioMs: 3_000 });
    for (const outputTokens of [1_000_000, -1, undefined])
      expect(accept({ inputTokens: 12, outputTokens, seconds: 3 }, MP3)).toMatchObject({
        audioSource: "estimated",
      });
    expect(accept({ inputTokens: null, outputTokens: null, seconds: 3 }, MP3)).toMatchObject({
      audioSource: "provider",
    });
  });

  it("are believed near a length that was measured, and replaced by it elsewhere", () => {
    for (const seconds of [0, 0.5, 1, 1.55])
      expect(accept({ seconds }, HALF_A_SECOND)).toMatchObject({ audioSource: "provider" });
    for (const seconds of [1.551, 2, 16])
      expect(accept({ seconds }, HALF_A_SECOND)).toEqual({ audioMs: 500, audioSource: "measured" });
  });

  it("are not believed where nothing was made and nothing was to be heard", () => {
    expect(accept({ seconds: 1 }, NO_GENERATED_AUDIO)).toEqual({ audioMs: 0, audioSource: undefined });
    expect(accept({ seconds: 1 }, HALF_A_SECOND, SILENT)).toEqual({ audioMs: 0, audioSource: undefined });
  });
});

describe("our own count of audio", () => {
  it("is the length of the files that were made, all together", () => {
    expect(accept(undefined, addAudio(HALF_A_SECOND, makeWav()))).toEqual({
      audioMs: 1_000,
      audioSource: "measured",
    });
  });

  it("is never more than was quoted, however long a file is", () => {
    const hour = addAudio(NO_GENERATED_AUDIO, makeWav({ bytes: 3_600, samplesPerSecond: 1 }));
    expect(accept(undefined, hour)).toEqual({ audioMs: 16_000, audioSource: "measured" });
  });

  it("is an estimate where a file can't be measured", () => {
    expect(accept(undefined, addAudio(HALF_A_SECOND, "https://example.test/a.mp3"))).toEqual({
      audioMs: 2_000,
      audioSource: "estimated",
    });
  });

  it("is what was heard, also where the answer is in words", () => {
    const heard = { ...SILENT, heardMs: 4_000, maxHeardMs: 5_000 };
    expect(accept(undefined, NO_GENERATED_AUDIO, heard)).toEqual({ audioMs: 4_000, audioSource: "measured" });
    expect(accept({ seconds: 5 }, NO_GENERATED_AUDIO, heard)).toEqual({
      audioMs: 5_000,
      audioSource: "provider",
    });
    const unseen = { ...SILENT, maxHeardMs: 600_000, heardIsExact: false };
    expect(accept(undefined, NO_GENERATED_AUDIO, unseen)).toEqual({ audioMs: 0, audioSource: "estimated" });
    expect(accept({ seconds: 61 }, NO_GENERATED_AUDIO, unseen)).toMatchObject({ audioMs: 61_000 });
  });
});

it("audio that is paid for is whole, and never more than was quoted, whatever is reported", () => {
  const anything = fc.oneof(fc.double(), fc.integer(), fc.anything());
  const made = fc.record({ pieces: fc.nat(2), measuredMs: fc.nat(100_000), unmeasured: fc.nat(2) });
  fc.assert(
    fc.property(
      anything,
      anything,
      made,
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
    { numRuns: 500 },
  );
});
