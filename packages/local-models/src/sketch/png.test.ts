import { decodePng } from "@trunkline/testing/decode-png.ts";
import { describe, expect, it } from "vitest";
import { encodePng } from "./png.ts";

describe("a PNG file", () => {
  it("gives back every pixel", async () => {
    const pixels = Uint8ClampedArray.from({ length: 17 * 5 * 3 }, (_, index) => (index * 37) % 256);
    const png = await encodePng({ width: 17, height: 5, pixels }, async () => {});
    expect(decodePng(png)).toEqual({ width: 17, height: 5, pixels: [...pixels] });
  });
});
