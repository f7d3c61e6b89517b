import { readFileSync } from "node:fs";
import { type Conversation, conversationOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, type Parameters } from "@trunkline/core/inference.ts";
import type { ModelType } from "@trunkline/core/model.ts";
import { readPieces } from "@trunkline/testing/cut-everywhere.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { openAiFormat } from "./format.ts";
import { toOpenAiRequest } from "./request.ts";

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const stop = { type: "finish", reason: "stop" };

/** A call of a model of this type: its request, and a reader for its answer. */
function ask(
  type: ModelType,
  task: string,
  conversation: Conversation,
  parameters: Partial<Parameters> = {},
  more: Partial<Inference> = {},
) {
  const dropped: string[] = [];
  const call = {
    model: makeModel({ wire: "openai", type, endpoint: "https://api.openai.com/v1", streaming: true }),
    inference: makeInference({
      task: normaliseTask(task),
      conversation,
      parameters: { ...NO_PARAMETERS, ...parameters },
      ...more,
    }),
    requestId: "r1",
    signal: new AbortController().signal,
    onUnsupported: (field: string) => void dropped.push(field),
  };
  const { url, headers, body, streaming } = toOpenAiRequest(call, undefined);
  const read = (bytes: Buffer | string, answered: Record<string, string> = {}) =>
    readPieces({ format: openAiFormat, call, bytes: Buffer.of(), streaming, headers: answered }, [Buffer.from(bytes)]);
  return { path: new URL(url).pathname, headers, body: body.toString("latin1"), streaming, dropped, read };
}

describe("embeddings", () => {
  const texts: Conversation = {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ],
    tools: [],
  };

  it("are requested with one input per text", () => {
    const { path, body, streaming, dropped } = ask("embedding", "embedding", texts, {
      dimensions: 2,
      seed: 1,
    });
    expect(path).toBe("/v1/embeddings");
    expect(JSON.parse(body)).toEqual({ model: "model", input: ["one", "two"], dimensions: 2 });
    expect(streaming).toBe(false);
    expect(dropped).toEqual(["seed"]);
  });

  it("are read in the order of their inputs, with usage", () => {
    expect(ask("embedding", "embedding", texts).read(fixture("embeddings.json"))).toEqual([
      { type: "usage", inputTokens: 8, outputTokens: 0 },
      { type: "embedding", index: 0, vector: [0.0023064255, -0.009327292] },
      { type: "embedding", index: 1, vector: [0.25, -1] },
      stop,
    ]);
  });

  it("are read from base64, too", () => {
    expect(ask("embedding", "embedding", conversationOf("one")).read(fixture("embeddings-base64.json"))).toEqual([
      { type: "usage", inputTokens: 5, outputTokens: 0 },
      { type: "embedding", index: 0, vector: [0.5, -0.25, 2] },
      stop,
    ]);
  });

  it.each([
    [{ data: [{ index: 0, embedding: [1] }] }, "answered with 1 vector to 2 inputs"],
    [
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [2] },
        ],
      },
      "answered with two vectors to one input",
    ],
    [{ data: [{ embedding: [] }, { embedding: [1] }] }, "not made of numbers"],
    [{ data: [{ embedding: ["1"] }, { embedding: [1] }] }, "not made of numbers"],
    [{}, "answered with 0 vectors to 2 inputs"],
    [{ error: { message: "no" } }, "reported an error: no"],
  ])("fail where they are %j", (body, reason) => {
    expect(() => ask("embedding", "embedding", texts).read(JSON.stringify(body))).toThrow(reason);
  });
});

describe("images", () => {
  const boat = conversationOf("A boat");

  it("are requested by prompt, number and size", () => {
    const { path, body, dropped } = ask("image", "image", boat, {
      size: "1024x1024",
      choices: 2,
      format: "webp",
    });
    expect(path).toBe("/v1/images/generations");
    expect(JSON.parse(body)).toEqual({
      model: "model",
      prompt: "A boat",
      n: 2,
      size: "1024x1024",
      output_format: "webp",
    });
    expect(dropped).toEqual([]);
    const { body: handedOver } = ask("image", "image", boat, { format: "b64_json" });
    expect(JSON.parse(handedOver)).toEqual({ model: "model", prompt: "A boat", response_format: "b64_json" });
  });

  it("are read from their bytes, with usage", () => {
    const [png, jpeg] = ["data:image/png;base64,iVBORw0KGgo=", "data:image/jpeg;base64,/9j/4AAQ"];
    expect(ask("image", "image", boat).read(fixture("images-base64.json"))).toEqual([
      { type: "usage", inputTokens: 50, outputTokens: 50 },
      { type: "media", kind: "image", url: png, source: { image_url: png } },
      { type: "media", kind: "image", url: jpeg, source: { image_url: jpeg } },
      stop,
    ]);
  });

  it("are read from their URLs", () => {
    const url = "https://images.example.com/boat.png";
    const source = { image_url: url, revised_prompt: "A small boat at dawn" };
    expect(ask("image", "image", boat).read(fixture("images-url.json"))).toEqual([
      { type: "media", kind: "image", url, source },
      stop,
    ]);
  });

  it.each(['{"data":[]}', "{}", '{"data":[{"url":"javascript:alert(1)"}]}', '{"data":[{}]}', ""])(
    "fail where they are %j",
    (body) => {
      expect(() => ask("image", "image", boat).read(body)).toThrow(expect.objectContaining({ kind: "broken" }));
    },
  );
});

