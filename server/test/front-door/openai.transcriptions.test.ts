import { createOpenAI } from "@ai-sdk/openai";
import { makeWav } from "@trunkline/testing/make-wav.ts";
import { experimental_transcribe as transcribe } from "ai";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let openai: OpenAI;
let aiSdk: ReturnType<typeof createOpenAI>;

const WAV = Buffer.from(makeWav({ bytes: 16_000 }).split(",")[1] ?? "", "base64");

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const hearing = { type: "audio", capabilities: ["transcription"], pricing: { per_second: 0.125 } };
  const endpoint = upstream.url;
  await registerUpstream(service, { wire: "trunkline", name: "listener", endpoint }, hearing);
  await registerUpstream(
    service,
    { wire: "trunkline", name: "speaker", endpoint },
    {
      type: "audio",
      capabilities: ["tts"],
      pricing: { per_request: 0.25 },
    },
  );
  // The same kinds of work by a provider of OpenAI's own wire.
  const theirs = { wire: "openai", endpoint: `${upstream.url}/v1` } as const;
  await registerUpstream(service, { ...theirs, name: "their-listener" }, hearing);
  await registerUpstream(
    service,
    { ...theirs, name: "their-painter" },
    {
      type: "image",
      pricing: { per_image: 0.5 },
    },
  );
  await registerUpstream(
    service,
    { ...theirs, name: "their-speaker" },
    {
      type: "audio",
      capabilities: ["tts"],
      pricing: { per_request: 0.25 },
    },
  );
  await registerUpstream(
    service,
    { ...theirs, name: "their-vectors" },
    {
      type: "embedding",
      pricing: { input_per_1k_tokens: 0.5 },
    },
  );
  openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
  aiSdk = createOpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY });
});

