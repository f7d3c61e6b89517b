import type { Channel } from "@trunkline/core/verdict.ts";
import { normalise } from "../decode/normalise.ts";
import { type Detector, type Sighting, stepsOf } from "../detector.ts";
import { PhraseFinder } from "./phrase-finder.ts";
import { SparingFollower } from "./sparing-follower.ts";
import { areWholeWords } from "./whole-words.ts";

/** Blanks what need not be judged. The text stays as long as it was, so that every place in it stays where it was. */
export type Blanker = (text: string) => string;

/** Blanks phrases wherever they stand as words of their own, in whatever case or spelling; undefined: there are none. */
export function blankerOf(phrases: readonly string[]): Blanker | undefined {
  const normal = phrases.map((phrase) => normalise(phrase).text).filter((phrase) => phrase.trim() !== "");
  if (normal.length === 0) return undefined;
  const finder = new PhraseFinder(normal);
  return (original) => {
    const normalised = normalise(original);
    let blanked = "";
    let read = 0;
    for (const stretch of finder.find(normalised.text, areWholeWords)) {
      const start = normalised.originalOf(stretch.start);
      const end = normalised.originalOf(stretch.end);
      blanked += original.slice(read, start) + " ".repeat(end - start);
      read = end;
    }
    return blanked + original.slice(read);
  };
}

/** A detector that does not see what is blanked, but for the sexual abuse of children: no phrase hides that. */
export function sparing(detector: Detector, blank: Blanker | undefined): Detector {
  if (blank === undefined) return detector;
  return {
    examine(text, channel) {
      const blanked = blank(text);
      const seen = detector.examine(blanked, channel);
      return blanked === text ? seen : withTheGravest(seen, detector.examine(text, channel));
    },
    *examining(text, channel) {
      const blanked = blank(text);
      const seen = yield* stepsOf(detector, blanked, channel);
      return blanked === text ? seen : withTheGravest(seen, yield* stepsOf(detector, text, channel));
    },
    follow: () => [new SparingFollower(detector.follow(), detector.follow(), blank)],
  };
}

function withTheGravest(seen: Sighting, whole: Sighting): Sighting {
  if (whole.scores.sexual_minors <= seen.scores.sexual_minors) return seen;
  return {
    ...seen,
    scores: { ...seen.scores, sexual_minors: whole.scores.sexual_minors },
    findings: [...seen.findings, ...whole.findings.filter(({ category }) => category === "sexual_minors")],
  };
}

/** A detector that looks at each text once, for as long as one request is judged by several policies. */
export function remembering(detector: Detector): Detector {
  const seen = new Map<string, Sighting>();
  return {
    examine(text: string, channel: Channel) {
      const name = `${channel} ${text}`;
      const known = seen.get(name) ?? detector.examine(text, channel);
      seen.set(name, known);
      return known;
    },
    *examining(text, channel) {
      const name = `${channel} ${text}`;
      const known = seen.get(name) ?? (yield* stepsOf(detector, text, channel));
      seen.set(name, known);
      return known;
    },
    follow: () => detector.follow(),
  };
}
