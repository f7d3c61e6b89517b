import type { Inference } from "@trunkline/core/inference.ts";
import { newMarks, PLACES, scanText } from "./scan-text.ts";
import { subjectText } from "./subject-of.ts";

/** By how many texts the usual share of a mark counts beside what was seen in a kind. */
const USUAL_WORTH = 4;
/** How many marks in a row say about as much as one: marks hang together. */
const TOGETHER = 12;
/** A kind that was never seen before is believed when it is this much likelier than any text, in log-odds. */
const BELIEVED = 3;

/** Kinds of work that no table knows, found again by the words of their requests. */
export class NewKinds {
  private readonly marks = newMarks();
  private readonly kinds: readonly {
    readonly name: string;
    readonly gains: Float32Array;
    readonly base: number;
  }[];

  /** `usual`: how many of all texts have each mark. */
  constructor(texts: ReadonlyMap<string, readonly string[]>, usual: Float32Array) {
    const all = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    this.kinds = [...texts].map(([name, prompts]) => {
      const seen = new Float32Array(PLACES);
      for (const prompt of prompts) {
        scanText(prompt, this.marks);
        for (let at = 0; at < this.marks.size; at++) {
          const place = this.marks.places[at] ?? 0;
          seen[place] = (seen[place] ?? 0) + 1;
        }
      }
      const gains = new Float32Array(PLACES);
      for (let place = 0; place < PLACES; place++) {
        const share = usual[place] ?? 1;
        const here = ((seen[place] ?? 0) + USUAL_WORTH * share) / (prompts.length + USUAL_WORTH);
        gains[place] = Math.log(here / share);
      }
      return { name, gains, base: Math.log(prompts.length / all) };
    });
  }

  /** The kinds that a request may be of, each with its share; what is missing is of another kind. */
  sharesOf(inference: Inference): { readonly name: string; readonly share: number }[] {
    if (this.kinds.length === 0) return [];
    scanText(subjectText(inference), this.marks);
    const { places, size } = this.marks;
    const scores = this.kinds.map(({ gains, base }) => {
      let gain = 0;
      for (let at = 0; at < size; at++) gain += gains[places[at] ?? 0] ?? 0;
      return base + gain / Math.max(1, Math.min(TOGETHER, size / 8));
    });
    const highest = Math.max(BELIEVED, ...scores);
    const parts = scores.map((score) => Math.exp(score - highest));
    const whole = parts.reduce((sum, part) => sum + part, 0) + Math.exp(BELIEVED - highest);
    return this.kinds.map(({ name }, at) => ({ name, share: (parts[at] ?? 0) / whole }));
  }
}
