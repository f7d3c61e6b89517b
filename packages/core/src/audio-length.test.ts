import { makeChunk, makeWav } from "@trunkline/testing/make-wav.ts";
import { SILENT, sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAudioEstimator, estimateSpeechMs, wavDurationMs } from "./audio-length.ts";
import { type Content, conversationOf } from "./conversation.ts";
import { normaliseTask } from "./inference.ts";
import type { ModelType } from "./model.ts";

describe("audio-length", () => {
  const attached = (url: string, kind: "audio" | "image" = "audio"): Content => ({
    type: "attachment",
    kind,
    url,
  });

  function gauge(type: ModelType, input: string, attachments: readonly Content[] = [], task = "chat") {
    const conversation = conversationOf(input, attachments);
    return createAudioEstimator(sampleInference({ conversation, task: normaliseTask(task) }))(
      sampleModel("acme/x", { type }),
    );
  }

  describe("estimateSpeechMs", () => {
    it("counts letters, and counts a digit or a Chinese character as a word of its own", () => {
      expect(estimateSpeechMs("")).toBe(0);
      expect(estimateSpeechMs("Hello you")).toBe(9 * 65);
      expect(estimateSpeechMs("42")).toBe(600);
      expect(estimateSpeechMs("你好")).toBe(600);
    });
  });

  describe("createAudioEstimator", () => {
    it("estimates speech of the input for an audio model, with an upper bound of three times that and a pause", () => {
      expect(gauge("audio", "Hello you")).toEqual({
        ...SILENT,
        spokenMs: 585,
        maxSpokenMs: 3 * 585 + 10_000,
      });
    });

    it("estimates speech for a multimodal model only where audio is requested", () => {
      expect(gauge("multimodal", "Hello you", [], "tts")).toMatchObject({ spokenMs: 585 });
      expect(gauge("multimodal", "Hello you")).toEqual(SILENT);
      expect(gauge("text", "Hello you", [], "tts")).toEqual(SILENT);
    });

    it("uses the exact length of an attached WAV file, plus a second for rounding", () => {
      expect(gauge("multimodal", "What is said?", [attached(makeWav({ bytes: 80_000 }))])).toEqual({
        ...SILENT,
        heardMs: 10_000,
        maxHeardMs: 11_000,
      });
    });

    it("estimates other files by size, and allows ten minutes for a file behind a URL", () => {
      const file = attached(`data:audio/mpeg;base64,${Buffer.alloc(16_000).toString("base64")}`);
      expect(gauge("multimodal", "What is said?", [file])).toMatchObject({
        heardMs: 1_000,
        maxHeardMs: 16_000,
        heardIsExact: false,
      });
      expect(gauge("multimodal", "What is said?", [attached("https://example.test/a.mp3")])).toMatchObject({
        heardMs: 0,
        maxHeardMs: 600_000,
        heardIsExact: false,
      });
    });

    it("adds up all attached audio, and ignores other attachments", () => {
      const wav = attached(makeWav({ bytes: 8_000 }));
      const picture = attached("https://example.test/a.png", "image");
      expect(gauge("multimodal", "What is said?", [wav, picture, wav])).toMatchObject({
        heardMs: 2_000,
        maxHeardMs: 4_000,
        heardIsExact: true,
      });
    });
  });
});

describe("wavDurationMs", () => {
  describe("of a WAV file in a data URL", () => {
    it("is the length of its samples, rounded up to a millisecond", () => {
      expect(wavDurationMs(makeWav())).toBe(500);
      expect(wavDurationMs(makeWav({ bytes: 8_000 }))).toBe(1_000);
      expect(wavDurationMs(makeWav({ bytes: 8_001 }))).toBe(1_001);
      expect(wavDurationMs(makeWav({ bytes: 0, claimedBytes: 0 }))).toBe(0);
    });

    it("depends on the file's content, not on its media type", () => {
      for (const mediaType of ["audio/x-wav", "AUDIO/WAV", "audio/wav;codecs=1", "application/octet-stream", ""])
        expect(wavDurationMs(makeWav({ mediaType })), mediaType).toBe(500);
    });

    it("skips other chunks before the samples, also those of odd length", () => {
      const between = Buffer.concat([makeChunk("LIST", Buffer.alloc(101)), makeChunk("fact", Buffer.alloc(4))]);
      expect(wavDurationMs(makeWav({ between }))).toBe(500);
    });

    it.each([0, 0xff_ff_ff_ff])(
      "uses the actual size where the header was written before the size was known: %d",
      (size) => {
        expect(wavDurationMs(makeWav({ claimedBytes: size }))).toBe(500);
      },
    );

    it("never exceeds the actual size, whatever the header claims", () => {
      expect(wavDurationMs(makeWav({ claimedBytes: 8_000_000 }))).toBe(500);
    });

    it("trusts the byte rate in the header of a compressed file", () => {
      expect(wavDurationMs(makeWav({ format: 17, bytesPerSecond: 2_000 }))).toBe(2_000);
    });

    it("is undefined for uncompressed samples with a contradictory header", () => {
      expect(wavDurationMs(makeWav({ bytesPerSecond: 1 }))).toBeUndefined();
      expect(wavDurationMs(makeWav({ bytesPerSecond: 0, samplesPerSecond: 0 }))).toBeUndefined();
    });
  });

  describe("of anything else", () => {
    it.each([
      ["an address", "https://example.test/a.wav"],
      ["nothing", "data:audio/wav;base64,"],
      ["a text", "data:audio/wav,RIFF"],
      ["an MP3", `data:audio/mpeg;base64,${Buffer.from("ID3\u0004").toString("base64")}`],
      ["a RIFF of something else", `data:;base64,${Buffer.from("RIFF\0\0\0\0AVI LIST").toString("base64")}`],
      ["a file that ends in its header", makeWav().slice(0, 60)],
      ["samples without a format", `data:;base64,${Buffer.from("RIFF\0\0\0\0WAVEdata\0\0\0\0").toString("base64")}`],
    ])("is undefined: %s", (_what, url) => {
      expect(wavDurationMs(url)).toBeUndefined();
    });

    it("is always a chargeable number, and returns quickly, for any bytes", () => {
      const header = Buffer.from("RIFF\0\0\0\0WAVE", "latin1");
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasFormat) => {
          const format = hasFormat ? makeChunk("fmt ", Buffer.from(bytes.slice(0, 16))) : Buffer.alloc(0);
          const file = Buffer.concat([header, format, Buffer.from(bytes)]);
          const ms = wavDurationMs(`data:audio/wav;base64,${file.toString("base64")}`);
          expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
        }),
        { numRuns: 200 },
      );
    });
  });
});