beforeEach(() => {
  upstream.requests.length = 0;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const answerWith = (output: unknown) => upstream.answer(() => ({ body: JSON.stringify({ output }) }));
const sentForm = () => {
  const [request] = upstream.requests;
  return new Response(request?.body, {
    headers: { "content-type": String(request?.headers["content-type"]) },
  }).formData();
};
const post = (path: string, body: unknown) => service.call("POST", `/openai/v1/${path}`, body);

describe("transcriptions", () => {
  const wav = () => toFile(WAV, "speech.wav");
  const form = (entries: Record<string, string>, file: Blob | null = new Blob([WAV]), name = "a.wav") => {
    const data = new FormData();
    if (file !== null) data.append("file", file, name);
    for (const [field, value] of Object.entries(entries)) data.append(field, value);
    return data;
  };
  const send = async (body: FormData | string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/openai/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, ...headers },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it("send the sound to the provider, and are its words", async () => {
    answerWith("Hello there.");
    const answer = await openai.audio.transcriptions.create({
      model: "listener",
      file: await wav(),
      language: "en",
      prompt: "A greeting",
      temperature: 0.2,
    });
    expect(answer).toEqual({ text: "Hello there.", usage: { type: "duration", seconds: 2 } });
    expect(upstream.requests[0]?.json).toEqual({
      input: "A greeting",
      parameters: { temperature: 0.2, language: "en" },
      attachments: [{ type: "audio", url: `data:audio/wav;base64,${WAV.toString("base64")}` }],
    });
  });

  it("come as plain text, or with all that is known", async () => {
    answerWith("Hello there.");
    const text = await openai.audio.transcriptions.create({
      model: "listener",
      file: await wav(),
      response_format: "text",
    });
    expect(text).toBe("Hello there.\n");
    const verbose = await openai.audio.transcriptions.create({
      model: "listener",
      file: await wav(),
      response_format: "verbose_json",
      timestamp_granularities: ["word"],
      language: "en",
    });
    expect(verbose).toMatchObject({ text: "Hello there.", duration: 2, language: "en" });
  });

  it("come piece by piece", async () => {
    answerWith("Hello there.");
    const stream = await openai.audio.transcriptions.create({
      model: "listener",
      file: await wav(),
      stream: true,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["transcript.text.delta", "transcript.text.done"]);
    expect(events.at(-1)).toMatchObject({ text: "Hello there." });
  });

  it("work with the AI SDK", async () => {
    answerWith("Hello there.");
    const { text, durationInSeconds } = await transcribe({
      model: aiSdk.transcription("listener"),
      audio: WAV,
      providerOptions: { openai: { language: "en", timestampGranularities: ["word"] } },
    });
    expect([text, durationInSeconds]).toEqual(["Hello there.", 2]);
  });

  it("are charged by the second, and once for one idempotency key, whatever the form's boundary", async () => {
    answerWith("Hello there.");
    const { key } = await openCustomer(service, 1);
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": "said-once" };
    const first = await send(form({ model: "listener" }), headers);
    expect(first.status, first.text).toBe(200);
    const again = await send(form({ model: "listener" }), headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.75, held: 0 });
    const other = await send(form({ model: "listener" }, new Blob([WAV.subarray(0, 900)])), headers);
    expect(other.status).toBe(422);
    expect(upstream.requests).toHaveLength(1);
  });

  it("say which field is wrong", async () => {
    for (const [body, param] of [
      [form({ model: "listener" }, null), "file"],
      [form({ model: "listener", file: "a text" }, null), "file"],
      [form({ model: "listener" }, new Blob([])), "file"],
      [form({ model: "listener" }, new Blob(["x"]), "a.exe"), "file"],
      [form({}), "model"],
      [form({ model: "listener", response_format: "wav" }), "response_format"],
      [form({ model: "listener", temperature: "warm" }), "temperature"],
      [form({ model: "listener", stream: "maybe" }), "stream"],
    ] as const) {
      const { status, text } = await send(body);
      expect([status, JSON.parse(text).error.param]).toEqual([400, param]);
    }
    expect(upstream.requests).toHaveLength(0);
  });

  it("are refused as JSON, when they break off, and before that where the caller is unknown", async () => {
    const json = await post("audio/transcriptions", { model: "listener" });
    expect([json.status, json.json.error.code]).toEqual([415, "unsupported_media_type"]);
    const type = { "content-type": "multipart/form-data; boundary=x" };
    const broken = await send('--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nlist', type);
    expect(broken.status).toBe(400);
    const otherAccount = await send("--x", { ...type, authorization: "Bearer nobody" });
    expect(otherAccount.status).toBe(401);
  });

  it("of a model that does not hear are refused", async () => {
    const { status, text } = await send(form({ model: "speaker" }));
    expect(status).toBe(400);
    expect(text).toContain("does not list transcription");
  });
});

describe("by a provider of OpenAI's own wire", () => {
  it("speech is transcribed, with every option passed on", async () => {
    upstream.answer(() => ({ body: '{"text":"Hello there.","usage":{"type":"duration","seconds":2}}' }));
    const { text } = await openai.audio.transcriptions.create({
      model: "their-listener",
      file: await toFile(WAV, "speech.wav"),
      language: "en",
      prompt: "A greeting",
    });
    expect(text).toBe("Hello there.");
    const form = await sentForm();
    expect(upstream.requests[0]?.path).toBe("/v1/audio/transcriptions");
    expect([form.get("model"), form.get("language"), form.get("prompt")]).toEqual([
      "their-listener",
      "en",
      "A greeting",
    ]);
    expect(Buffer.from(await (form.get("file") as File).arrayBuffer())).toEqual(WAV);
  });

  it("times of segments and words come back as the provider gives them", async () => {
    const segments = [{ id: 0, start: 0, end: 2, text: " Hello there.", tokens: [1, 2], avg_logprob: -0.1 }];
    const words = [
      { word: "Hello", start: 0, end: 1 },
      { word: "there", start: 1, end: 2 },
    ];
    upstream.answer(() => ({
      body: JSON.stringify({
        task: "transcribe",
        language: "english",
        duration: 2,
        text: "Hello there.",
        segments,
        words,
      }),
    }));
    const answer = await openai.audio.transcriptions.create({
      model: "their-listener",
      file: await toFile(WAV, "speech.wav"),
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(answer).toMatchObject({ text: "Hello there.", language: "english", duration: 2, segments, words });
    const form = await sentForm();
    expect(form.get("response_format")).toBe("verbose_json");
    expect(form.getAll("timestamp_granularities[]")).toEqual(["word", "segment"]);
  });

  it("times are left out where words of the text were redacted", async () => {
    const text = "Write to anna.schmidt@example.org please.";
    upstream.answer(() => ({
      body: JSON.stringify({ text, duration: 2, segments: [{ id: 0, start: 0, end: 2, text }] }),
    }));
    const customer = await openCustomer(service, 5);
    const policy = { preset: "balanced", categories: { pii: "redact" } };
    const set = await service.call("PUT", "/v1/safety/policy", policy, { key: customer.key });
    expect(set.status, set.text).toBe(200);
    const own = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: customer.key, maxRetries: 0 });
    const answer = await own.audio.transcriptions.create({
      model: "their-listener",
      file: await toFile(WAV, "speech.wav"),
      response_format: "verbose_json",
    });
    expect(JSON.stringify(answer)).not.toContain("anna.schmidt");
    expect(answer.segments).toBeUndefined();
  });

  it.each(["srt", "vtt"] as const)("subtitles come as the provider writes them: %s", async (format) => {
    const subtitles = "1\n00:00:00,000 --> 00:00:02,000\nHello there.\n\n";
    upstream.answer(() => ({ headers: { "content-type": "text/plain" }, body: subtitles }));
    const file = await toFile(WAV, "speech.wav");
    const text: unknown = await openai.audio.transcriptions.create({
      model: "their-listener",
      file,
      response_format: format,
    });
    expect(String(text).trim()).toBe(subtitles.trim());
    expect((await sentForm()).get("response_format")).toBe(format);
  });

  it("subtitles of a model that knows no times are one for the whole time", async () => {
    answerWith("Hello there.");
    const file = await toFile(WAV, "speech.wav");
    const { data, response } = await openai.audio.transcriptions
      .create({ model: "listener", file, response_format: "vtt" })
      .withResponse();
    expect(String(data).trim()).toBe("WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nHello there.");
    expect(response.headers.get("x-trunkline-dropped")).toBe("response_format");
  });

  it("speech is translated, and by no other", async () => {
    upstream.answer(() => ({ body: '{"text":"Good morning."}' }));
    const ask = async (model: string) =>
      openai.audio.translations.create({ model, file: await toFile(WAV, "speech.wav"), prompt: "A greeting" });
    expect(await ask("their-listener")).toMatchObject({ text: "Good morning." });
    expect(upstream.requests[0]?.path).toBe("/v1/audio/translations");
    expect((await sentForm()).get("prompt")).toBe("A greeting");
    await expect(ask("listener")).rejects.toThrow("does not translate");
  });

  it("several images come, and what only this wire knows is passed on", async () => {
    upstream.answer(() => ({
      body: '{"created":1,"data":[{"b64_json":"iVBORw0K"},{"b64_json":"iVBORw0L"}]}',
    }));
    const { key } = await openCustomer(service, 2);
    const { json, headers } = await service.call(
      "POST",
      "/openai/v1/images/generations",
      {
        model: "their-painter",
        prompt: "A boat",
        n: 2,
        style: "vivid",
        quality: "high",
        response_format: "b64_json",
      },
      { key },
    );
    expect(json.data).toEqual([{ b64_json: "iVBORw0K" }, { b64_json: "iVBORw0L" }]);
    // A finer picture costs more than it was quoted.
    expect(headers.get("x-trunkline-dropped")).toBe("quality");
    expect(upstream.requests[0]?.json).toEqual({
      model: "their-painter",
      prompt: "A boat",
      n: 2,
      style: "vivid",
      response_format: "b64_json",
    });
    expect(await balanceOf(service, key)).toMatchObject({ balance: 1, held: 0 });
  });

  it("a text is spoken", async () => {
    upstream.answer(() => ({ headers: { "content-type": "audio/aac" }, body: Buffer.from("sound") }));
    const response = await openai.audio.speech.create({
      model: "their-speaker",
      input: "Hello",
      voice: "coral",
      instructions: "Calmly",
      response_format: "aac",
    });
    expect(response.headers.get("content-type")).toBe("audio/aac");
    expect(await response.text()).toBe("sound");
    expect(upstream.requests[0]?.json).toEqual({
      model: "their-speaker",
      input: "Hello",
      voice: "coral",
      instructions: "Calmly",
      response_format: "aac",
    });
  });

  it("texts are embedded", async () => {
    upstream.answer(() => ({
      body: JSON.stringify({
        data: [
          { index: 1, embedding: [3, 4] },
          { index: 0, embedding: [1, 2] },
        ],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      }),
    }));
    const { data, usage } = await openai.embeddings.create({ model: "their-vectors", input: ["One", "Two"] });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(usage.prompt_tokens).toBe(4);
  });
});
