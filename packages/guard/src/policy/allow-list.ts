import type { Channel } from "@trunkline/core/verdict.ts";
import { normalise } from "../decode/normalise.ts";
import {
  type Detection,
  type Detector,
  detectResumably,
  type StreamDetection,
  type StreamDetector,
} from "../detector.ts";
import { StreamBuffer } from "../stream-buffer.ts";
import { areWholeWords, PhraseFinder } from "./phrase-finder.ts";

/** Blanks what need not be judged. The text stays as long as it was, so that every place in it stays where it was. */
type Blanker = (text: string) => string;

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
      return blanked === text ? seen : withSexualMinorsFindings(seen, yield* detectResumably(detector, text, channel));
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

/** How far back a phrase may reach that ends in the newest stride. */
const PHRASE_CHARACTERS = 256;
/** As much as those who follow look back on. */
const CONTEXT_CHARACTERS = 512;

/** Follows an answer in which some phrases are not seen, but for the sexual abuse of children: no phrase hides that. */
class AllowListStreamDetector implements StreamDetector {
  readonly #streamDetectors: readonly StreamDetector[];
  readonly #unfiltered: readonly StreamDetector[];
  readonly #blank: (text: string) => string;
  readonly #blanked = new StreamBuffer();
  #judged = 0;

  constructor(
    streamDetectors: readonly StreamDetector[],
    unsparing: readonly StreamDetector[],
    blank: (text: string) => string,
  ) {
    this.#streamDetectors = streamDetectors;
    this.#unfiltered = unsparing;
    this.#blank = blank;
  }

  get decidedTo(): number {
    return this.#streamDetectors.reduce((least, { decidedTo: judged }) => Math.min(least, judged), this.#judged);
  }

  get undecidedFrom(): number | undefined {
    let least: number | undefined;
    for (const { undecidedFrom: doubtsFrom } of this.#streamDetectors)
      if (doubtsFrom !== undefined) least = Math.min(least ?? doubtsFrom, doubtsFrom);
    return least;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#judged;
    this.#judged = to;
    const from = Math.max(0, streamBuffer.viewStart(since, PHRASE_CHARACTERS));
    const before = this.#blanked.slice(from, since);
    const blanked = this.#blank(streamBuffer.slice(from, to));
    this.#blanked.replaceFrom(from, keepBlanks(blanked, before));
    this.#blanked.dropBefore(to - CONTEXT_CHARACTERS);
    this.#blanked.startStride(since, to);
    const seen = this.#streamDetectors.map((streamDetector) => streamDetector.read(this.#blanked, to, isLast));
    const gravest = this.#unfiltered.map((streamDetector) =>
      sexualMinorsFindings(streamDetector.read(streamBuffer, to, isLast)),
    );
    return mergeDetections([...seen, ...gravest]);
  }
}

/** What was blank stays so: the beginning of its phrase may have fallen out of view. */
function keepBlanks(text: string, before: string): string {
  let kept = "";
  for (let at = 0; at < before.length; at += 1) kept += before[at] === " " ? " " : text[at];
  return kept + text.slice(before.length);
}

function sexualMinorsFindings(streamDetection: StreamDetection | undefined): StreamDetection | undefined {
  const findings = streamDetection?.findings.filter(({ category }) => category === "sexual_minors") ?? [];
  return findings.length === 0 ? undefined : { findings, normalised: [] };
}

function mergeDetections(all: readonly (StreamDetection | undefined)[]): StreamDetection | undefined {
  const streamDetection = all.filter((one) => one !== undefined);
  if (streamDetection.length === 0) return undefined;
  return {
    findings: streamDetection.flatMap(({ findings }) => findings),
    normalised: streamDetection.flatMap(({ normalised }) => normalised),
  };
}
