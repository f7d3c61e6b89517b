import type { StreamDetection, StreamDetector } from "../detector.ts";
import { StreamBuffer } from "../tail.ts";

/** How far back a phrase may reach that ends in the newest stride. */
const PHRASE_CHARACTERS = 256;
/** As much as those who follow look back on. */
const CONTEXT_CHARACTERS = 512;

/** Follows an answer in which some phrases are not seen, but for the sexual abuse of children: no phrase hides that. */
export class AllowListStreamDetector implements StreamDetector {
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
    return this.#streamDetectors.reduce(
      (least, { decidedTo: judged }) => Math.min(least, judged),
      this.#judged,
    );
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
    const seen = this.#streamDetectors.map((streamDetector) =>
      streamDetector.read(this.#blanked, to, isLast),
    );
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
