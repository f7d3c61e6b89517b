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

  describe("how long a text takes to say", () => {
    it("is by its letters, where a digit or a character of Chinese is a word of its own", () => {
      expect(estimateSpeechMs("")).toBe(0);
      expect(estimateSpeechMs("Hello you")).toBe(9 * 65);
      expect(estimateSpeechMs("42")).toBe(600);
      expect(estimateSpeechMs("你好")).toBe(600);
    });
  });

  describe("the audio that is reckoned with", () => {
    it("is speech of the input for a model of audio, at most at a third of the usual speed and with a pause", () => {
      expect(gauge("audio", "Hello you")).toEqual({
        ...SILENT,
        spokenMs: 585,
        maxSpokenMs: 3 * 585 + 10_000,
      });
    });

    it("is speech for a multimodal model only where audio is asked for", () => {
      expect(gauge("multimodal", "Hello you", [], "tts")).toMatchObject({ spokenMs: 585 });
      expect(gauge("multimodal", "Hello you")).toEqual(SILENT);
      expect(gauge("text", "Hello you", [], "tts")).toEqual(SILENT);
    });

    it("is the exact length of an attached WAV file, with a second for rounding", () => {
      expect(gauge("multimodal", "What is said?", [attached(makeWav({ bytes: 80_000 }))])).toEqual({
        ...SILENT,
        heardMs: 10_000,
        maxHeardMs: 11_000,
      });
    });

    it("is an estimate by size for another file, and ten minutes at most for one behind an address", () => {
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

    it("is all of them together, and nothing of what can't be heard", () => {
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

describe("measure-wav", () => {
  describe("a WAV file in a data URL", () => {
    it("is as long as its samples, and a started millisecond counts", () => {
      expect(wavDurationMs(makeWav())).toBe(500);
      expect(wavDurationMs(makeWav({ bytes: 8_000 }))).toBe(1_000);
      expect(wavDurationMs(makeWav({ bytes: 8_001 }))).toBe(1_001);
      expect(wavDurationMs(makeWav({ bytes: 0, claimedBytes: 0 }))).toBe(0);
    });

    it("is known by what it holds, whatever it is called", () => {
      for (const mediaType of ["audio/x-wav", "AUDIO/WAV", "audio/wav;codecs=1", "application/octet-stream", ""])
        expect(wavDurationMs(makeWav({ mediaType })), mediaType).toBe(500);
    });

    it("may have other chunks before its samples, of odd lengths too", () => {
      const between = Buffer.concat([makeChunk("LIST", Buffer.alloc(101)), makeChunk("fact", Buffer.alloc(4))]);
      expect(wavDurationMs(makeWav({ between }))).toBe(500);
    });

    it.each([0, 0xff_ff_ff_ff])("that was written before its length was known is as long as it is: %d", (size) => {
      expect(wavDurationMs(makeWav({ claimedBytes: size }))).toBe(500);
    });

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
      ["samples without a format", `data:;base64,${Buffer.from("RIFF\0\0\0\0WAVEdata\0\0\0\0").toString("base64")}`],
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
});
