import { makeWav } from "@trunkline/testing/make-wav.ts";
import { SILENT, sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { createAudioEstimator, estimateSpeechMs } from "./audio-length.ts";
import { type Content, conversationOf } from "./conversation.ts";
import type { ModelType } from "./model.ts";
import { normaliseTask } from "./normalise-task.ts";

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
    expect(gauge("audio", "Hello you")).toEqual({ ...SILENT, spokenMs: 585, maxSpokenMs: 3 * 585 + 10_000 });
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
