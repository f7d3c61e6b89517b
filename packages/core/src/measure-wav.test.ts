import { makeChunk, makeWav } from "@trunkline/testing/make-wav.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wavDurationMs } from "./measure-wav.ts";

describe("a WAV file in a data URL", () => {
  it("is as long as its samples, and a started millisecond counts", () => {
    expect(wavDurationMs(makeWav())).toBe(500);
    expect(wavDurationMs(makeWav({ bytes: 8_000 }))).toBe(1_000);
    expect(wavDurationMs(makeWav({ bytes: 8_001 }))).toBe(1_001);
    expect(wavDurationMs(makeWav({ bytes: 0, claimedBytes: 0 }))).toBe(0);
  });

  it("is known by what it holds, whatever it is called", () => {
    for (const mediaType of [
      "audio/x-wav",
      "AUDIO/WAV",
      "audio/wav;codecs=1",
      "application/octet-stream",
      "",
    ])
      expect(wavDurationMs(makeWav({ mediaType })), mediaType).toBe(500);
  });

  it("may have other chunks before its samples, of odd lengths too", () => {
    const between = Buffer.concat([makeChunk("LIST", Buffer.alloc(101)), makeChunk("fact", Buffer.alloc(4))]);
    expect(wavDurationMs(makeWav({ between }))).toBe(500);
  });

  it.each([0, 0xff_ff_ff_ff])(
    "that was written before its length was known is as long as it is: %d",
    (size) => {
      expect(wavDurationMs(makeWav({ claimedBytes: size }))).toBe(500);
    },
  );

  it("is no longer than what is there, whatever its header claims", () => {
    expect(wavDurationMs(makeWav({ claimedBytes: 8_000_000 }))).toBe(500);
  });

  it("may be packed: then its header's word is all there is", () => {
    expect(wavDurationMs(makeWav({ format: 17, bytesPerSecond: 2_000 }))).toBe(2_000);
  });

  it("of plain samples that contradicts itself measures nothing", () => {
    expect(wavDurationMs(makeWav({ bytesPerSecond: 1 }))).toBeUndefined();
    expect(wavDurationMs(makeWav({ bytesPerSecond: 0, samplesPerSecond: 0 }))).toBeUndefined();
  });
});

describe("what is no WAV file", () => {
  it.each([
    ["an address", "https://example.test/a.wav"],
    ["nothing", "data:audio/wav;base64,"],
    ["a text", "data:audio/wav,RIFF"],
    ["an MP3", `data:audio/mpeg;base64,${Buffer.from("ID3\u0004").toString("base64")}`],
    ["a RIFF of something else", `data:;base64,${Buffer.from("RIFF\0\0\0\0AVI LIST").toString("base64")}`],
    ["a file that ends in its header", makeWav().slice(0, 60)],
    [
      "samples without a format",
      `data:;base64,${Buffer.from("RIFF\0\0\0\0WAVEdata\0\0\0\0").toString("base64")}`,
    ],
  ])("is not measured: %s", (_what, url) => {
    expect(wavDurationMs(url)).toBeUndefined();
  });

  it("never makes a number that can't be charged, and ends soon, whatever is in it", () => {
    const header = Buffer.from("RIFF\0\0\0\0WAVE", "latin1");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasFormat) => {
        const format = hasFormat ? makeChunk("fmt ", Buffer.from(bytes.slice(0, 16))) : Buffer.alloc(0);
        const file = Buffer.concat([header, format, Buffer.from(bytes)]);
        const ms = wavDurationMs(`data:audio/wav;base64,${file.toString("base64")}`);
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
