import { seeded, shuffled } from "@trunkline/core/seeded.ts";
import { PLACES } from "../src/predict/scan-text.ts";
import type { Case } from "./fit-figures.ts";
import type { Markings } from "./mark-text.ts";
import { chance } from "./matrix.ts";

const ROUNDS = 5;
const PACE = 0.05;
const SHRINKING = 3e-3;

/** Which marks speak for a prompt being easy, beyond its figures: weights by place and family. */
export function fitHardness(
  cases: readonly (Case & { readonly marks: Markings; readonly ease: number; readonly parting: number })[],
  families: number,
): Float32Array {
  const weights = new Float32Array(PLACES * families);
  const moved = new Float32Array(PLACES * families).fill(1e-2);
  const random = seeded(12);
  for (let round = 0; round < ROUNDS; round++) {
    for (const turn of shuffled(cases.length, random)) {
      const one = cases[turn];
      if (one === undefined) continue;
      const { marks, family, answers, parting } = one;
      const { places, counts } = marks;
      let ease = one.ease;
      for (let mark = 0; mark < places.length; mark++) {
        ease += (counts[mark] ?? 0) * (weights[(places[mark] ?? 0) * families + family] ?? 0);
      }
      let miss = 0;
      for (const { ability, standing, score } of answers) {
        miss += chance(ability + ease + standing * parting) - score;
      }
      miss /= answers.length;
      for (let mark = 0; mark < places.length; mark++) {
        const at = (places[mark] ?? 0) * families + family;
        const weight = weights[at] ?? 0;
        const step = miss * (counts[mark] ?? 0) + SHRINKING * weight;
        const sum = (moved[at] ?? 0) + step * step;
        moved[at] = sum;
        weights[at] = weight - (PACE * step) / Math.sqrt(sum);
      }
    }
  }
  return weights;
}
