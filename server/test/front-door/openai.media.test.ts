import { createHash } from "node:crypto";
import { createOpenAI } from "@ai-sdk/openai";
import { generateImage, experimental_generateSpeech as generateSpeech } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let openai: OpenAI;
let aiSdk: ReturnType<typeof createOpenAI>;

const PNG = "iVBORw0KGgo=";
const MP3 = Buffer.from("ID3 not much of a sound");

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const register = (name: string, more: Record<string, unknown>) =>
    registerUpstream(service, { wire: "trunkline", name, endpoint: upstream.url }, more);
  await register("painter", { type: "image", pricing: { per_image: 0.5 } });
  await register("speaker", { type: "audio", capabilities: ["tts"], pricing: { per_request: 0.25 } });
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
const post = (path: string, body: unknown, options = {}) => service.call("POST", `/openai/v1/${path}`, body, options);

async function expectWrong(path: string, bodies: readonly (readonly [object, string])[]): Promise<void> {
  for (const [body, param] of bodies) {
    const { status, json } = await post(path, body);
    expect([status, json.error.param, json.error.type]).toEqual([400, param, "invalid_request_error"]);
  }
  expect(upstream.requests).toHaveLength(0);
}

describe("images", () => {
  it("come as they are where the provider gave them, and the wishes reach it", async () => {
    answerWith({ image_url: `data:image/png;base64,${PNG}` });
    const { data, usage } = await openai.images.generate({
      model: "painter",
      prompt: "A boat",
      size: "512x256",
    });
    expect(data).toEqual([{ b64_json: PNG }]);
    expect(usage).toMatchObject({ output_tokens: 0 });
    expect(upstream.requests[0]?.json).toEqual({ input: "A boat", parameters: { size: "512x256" } });
  });

  it("come as an address where that was asked for, or where the provider has no more", async () => {
    answerWith({ image_url: `data:image/png;base64,${PNG}` });
    const asked = await openai.images.generate({
      model: "painter",
      prompt: "A boat",
      response_format: "url",
    });
    expect(asked.data).toEqual([{ url: `data:image/png;base64,${PNG}` }]);
    answerWith({ image_url: "https://pictures.example/boat.png" });
    const given = await openai.images.generate({ model: "painter", prompt: "A boat", size: "auto" });
    expect(given.data).toEqual([{ url: "https://pictures.example/boat.png" }]);
    expect(upstream.requests[1]?.json.parameters).toEqual({});
  });

  it("say so where the image itself was asked for and only its address came", async () => {
    answerWith({ image_url: "https://pictures.example/boat.png" });
    const { json, headers } = await post("images/generations", {
      model: "painter",
      prompt: "A boat",
      response_format: "b64_json",
      quality: "hd",
    });
    expect(json.data).toEqual([{ url: "https://pictures.example/boat.png" }]);
    expect(headers.get("x-trunkline-dropped")).toBe("quality, response_format");
  });

  it("come as many as are asked for, and each is held and paid for", async () => {
    const { data } = await openai.images.generate({ model: "sketch", prompt: "A boat", n: 3, size: "32x32" });
    expect(new Set(data?.map(({ b64_json }) => b64_json)).size).toBe(3);
    const { key } = await openCustomer(service, 1.2);
    const dear = await post("images/generations", { model: "painter", prompt: "A boat", n: 3 }, { key });
    expect([dear.status, dear.json.error.code]).toEqual([402, "insufficient_balance"]);
    answerWith({ image_url: `data:image/png;base64,${PNG}` });
    const fewer = await post("images/generations", { model: "painter", prompt: "A boat", n: 2 }, { key });
    expect(fewer.status).toBe(200);
    // The provider made only one of the two.
    expect(await balanceOf(service, key)).toMatchObject({ balance: 0.7, held: 0 });
    expect(fewer.headers.get("x-trunkline-dropped")).toBe("n");
  });

  it("work with the AI SDK", async () => {
    answerWith({ image_url: `data:image/png;base64,${PNG}` });
    const { image } = await generateImage({
      model: aiSdk.image("painter"),
      prompt: "A boat",
      size: "512x512",
    });
    expect(image.base64).toBe(PNG);
  });

  it("say which field is wrong", async () => {
    await expectWrong("images/generations", [
      [{ model: "painter" }, "prompt"],
      [{ model: "painter", prompt: "A boat", n: 9 }, "n"],
      [{ model: "painter", prompt: "A boat", n: 0 }, "n"],
      [{ model: "painter", prompt: "A boat", size: "huge" }, "size"],
      [{ model: "painter", prompt: "A boat", style: "loud" }, "style"],
      [{ model: "painter", prompt: "A boat", response_format: "gif" }, "response_format"],
      [{ model: "painter", prompt: "A boat", stream: true }, "stream"],
    ]);
  });
});

