import { describe, expect, it } from "vitest";
import { HOSTILE_TEXTS, repeated } from "./hostile-texts.ts";
import { layersOf } from "./layers.ts";

const SMALL = 131_072;
const TIMES = 8;
/** Linear means as many times the work as the text is long; beyond that, what the collector of garbage and a busy machine take. */
const LEEWAY = 4;

function cpuMs(text: string): number {
  const before = process.cpuUsage();
  layersOf(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of some goes is what the work takes; the rest is chance. */
function leastMs(text: string, goes: number): number {
  return Math.min(...Array.from({ length: goes }, () => cpuMs(text)));
}

describe("the time that normalising takes", () => {
  it.each(Object.entries(HOSTILE_TEXTS))(
    "grows with the length of the text and no faster: %s",
    (_name, words) => {
      const small = leastMs(repeated(words, SMALL), 2);
      const large = leastMs(repeated(words, SMALL * TIMES), 1);
      // Where next to nothing is done, there is nothing to compare.
      expect(large).toBeLessThanOrEqual(Math.max(small, 2) * TIMES * LEEWAY);
    },
  );
});
