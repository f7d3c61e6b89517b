import { describe, expect, it } from "vitest";
import { normalise } from "./normalise.ts";

/** All of Unicode except large blocks that are never folded: Chinese characters and Korean syllables. */
const BLOCKS = [
  [0x80, 0x33ff],
  [0xa000, 0xabff],
  [0xf900, 0xffff],
  [0x10000, 0x11fff],
  [0x16e00, 0x16fff],
  [0x1d400, 0x1f2ff],
  [0x1fb00, 0x1fbff],
  [0xe0000, 0xe01ff],
] as const;

describe("foldCharacter", () => {
  it("is idempotent for all characters", () => {
    const unstable: string[] = [];
    for (const [first, last] of BLOCKS) {
      for (let code = first; code <= last; code += 1) {
        const { text } = normalise(`x${String.fromCodePoint(code)}x`);
        if (normalise(text).text !== text) unstable.push(code.toString(16));
      }
    }
    expect(unstable).toEqual([]);
  });

  it("folds the digits of all scripts", () => {
    expect(normalise("٣٤ ४५ ๑๒ １２ 𝟙𝟚").text).toBe("34 45 12 12 12");
  });
});
