import type { Channel } from "@trunkline/core/verdict.ts";
import { normalise } from "../decode/normalise.ts";
import { type Detection, type Detector, detectResumably } from "../detector.ts";
import { PhraseFinder } from "./phrase-finder.ts";
import { AllowListStreamDetector } from "./sparing-follower.ts";
import { areWholeWords } from "./whole-words.ts";

/** Blanks what need not be judged. The text stays as long as it was, so that every place in it stays where it was. */
export type Blanker = (text: string) => string;

/** Blanks phrases wherever they stand as words of their own, in whatever case or spelling; undefined: there are none. */
export function createBlanker(phrases: readonly string[]): Blanker | undefined {
  const normal = phrases.map((phrase) => normalise(phrase).text).filter((phrase) => phrase.trim() !== "");
  if (normal.length === 0) return undefined;
  const finder = new PhraseFinder(normal);
  return (original) => {
    const normalised = normalise(original);
    let blanked = "";
    let read = 0;
    for (const textRange of finder.find(normalised.text, areWholeWords)) {
      const start = normalised.toOriginalOffset(textRange.start);
      const end = normalised.toOriginalOffset(textRange.end);
      blanked += original.slice(read, start) + " ".repeat(end - start);
      read = end;
    }
    return blanked + original.slice(read);
  };
}

/** A detector that does not see what is blanked, but for the sexual abuse of children: no phrase hides that. */
export function withAllowList(detector: Detector, blank: Blanker | undefined): Detector {
  if (blank === undefined) return detector;
  return {
    detect(text, channel) {
      const blanked = blank(text);
      const seen = detector.detect(blanked, channel);
      return blanked === text ? seen : withSexualMinorsFindings(seen, detector.detect(text, channel));
    },
    *detectResumable(text, channel) {
      const blanked = blank(text);
      const seen = yield* detectResumably(detector, blanked, channel);
      return blanked === text
        ? seen
        : withSexualMinorsFindings(seen, yield* detectResumably(detector, text, channel));
    },
    createStreamDetectors: () => [
      new AllowListStreamDetector(detector.createStreamDetectors(), detector.createStreamDetectors(), blank),
    ],
  };
}

function withSexualMinorsFindings(seen: Detection, whole: Detection): Detection {
  if (whole.scores.sexual_minors <= seen.scores.sexual_minors) return seen;
  return {
    ...seen,
    scores: { ...seen.scores, sexual_minors: whole.scores.sexual_minors },
    findings: [...seen.findings, ...whole.findings.filter(({ category }) => category === "sexual_minors")],
  };
}

/** A detector that looks at each text once, for as long as one request is judged by several policies. */
export function memoized(detector: Detector): Detector {
  const seen = new Map<string, Detection>();
  return {
    detect(text: string, channel: Channel) {
      const name = `${channel} ${text}`;
      const known = seen.get(name) ?? detector.detect(text, channel);
      seen.set(name, known);
      return known;
    },
    *detectResumable(text, channel) {
      const name = `${channel} ${text}`;
      const known = seen.get(name) ?? (yield* detectResumably(detector, text, channel));
      seen.set(name, known);
      return known;
    },
    createStreamDetectors: () => detector.createStreamDetectors(),
  };
}
