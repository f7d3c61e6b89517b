import { createGunzip, gzipSync } from "node:zlib";
import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { decompressBody } from "./decompress-body.ts";

const MEBIBYTE = 1024 * 1024;

describe("a body that decompresses to far more than it is", () => {
  it("is decompressed only as far as its bytes may be kept", async () => {
    const bomb = gzipSync(Buffer.alloc(256 * MEBIBYTE));
    expect(bomb.length).toBeLessThan(MEBIBYTE);
    const sizes: number[] = [];
    const gunzip = createGunzip();
    const refused = decompressBody(
      bomb,
      () => gunzip,
      (size) => {
        sizes.push(size);
        if (size > MEBIBYTE) throw new Fault("payload_too_large", "Too large.");
      },
    );
    await expect(refused).rejects.toMatchObject({ type: "payload_too_large" });
    expect(sizes.at(-1)).toBeLessThan(2 * MEBIBYTE);
    expect(gunzip.destroyed).toBe(true);
    // It had not been read further than that either.
    expect(gunzip.bytesWritten).toBeLessThan(bomb.length / 10);
  });
});