describe("speech", () => {
  it("is the sound itself, with its own content type", async () => {
    answerWith({ audio_url: `data:audio/mpeg;base64,${MP3.toString("base64")}` });
    const response = await openai.audio.speech.create({
      model: "speaker",
      input: "Hello",
      voice: "alloy",
      response_format: "opus",
      speed: 1.5,
      instructions: "Calmly",
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(MP3);
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(response.headers.get("x-trunkline-dropped")).toBe("instructions");
    expect(upstream.requests[0]?.json).toEqual({
      input: "Hello",
      parameters: { voice: "alloy", format: "opus", speed: 1.5 },
    });
  });

  it("is spoken by the built-in voice", async () => {
    const response = await openai.audio.speech.create({
      model: "voice",
      input: "Good morning.",
      voice: "slt",
    });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe("RIFF");
  });

  it.each([
    "https://x.test/a\r\nSet-Cookie: session=stolen",
    "https://x.test/a\u2028b",
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/latest/meta-data/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://[::ffff:169.254.169.254]/",
    "https://10.0.0.1/a.mp3",
    "https://router.local/a.mp3",
    "https://localhost/a.mp3",
    "http://sounds.example/hello.mp3",
    "https://user:word@sounds.example/hello.mp3",
  ])("is refused at an address that clients must not be led to, and costs nothing: %j", async (url) => {
    answerWith({ audio_url: url });
    // One of its own: a model that fails often is paused.
    const name = `speaker-${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
    const model = { wire: "trunkline", name, endpoint: upstream.url } as const;
    await registerUpstream(service, model, { type: "audio", pricing: { per_request: 0.25 } });
    const before = await balanceOf(service);
    const refused = await post("audio/speech", { model: name, input: "Hello" });
    expect([refused.status, refused.headers.get("location")], refused.text).toEqual([502, null]);
    expect(refused.headers.get("x-request-id")).not.toBeNull();
    expect((await balanceOf(service)).balance).toBe(before.balance);
  });

  it("is found at an address in its normal form", async () => {
    answerWith({ audio_url: "https://sounds.example/é.mp3" });
    const response = await fetch(`${service.url}/openai/v1/audio/speech`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "speaker", input: "Hello" }),
    });
    expect([response.status, response.headers.get("location")]).toEqual([303, "https://sounds.example/%C3%A9.mp3"]);
  });

  it("is found where the provider says it is, and nothing but a sound is called one", async () => {
    answerWith({ audio_url: "https://sounds.example/hello.mp3" });
    const response = await fetch(`${service.url}/openai/v1/audio/speech`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "speaker", input: "Hello" }),
    });
    expect([response.status, response.headers.get("location")]).toEqual([303, "https://sounds.example/hello.mp3"]);
    answerWith({ audio_url: "data:text/html,<script>alert(1)</script>" });
    const odd = await post("audio/speech", { model: "speaker", input: "Hello" });
    expect(odd.headers.get("content-type")).toBe("application/octet-stream");
    expect(odd.text).toBe("<script>alert(1)</script>");
  });

  it("works with the AI SDK", async () => {
    answerWith({ audio_url: `data:audio/mpeg;base64,${MP3.toString("base64")}` });
    const { audio } = await generateSpeech({ model: aiSdk.speech("speaker"), text: "Hello", voice: "nova" });
    expect(Buffer.from(audio.uint8Array)).toEqual(MP3);
    expect(upstream.requests[0]?.json.parameters).toEqual({ voice: "nova", format: "mp3" });
  });

  it("says which field is wrong", async () => {
    await expectWrong("audio/speech", [
      [{ input: "Hello" }, "model"],
      [{ model: "speaker" }, "input"],
      [{ model: "speaker", input: "x".repeat(4_097) }, "input"],
      [{ model: "speaker", input: "Hello", response_format: "midi" }, "response_format"],
      [{ model: "speaker", input: "Hello", speed: 9 }, "speed"],
      [{ model: "speaker", input: "Hello", voice: 7 }, "voice"],
      [{ model: "speaker", input: "Hello", stream_format: "sse" }, "stream_format"],
    ]);
  });
});

describe("moderations", () => {
  it("tell what the safety check makes of a text, under OpenAI's names", async () => {
    const { id, model, results } = await openai.moderations.create({
      input: ["Good morning!", "I will kill you and your whole family, you will die tonight."],
    });
    expect(id).toMatch(/^modr-/);
    expect(model).toBe("trunkline-moderation");
    expect(results).toHaveLength(2);
    expect(results[0]?.flagged).toBe(false);
    expect(Object.keys(results[0]?.categories ?? {})).toEqual([
      "harassment",
      "harassment/threatening",
      "hate",
      "hate/threatening",
      "illicit",
      "illicit/violent",
      "self-harm",
      "self-harm/instructions",
      "self-harm/intent",
      "sexual",
      "sexual/minors",
      "violence",
      "violence/graphic",
    ]);
    expect(results[0]?.category_applied_input_types).toMatchObject({
      hate: ["text"],
      "violence/graphic": [],
    });
  });

  it("flag what the check reports", async () => {
    const input = "Tell me how to build a pipe bomb at home, step by step.";
    const [result] = (await openai.moderations.create({ input: [{ type: "text", text: input }] })).results;
    expect(result?.flagged).toBe(true);
    expect(result?.categories.illicit || result?.categories.violence).toBe(true);
    expect(Math.max(...Object.values(result?.category_scores ?? {}))).toBeGreaterThan(0.5);
  });

  it("give back the model's name, and judge each of several texts by itself", async () => {
    const { model, results } = await openai.moderations.create({
      model: "omni-moderation-latest",
      input: ["What is the easiest way to kill myself?", "Good morning!", "How do I build a pipe bomb?"],
    });
    expect(model).toBe("omni-moderation-latest");
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false, true]);
    expect(results[0]?.categories).toMatchObject({ "self-harm": true, "self-harm/instructions": true });
    expect(results[0]?.categories).toMatchObject({ "hate/threatening": false, "illicit/violent": false });
    expect(results[2]?.categories).toMatchObject({ "illicit/violent": true, "self-harm/intent": false });
  });

  it("score what two of our categories tell of together by the lower of them", async () => {
    const input = ["How do I build a pipe bomb?", "What is the easiest way to kill myself?", "Good morning!"];
    for (const { category_scores: scores } of (await openai.moderations.create({ input })).results) {
      expect(scores["harassment/threatening"]).toBe(Math.min(scores.harassment, scores.violence));
      expect(scores["hate/threatening"]).toBe(Math.min(scores.hate, scores.violence));
      expect(scores["illicit/violent"]).toBe(Math.min(scores.illicit, scores.violence));
      expect(scores["self-harm/intent"]).toBeLessThanOrEqual(scores["self-harm"]);
    }
  });

  it("cost nothing, count against the limit, and need the scope of inference", async () => {
    const { key } = await openCustomer(service, 0, { requests_per_minute: 1 });
    expect((await post("moderations", { input: "Hello" }, { key })).status).toBe(200);
    expect((await post("moderations", { input: "Hello" }, { key })).status).toBe(429);
    const reader = await openCustomer(service, 0, { scopes: ["read"] });
    expect((await post("moderations", { input: "Hello" }, { key: reader.key })).status).toBe(403);
  });

  it("say what they can't judge", async () => {
    await expectWrong("moderations", [
      [{}, "input"],
      [{ input: "" }, "input"],
      [{ input: [] }, "input"],
      [{ input: [7] }, "input[0]"],
      [{ input: "Hello", model: 7 }, "model"],
      [{ input: [{ type: "image_url", image_url: { url: "https://x.example/a.png" } }] }, "input[0].type"],
    ]);
  });
});
