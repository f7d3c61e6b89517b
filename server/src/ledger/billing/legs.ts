import type { Part } from "@trunkline/core/answer.ts";
import type { SegmentOutcome } from "@trunkline/core/leg.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { AnswerSegment, type OutputLimits, type UsageCharge } from "./leg.ts";

/** What is charged for one leg. */
export interface SegmentCharge extends UsageCharge {
  readonly candidate: Candidate;
  readonly outcome: SegmentOutcome;
}

interface EndedSegment {
  readonly segment: AnswerSegment;
  readonly outcome: "cut-off" | "failed-check";
}

/** The models that made one answer, one after the other, and what each of them made. */
export class AnswerSegments {
  readonly #endedSegments: EndedSegment[] = [];
  #current: AnswerSegment | undefined;

  /** From here on this candidate is heard. Whoever was heard before broke off, unless it was said what became of it. */
  start(candidate: Candidate, asked: OutputLimits): void {
    if (this.#current !== undefined) this.#end(this.#current, "cut-off");
    this.#current = new AnswerSegment(candidate, asked);
  }

  meter(part: Part): void {
    this.#current?.meter(part);
  }

  /** The running leg gave a whole answer of which nothing is given out: it is charged all the same. */
  failCheck(): void {
    if (this.#current !== undefined) this.#end(this.#current, "failed-check");
    this.#current = undefined;
  }

  /** Of what the running leg made nothing is given out, and it was not whole either: it costs nothing. */
  dropCurrent(): void {
    this.#current = undefined;
  }

  #end(answerSegment: AnswerSegment, outcome: EndedSegment["outcome"]): void {
    if (answerSegment.hasOutput) this.#endedSegments.push({ segment: answerSegment, outcome });
  }

  /** What all of it costs if it ends here. */
  get costSoFar(): NanoCredits {
    const running = this.#current?.hasOutput ? this.#current.chargeForText(this.#current.made).cost : 0n;
    return this.#endedSegments.reduce(
      (sum, endedSegment) => sum + chargeForEnded(endedSegment).cost,
      running,
    );
  }

  /** For all that was made: the legs that others went on from by our own count, the last one by its provider's. */
  chargeForAll(outcome: SegmentOutcome): readonly SegmentCharge[] {
    const charges = this.#endedSegments.map(chargeForEnded);
    const last = this.#current;
    if (last?.hasOutput) charges.push({ ...last.chargeForAll(), candidate: last.candidate, outcome });
    return charges;
  }

  /**
   * For what was given out. Moderation holds words back but keeps their order, so that what was given is the beginning of
   * what was made, and each leg has its share by its length.
   */
  chargeForDelivered(words: string, gaveMedia: boolean): readonly SegmentCharge[] {
    const charges: SegmentCharge[] = [];
    let rest = words;
    for (const { segment: answerSegment, outcome } of this.#all()) {
      if (outcome === "failed-check") {
        charges.push(chargeForEnded({ segment: answerSegment, outcome }));
        continue;
      }
      const share = answerSegment === this.#current ? rest : rest.slice(0, answerSegment.made.length);
      rest = rest.slice(share.length);
      if (share === "" && !(gaveMedia && answerSegment.hasMedia)) continue;
      charges.push({ ...answerSegment.chargeForText(share), candidate: answerSegment.candidate, outcome });
    }
    return charges;
  }

  #all(): readonly EndedSegment[] {
    const running = this.#current;
    return running?.hasOutput
      ? [...this.#endedSegments, { segment: running, outcome: "cut-off" }]
      : this.#endedSegments;
  }
}

function chargeForEnded({ segment: answerSegment, outcome }: EndedSegment): SegmentCharge {
  const usageCharge =
    outcome === "failed-check"
      ? answerSegment.chargeForAll()
      : answerSegment.chargeForText(answerSegment.made);
  return { ...usageCharge, candidate: answerSegment.candidate, outcome };
}
