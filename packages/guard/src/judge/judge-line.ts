import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { type Judge, type JudgeAnswer, JudgeFailure, type JudgeQuestion } from "@trunkline/core/judge.ts";
import type { JudgeFailureKind } from "@trunkline/core/opinion.ts";
import { RecentAnswers } from "./recent-answers.ts";

interface JudgeLineParts {
  readonly judge: Judge;
  readonly clock: Clock;
  readonly timeBoxMs: number;
  readonly atOnce: number;
  readonly onFault: (error: unknown) => void;
}

/** What came of a question. */
type Outcome =
  | { readonly answer: JudgeAnswer; readonly failure?: undefined; readonly remembered: boolean }
  | { readonly answer?: undefined; readonly failure: JudgeFailureKind; readonly remembered: false };

/** The way to a judge: within a time box, so many at once, never twice, and not again what was asked a moment ago. */
export class JudgeLine {
  readonly #parts: JudgeLineParts;
  readonly #recent: RecentAnswers;
  #asked = 0;

  constructor(parts: JudgeLineParts) {
    this.#parts = parts;
    this.#recent = new RecentAnswers(parts.clock);
  }

  /** Never throws. */
  async ask(question: JudgeQuestion): Promise<Outcome> {
    const { onFault } = this.#parts;
    const key = createHash("sha256").update(`${question.channel}\n${question.text}`).digest("base64");
    const known = this.#recent.get(key);
    try {
      if (known !== undefined) return { answer: await known, remembered: true };
      if (this.#asked >= this.#parts.atOnce) throw new JudgeFailure("busy", "too many texts are with it");
      const answer = this.#askWithin(question);
      this.#recent.keep(key, answer);
      return { answer: await answer, remembered: false };
    } catch (error) {
      // Those who shared the question have nothing to add to what whoever asked it says.
      if (known === undefined) onFault(error);
      return { failure: error instanceof JudgeFailure ? error.kind : "unreachable", remembered: false };
    }
  }

  /** Whatever the judge does with the signal, nobody waits longer. Its place is taken until it is really done. */
  async #askWithin(question: JudgeQuestion): Promise<JudgeAnswer> {
    const { judge, timeBoxMs } = this.#parts;
    const box = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const failure = new JudgeFailure("timeout", `it took longer than ${timeBoxMs} ms`);
        box.abort(failure);
        reject(failure);
      }, timeBoxMs);
    });
    this.#asked += 1;
    const answer = judge.ask(question, box.signal).finally(() => {
      this.#asked -= 1;
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
