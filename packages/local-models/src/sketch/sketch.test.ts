import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { bytesIn, inferenceOf, partsOf } from "@trunkline/testing/builtin-inference.ts";
import { decodePng } from "@trunkline/testing/decode-png.ts";
import { describe, expect, it } from "vitest";
import { createSketch } from "./sketch.ts";

const sketch = createSketch();
const draw = async (words: string, size?: string) =>
  bytesIn(await partsOf(sketch, inferenceOf(words, { size })), "image/png");

const SCENES = [
  "sunset over the mountains",
  "a lake in the morning mist",
  "storm on the ocean with lightning",
  "autumn forest",
  "flowers on a hill in spring",
  "desert at noon, birds",
  "city at night in the rain",
  "a nebula and a planet in space",
  "abstract",
  "northern lights and snow",
  "a rainbow over the sea and a sailboat",
  "a volcano on fire",
];

function averageOf({ width, pixels }: ReturnType<typeof decodePng>, fromRow: number, toRow: number): number[] {
  const rows = pixels.slice(fromRow * width * 3, toRow * width * 3);
  return [0, 1, 2].map((channel) => {
    const values = rows.filter((_, index) => index % 3 === channel);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

describe("the sketch", () => {
  it("is a PNG of 1024 by 1024 by default", async () => {
    const { width, height } = decodePng(await draw("a lighthouse"));
    expect([width, height]).toEqual([1024, 1024]);
  });

  it.each(["16x16", "64x32", "33x90", "300x17"])("has the requested size %s", async (size) => {
    const { width, height } = decodePng(await draw("a lighthouse", size));
    expect(`${width}x${height}`).toBe(size);
  });

  it.each(SCENES)("shows many shades for %j", async (words) => {
    const { pixels } = decodePng(await draw(words, "96x96"));
    expect(new Set(pixels).size).toBeGreaterThan(60);
  });

  it("is the same for the same words in any case and spacing", async () => {
    const [one, other] = await Promise.all([draw("A  Quiet lake", "64x64"), draw("a quiet LAKE ", "64x64")]);
    expect(one.equals(other)).toBe(true);
  });

  it("differs for different words", async () => {
    const pictures = await Promise.all(["cat", "dog", "cats", "hat"].map((words) => draw(words, "48x48")));
    expect(new Set(pictures.map((png) => png.toString("base64"))).size).toBe(4);
  });

  it("comes in as many variations as requested", async () => {
    const parts = await partsOf(sketch, inferenceOf("a quiet harbour", { size: "32x32", choices: 3 }));
    const urls = parts.flatMap((part) => (part.type === "media" ? [part.url] : []));
    expect(new Set(urls).size).toBe(3);
    expect(parts.map(({ type }) => type)).toEqual(["media", "media", "media", "usage", "finish"]);
  });

  it("is dark at night and light by day", async () => {
    const night = averageOf(decodePng(await draw("mountains at night", "64x64")), 0, 32);
    const day = averageOf(decodePng(await draw("mountains by day", "64x64")), 0, 32);
    expect(Math.max(...night)).toBeLessThan(Math.min(...day));
  });

  it("takes the colour that the words name", async () => {
    const [red = 0, , blue = 0] = averageOf(decodePng(await draw("a red sunset over the desert", "64x64")), 0, 32);
    const [otherRed = 0, , otherBlue = 0] = averageOf(
      decodePng(await draw("a blue sunset over the desert", "64x64")),
      0,
      32,
    );
    expect(red / blue).toBeGreaterThan(otherRed / otherBlue);
  });

  it("is answered as one image part, the usage and the finish", async () => {
    const [media, ...rest] = await partsOf(sketch, inferenceOf("a lighthouse", { size: "16x16" }));
    expect(media).toMatchObject({ type: "media", kind: "image" });
    expect(media?.type === "media" && media.source.image_url).toBe(media?.type === "media" && media.url);
    expect(rest).toEqual([
      { type: "usage", inputTokens: 3, outputTokens: 0 },
      { type: "finish", reason: "stop" },
    ]);
  });

  it.each([
    ["2049x100", "16 to 2048"],
    ["100x8192", "16 to 2048"],
    ["15x15", "16 to 2048"],
    ["large", "<width>x<height>"],
  ])("refuses the size %s without blaming the endpoint", async (size, sentence) => {
    const failure = await draw("a lighthouse", size).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderFailure);
    expect(failure).toMatchObject({
      kind: "rejected",
      blamesEndpoint: false,
      reason: expect.stringContaining(sentence),
    });
  });

  it("draws a picture for an empty text", async () => {
    expect(decodePng(await draw("", "32x32")).width).toBe(32);
  });

  it("yields to other work while it paints", async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await draw("sunset over the mountains");
    isDone = true;
    expect(turns).toBeGreaterThan(5);
  });

  it("stops when the client disconnects", async () => {
    const client = new AbortController();
    setImmediate(() => client.abort(new Error("gone")));
    await expect(partsOf(sketch, inferenceOf("a lighthouse"), client.signal)).rejects.toThrow("gone");
  });
});
