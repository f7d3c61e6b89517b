import { decodePng } from "@trunkline/testing/decode-png.ts";
import { describe, expect, it } from "vitest";
import { encodePng } from "./png.ts";

describe("encodePng", () => {
  it("keeps every pixel", async () => {
    const pixels = Uint8ClampedArray.from({ length: 17 * 5 * 3 }, (_, index) => (index * 37) % 256);
    const paintRow = (row: number, line: Uint8ClampedArray) => line.set(pixels.subarray(row * 51, (row + 1) * 51));
    const png = await encodePng(17, 5, paintRow, async () => {});
    expect(decodePng(png)).toEqual({ width: 17, height: 5, pixels: [...pixels] });
  });
});
