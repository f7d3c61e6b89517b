import { describe, expect, it } from "vitest";
import { repeatToLength, WORST_CASE_TEXTS } from "../../training/evasion/worst-case-texts.ts";
import { findDecodedTexts } from "./layers.ts";

const SMALL = 32_768;
const TIMES = 8;
/** Linear means as many times the work as the text is long; beyond that, what the collector of garbage and a busy machine take. */
const LEEWAY = 4;
const TRIES = 3;

function cpuMs(text: string): number {
  const before = process.cpuUsage();
  findDecodedTexts(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe("the time that normalising takes", () => {
  it.each(Object.entries(WORST_CASE_TEXTS))(
    "grows with the length of the text and no faster: %s",
    (_name, words) => {
      findDecodedTexts(repeatToLength(words, SMALL / TIMES));
      // A busy machine spoils one comparison, not three; what grows faster than the text fails them all.
      const fits = Array.from({ length: TRIES }).some(() => {
        const small = cpuMs(repeatToLength(words, SMALL));
        const large = cpuMs(repeatToLength(words, SMALL * TIMES));
        // Where next to nothing is done, there is nothing to compare.
        return large <= Math.max(small, 2) * TIMES * LEEWAY;
      });
      expect(fits).toBe(true);
    },
  );
});
