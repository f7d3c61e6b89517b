import { LruMap } from "@trunkline/core/lru-map.ts";
import type { Detection, Detector } from "../detector.ts";
import { codesOf } from "../text-codes.ts";

/** How many texts of a channel are kept. A text is at most a piece of a long one. */
const KEPT_MAX = 512;
/**
 * How many texts are remembered by their hash alone, to notice that one comes again. A power of 2, and not many more than
 * are kept: what comes again later than that would be dropped before it comes a third time.
 */
const REMEMBERED = 1024;

/**
 * A detector that examines system prompts and the history of a conversation once: what was found in a text that came
 * before is kept from its second time on. A text that comes once leaves nothing but a hash of 32 bits.
 */
export function withRepeatedTexts(detector: Detector): Detector {
  const keptOf = {
    user: new LruMap<string, Detection>(KEPT_MAX),
    document: new LruMap<string, Detection>(KEPT_MAX),
    application: new LruMap<string, Detection>(KEPT_MAX),
  };
  const hashes = new Int32Array(REMEMBERED);
  return {
    detect(text, channel) {
      // Answers are new each time.
      if (channel === "output") return detector.detect(text, channel);
      const kept = keptOf[channel];
      const known = kept.get(text);
      if (known !== undefined) return known;
      const detection = detector.detect(text, channel);
      const hash = hashOf(text, channel.length);
      const place = hash & (REMEMBERED - 1);
      if (hashes[place] === hash) kept.set(copyOf(text), detection);
      else hashes[place] = hash;
      return detection;
    },
    createStreamDetectors: () => detector.createStreamDetectors(),
    scorePlainAnswer: (text) => detector.scorePlainAnswer?.(text),
  };
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string, seed: number): number {
  const codes = codesOf(text);
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ (codes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** A part of a long text would keep the whole of it in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
