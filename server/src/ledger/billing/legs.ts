import type { Part } from "@trunkline/core/answer.ts";
import type { LegOutcome } from "@trunkline/core/leg.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type Asked, type Charge, Leg } from "./leg.ts";

/** What is charged for one leg. */
export interface LegCharge extends Charge {
  readonly candidate: Candidate;
  readonly outcome: LegOutcome;
}

interface Ended {
  readonly leg: Leg;
  readonly outcome: "cut-off" | "failed-check";
}

/** The models that made one answer, one after the other, and what each of them made. */
export class Legs {
  readonly #ended: Ended[] = [];
  #running: Leg | undefined;

  /** From here on this candidate is heard. Whoever was heard before broke off, unless it was said what became of it. */
  turnTo(candidate: Candidate, asked: Asked): void {
    if (this.#running !== undefined) this.#end(this.#running, "cut-off");
    this.#running = new Leg(candidate, asked);
  }

  hear(part: Part): void {
    this.#running?.hear(part);
  }

  /** The running leg gave a whole answer of which nothing is given out: it is charged all the same. */
  failCheck(): void {
    if (this.#running !== undefined) this.#end(this.#running, "failed-check");
    this.#running = undefined;
  }

  /** Of what the running leg made nothing is given out, and it was not whole either: it costs nothing. */
  forgetRunning(): void {
    this.#running = undefined;
  }

  #end(leg: Leg, outcome: Ended["outcome"]): void {
    if (leg.hasOutput) this.#ended.push({ leg, outcome });
  }

  /** What all of it costs if it ends here. */
  get costSoFar(): NanoCredits {
    const running = this.#running?.hasOutput ? this.#running.chargeForWords(this.#running.made).cost : 0n;
    return this.#ended.reduce((sum, ended) => sum + chargeOf(ended).cost, running);
  }

  /** For all that was made: the legs that others went on from by our own count, the last one by its provider's. */
  chargeForAll(outcome: LegOutcome): readonly LegCharge[] {
    const charges = this.#ended.map(chargeOf);
    const last = this.#running;
    if (last?.hasOutput) charges.push({ ...last.chargeForAll(), candidate: last.candidate, outcome });
    return charges;
  }

  /**
   * For what was given out. Moderation holds words back but keeps their order, so that what was given is the beginning of
   * what was made, and each leg has its share by its length.
   */
  chargeForGiven(words: string, gaveMedia: boolean): readonly LegCharge[] {
    const charges: LegCharge[] = [];
    let rest = words;
    for (const { leg, outcome } of this.#all()) {
      if (outcome === "failed-check") {
        charges.push(chargeOf({ leg, outcome }));
        continue;
      }
      const share = leg === this.#running ? rest : rest.slice(0, leg.made.length);
      rest = rest.slice(share.length);
      if (share === "" && !(gaveMedia && leg.hasMedia)) continue;
      charges.push({ ...leg.chargeForWords(share), candidate: leg.candidate, outcome });
    }
    return charges;
  }

  #all(): readonly Ended[] {
    const running = this.#running;
    return running?.hasOutput ? [...this.#ended, { leg: running, outcome: "cut-off" }] : this.#ended;
  }
}

function chargeOf({ leg, outcome }: Ended): LegCharge {
  const charge = outcome === "failed-check" ? leg.chargeForAll() : leg.chargeForWords(leg.made);
  return { ...charge, candidate: leg.candidate, outcome };
}
