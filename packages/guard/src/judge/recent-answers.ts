import type { Clock } from "@trunkline/core/clock.ts";
import type { JudgeResponse } from "@trunkline/core/judge.ts";

const TTL_MS = 60_000;
const ENTRIES_MAX = 1_024;

/** What a judge said lately, also while it is still thinking. The one that nobody asked for longest goes first. */
export class RecentJudgeResponses {
  readonly #clock: Clock;
  readonly #answers = new Map<
    string,
    { readonly answer: Promise<JudgeResponse>; readonly untilMs: number }
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Promise<JudgeResponse> | undefined {
    const kept = this.#answers.get(key);
    if (kept === undefined) return undefined;
    this.#answers.delete(key);
    if (kept.untilMs <= this.#clock.monotonicMs()) return undefined;
    this.#answers.set(key, kept);
    return kept.answer;
  }

  /** A failure is forgotten at once: the next to ask may be luckier. */
  set(key: string, answer: Promise<JudgeResponse>): void {
    const kept = { answer, untilMs: this.#clock.monotonicMs() + TTL_MS };
    this.#answers.set(key, kept);
    answer.catch(() => {
      if (this.#answers.get(key) === kept) this.#answers.delete(key);
    });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > ENTRIES_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }
}
