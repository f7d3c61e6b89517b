import type { Channel } from "@trunkline/core/verdict.ts";
import { normalise } from "../decode/normalise.ts";
import type { Detection, Detector, StreamDetection, StreamDetector } from "../detector.ts";
import { StreamBuffer } from "../stream-buffer.ts";
import { areWholeWords, PhraseFinder } from "./phrase-finder.ts";

/** Replaces text that needs no examination by spaces. The length stays the same, so that all offsets stay valid. */
type Blanker = (text: string) => string;

/** Creates a Blanker for whole-word occurrences of the phrases in any case or spelling; undefined if there are none. */
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

/** Hides blanked text from a detector, except for sexual_minors, which no allow list can exempt. */
export function withAllowList(detector: Detector, blank: Blanker | undefined): Detector {
  if (blank === undefined) return detector;
  return {
    detect(text, channel) {
      const blanked = blank(text);
      const seen = detector.detect(blanked, channel);
      return blanked === text ? seen : withSexualMinorsFindings(seen, detector.detect(text, channel));
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

/** Caches the detections of one request, which may be evaluated under several policies. */
export function memoized(detector: Detector): Detector {
  const seen = new Map<string, Detection>();
  return {
    detect(text: string, channel: Channel) {
      const name = `${channel} ${text}`;
      const known = seen.get(name) ?? detector.detect(text, channel);
      seen.set(name, known);
      return known;
    },
    createStreamDetectors: () => detector.createStreamDetectors(),
    scorePlainAnswer: (text) => detector.scorePlainAnswer?.(text),
  };
}

/** The longest phrase that can still end in the newest stride. */
const PHRASE_CHARACTERS = 256;
/** As far back as the stream detectors look. */
const CONTEXT_CHARACTERS = 512;

/** Examines a growing answer without the allowed phrases, except for sexual_minors, which no allow list can exempt. */
class AllowListStreamDetector implements StreamDetector {
  readonly #streamDetectors: readonly StreamDetector[];
  readonly #unfiltered: readonly StreamDetector[];
  readonly #blank: (text: string) => string;
  readonly #blanked = new StreamBuffer();
  #decidedTo = 0;

  constructor(
    streamDetectors: readonly StreamDetector[],
    unfiltered: readonly StreamDetector[],
    blank: (text: string) => string,
  ) {
    this.#streamDetectors = streamDetectors;
    this.#unfiltered = unfiltered;
    this.#blank = blank;
  }

  get decidedTo(): number {
    return this.#streamDetectors.reduce((least, { decidedTo }) => Math.min(least, decidedTo), this.#decidedTo);
  }

  get undecidedFrom(): number | undefined {
    let least: number | undefined;
    for (const { undecidedFrom } of this.#streamDetectors)
      if (undecidedFrom !== undefined) least = Math.min(least ?? undecidedFrom, undecidedFrom);
    return least;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    const since = this.#decidedTo;
    this.#decidedTo = to;
    const from = Math.max(0, streamBuffer.viewStart(since, PHRASE_CHARACTERS));
    const before = this.#blanked.slice(from, since);
    const blanked = this.#blank(streamBuffer.slice(from, to));
    this.#blanked.replaceFrom(from, keepBlanks(blanked, before));
    this.#blanked.dropBefore(to - CONTEXT_CHARACTERS);
    this.#blanked.startStride(since, to);
    const seen = this.#streamDetectors.map((streamDetector) => streamDetector.read(this.#blanked, to, isLast));
    const sexualMinors = this.#unfiltered.map((streamDetector) =>
      sexualMinorsFindings(streamDetector.read(streamBuffer, to, isLast)),
    );
    return mergeDetections([...seen, ...sexualMinors]);
  }
}

/** Blanked characters stay blank even when the beginning of their phrase has left the view. */
function keepBlanks(text: string, before: string): string {
  let result = "";
  for (let at = 0; at < before.length; at += 1) result += before[at] === " " ? " " : text[at];
  return result + text.slice(before.length);
}

function sexualMinorsFindings(streamDetection: StreamDetection | undefined): StreamDetection | undefined {
  const findings = streamDetection?.findings.filter(({ category }) => category === "sexual_minors") ?? [];
  return findings.length === 0 ? undefined : { findings, normalised: [] };
}

function mergeDetections(all: readonly (StreamDetection | undefined)[]): StreamDetection | undefined {
  const streamDetections = all.filter((one) => one !== undefined);
  if (streamDetections.length === 0) return undefined;
  return {
    findings: streamDetections.flatMap(({ findings }) => findings),
    normalised: streamDetections.flatMap(({ normalised }) => normalised),
  };
}
