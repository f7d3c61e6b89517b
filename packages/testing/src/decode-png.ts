import { crc32, inflateSync } from "node:zlib";
import { expect } from "vitest";

/** Takes a PNG file apart as a reader would, checking every chunk. */
export function decodePng(png: Buffer): { width: number; height: number; pixels: number[] } {
  expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    chunks.set(body.subarray(0, 4).toString("latin1"), body.subarray(4));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.get("IHDR") ?? Buffer.alloc(13);
  expect([...header.subarray(8)]).toEqual([8, 2, 0, 0, 0]);
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  expect(rows).toHaveLength((width * 3 + 1) * height);
  const pixels: number[] = [];
  for (let row = 0; row < height; row += 1) {
    const start = row * (width * 3 + 1);
    expect(rows[start]).toBe(1);
    for (let i = 0; i < width * 3; i += 1) {
      const before = i < 3 ? 0 : (pixels[pixels.length - 3] ?? 0);
      pixels.push(((rows[start + 1 + i] ?? 0) + before) & 255);
    }
  }
  return { width, height, pixels };
}
