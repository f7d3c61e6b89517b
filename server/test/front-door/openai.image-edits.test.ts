import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const made = (count: number) => ({
  body: JSON.stringify({ created: 1, data: Array.from({ length: count }, () => ({ b64_json: PIXEL })) }),
});

let service: StartedService;
let upstream: Upstream;
let openai: OpenAI;

beforeAll(async () => {
  service = await startService();
  upstream = await startUpstream();
  const painter = { type: "image", pricing: { per_image: 0.5 } };
  await registerUpstream(service, { wire: "openai", name: "painter", endpoint: `${upstream.url}/v1` }, painter);
  await registerUpstream(service, { wire: "gemini", name: "banana", endpoint: upstream.url }, painter);
  await registerUpstream(service, { wire: "trunkline", name: "native", endpoint: upstream.url }, painter);
  await registerUpstream(service, { wire: "openai", name: "talker", endpoint: `${upstream.url}/v1` });
  openai = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
});

beforeEach(() => {
  upstream.requests.length = 0;
  upstream.answer(() => made(1));
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

const picture = (name = "cat.png") => toFile(Buffer.from(PIXEL, "base64"), name, { type: "image/png" });
const pictureBytes = Buffer.from(PIXEL, "base64");
const sentForm = () =>
  new Response(upstream.requests[0]?.body, {
    headers: { "content-type": String(upstream.requests[0]?.headers["content-type"]) },
  }).formData();

describe("images.edit", () => {
  it("sends the image, the mask and the words to a provider of OpenAI's format", async () => {
    upstream.answer(() => made(2));
    const { data } = await openai.images.edit({
      model: "painter",
      image: await picture(),
      mask: await picture("mask.png"),
      prompt: "Add a hat.",
      n: 2,
      size: "1024x1024",
      background: "transparent",
    });
    expect(data?.map(({ b64_json }) => b64_json)).toEqual([PIXEL, PIXEL]);
    expect(upstream.requests[0]?.path).toBe("/v1/images/edits");
    const form = await sentForm();
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === "string"))).toEqual({
      model: "painter",
      prompt: "Add a hat.",
      n: "2",
      size: "1024x1024",
      background: "transparent",
    });
    const [image, mask] = [form.get("image"), form.get("mask")] as File[];
    expect([image?.name, image?.type, mask?.name]).toEqual(["cat.png", "image/png", "mask.png"]);
    expect(Buffer.from(await (image as File).arrayBuffer())).toEqual(pictureBytes);
  });

  it("sends several images", async () => {
    await openai.images.edit({
      model: "painter",
      image: [await picture("a.png"), await picture("b.png")],
      prompt: "Join them.",
    });
    const images = (await sentForm()).getAll("image[]") as File[];
    expect(images.map(({ name }) => name)).toEqual(["a.png", "b.png"]);
  });

  it("sends them to Gemini with the words", async () => {
    upstream.answer(() => ({
      body: JSON.stringify({
        candidates: [
          { content: { parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }] }, finishReason: "STOP" },
        ],
      }),
    }));
    const { data } = await openai.images.edit({ model: "banana", image: await picture(), prompt: "Add a hat." });
    expect(data?.[0]?.b64_json).toBe(PIXEL);
    expect(upstream.requests[0]?.json.contents[0].parts).toEqual([
      { inlineData: { mimeType: "image/png", data: PIXEL } },
      { text: "Add a hat." },
    ]);
  });

  it("is charged by the image", async () => {
    const customer = await openCustomer(service, 10);
    upstream.answer(() => made(2));
    const own = new OpenAI({ baseURL: `${service.url}/openai/v1`, apiKey: customer.key, maxRetries: 0 });
    await own.images.edit({ model: "painter", image: await picture(), prompt: "Add a hat.", n: 2 });
    expect(await balanceOf(service, customer.key)).toMatchObject({ balance: 9, held: 0 });
  });

  it("is found without the format's prefix", async () => {
    const own = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
    const { data } = await own.images.edit({ model: "painter", image: await picture(), prompt: "Add a hat." });
    expect(data).toHaveLength(1);
  });

  it("chooses a model that can by itself", async () => {
    await openai.images.edit({ image: await picture(), mask: await picture(), prompt: "Add a hat." });
    expect(upstream.requests[0]?.path).toBe("/v1/images/edits");
  });

  it.each([
    ["native", undefined, "makes no images out of others"],
    ["banana", "mask.png", "makes no images out of others"],
    ["talker", undefined, "talker"],
  ])("is refused for the model %s with the mask %s", async (model, mask, words) => {
    const edit = openai.images.edit({
      model,
      image: await picture(),
      prompt: "Add a hat.",
      ...(mask === undefined ? {} : { mask: await picture(mask) }),
    });
    await expect(edit).rejects.toThrow(words);
    expect(upstream.requests).toEqual([]);
  });

  it("names the field that is wrong", async () => {
    const edit = async (more: object) =>
      openai.images.edit({ model: "painter", image: await picture(), prompt: "Add a hat.", ...more }).then(
        () => undefined,
        (error: InstanceType<typeof OpenAI.APIError>) => error.param,
      );
    expect(await edit({ prompt: "" })).toBe("prompt");
    expect(await edit({ n: 0 })).toBe("n");
    expect(await edit({ n: 1.5 })).toBe("n");
    expect(await edit({ size: "big" })).toBe("size");
    expect(await edit({ image: await toFile(Buffer.from("x"), "a.txt", { type: "text/plain" }) })).toBe("image");
    expect(await edit({ image: await toFile(Buffer.alloc(0), "a.png") })).toBe("image");
    expect(await edit({ mask: "none" })).toBe("mask");
    expect(await edit({ stream: true })).toBe("stream");
  });
});

describe("images.createVariation", () => {
  it("sends the image alone", async () => {
    const { data } = await openai.images.createVariation({
      model: "painter",
      image: await picture(),
      n: 1,
      response_format: "b64_json",
    });
    expect(data?.[0]?.b64_json).toBe(PIXEL);
    expect(upstream.requests[0]?.path).toBe("/v1/images/variations");
    const form = await sentForm();
    expect([...form.keys()].sort()).toEqual(["image", "model", "response_format"]);
  });

  it("is refused for a model that needs words", async () => {
    await expect(openai.images.createVariation({ model: "banana", image: await picture() })).rejects.toThrow(
      "makes no images out of others",
    );
  });
});