describe("speech", () => {
  it("is requested with a voice, a format and a speed", () => {
    const spoken = ask("audio", "tts", conversationOf("Hi"), { voice: "nova", format: "wav", pace: 1.5 });
    expect(spoken.path).toBe("/v1/audio/speech");
    expect(JSON.parse(spoken.body)).toEqual({
      model: "model",
      input: "Hi",
      voice: "nova",
      response_format: "wav",
      speed: 1.5,
    });
    expect(JSON.parse(ask("audio", "tts", conversationOf("Hi")).body)).toMatchObject({ voice: "alloy" });
  });

  it.each([
    [{ "content-type": "audio/wav" }, undefined, "audio/wav"],
    [{ "content-type": "application/octet-stream" }, "flac", "audio/flac"],
    [{}, undefined, "audio/mpeg"],
  ])("is one piece of audio, of the type that %j and %j say", (headers, format, mediaType) => {
    const url = `data:${mediaType};base64,AP8B`;
    expect(ask("audio", "tts", conversationOf("Hi"), { format }).read(Buffer.from([0, 255, 1]), headers)).toEqual([
      { type: "media", kind: "audio", url, source: { audio_url: url } },
      stop,
    ]);
  });

  it("fails where there is none", () => {
    const spoken = ask("audio", "tts", conversationOf("Hi"));
    expect(() => spoken.read("")).toThrow("the answer has no output");
    expect(() => spoken.read("{}", { "content-type": "application/json" })).toThrow("answered with text");
  });
});

describe("a transcription", () => {
  const heard = (url: string, words = "") =>
    conversationOf(words, [{ type: "attachment", kind: "audio", url, name: 'a"b.wav' }]);
  const wav = heard("data:audio/wav;base64,AP8B", "Names: Ada");

  it("is requested with a form that contains the audio unchanged", () => {
    const extras = { wire: "openai", fields: { language: "de", timestamp_granularities: ["word"] } } as const;
    const { path, headers, body } = ask("audio", "stt", wav, { temperature: 0, format: "json" }, { extras });
    expect(path).toBe("/v1/audio/transcriptions");
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers["content-type"] ?? "")?.[1];
    const field = (name: string, value: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    expect(body).toBe(
      `${field("language", "de")}${field("timestamp_granularities[]", "word")}${field("model", "model")}` +
        `${field("prompt", "Names: Ada")}${field("response_format", "json")}${field("temperature", "0")}` +
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a%22b.wav"\r\n` +
        `content-type: audio/wav\r\n\r\n\u0000\u00ff\u0001\r\n--${boundary}--\r\n`,
    );
  });

  it.each([
    ["transcription", { inputTokens: 14, outputTokens: 45 }, "Imagine the wildest idea you've ever had.", []],
    ["transcription-seconds", { seconds: 9 }, "The beach was a popular spot.", []],
    [
      "transcription-verbose",
      { seconds: 8.47 },
      "The beach was a popular spot.",
      [{ type: "timings", language: "english", segments: [{ id: 0, start: 0, end: 3.3, text: " The beach" }] }],
    ],
  ])("%s is read with usage", (name, usage, text, timings) => {
    expect(ask("audio", "stt", wav).read(fixture(`${name}.json`))).toEqual([
      { type: "usage", inputTokens: undefined, outputTokens: undefined, ...usage },
      { type: "text", text },
      ...timings,
      stop,
    ]);
  });

  it("may be plain text", () => {
    expect(ask("audio", "stt", wav, { format: "srt" }).read("1\n00:00:00,000 --> 00:00:01,000\nHi\n\n")).toEqual([
      { type: "text", text: "1\n00:00:00,000 --> 00:00:01,000\nHi" },
      stop,
    ]);
  });

  it("is left to another model where the audio can't be sent, and fails where the result is empty", () => {
    const rejected = expect.objectContaining({ kind: "rejected", blamesEndpoint: false });
    expect(() => ask("audio", "stt", heard("https://example.com/a.wav"))).toThrow(rejected);
    expect(() => ask("audio", "stt", conversationOf("Hi"))).toThrow(rejected);
    expect(() => ask("audio", "stt", wav).read("{}")).toThrow("the answer has no output");
    expect(() => ask("audio", "stt", wav).read('{"error":{"message":"no"}}')).toThrow("reported an error: no");
  });
});
