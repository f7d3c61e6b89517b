import type { Part } from "@trunkline/core/parts.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";

/** Receives the parts that may be sent. Returns a promise where the client reads more slowly than its provider writes. */
export type DeliverParts = (parts: readonly Part[]) => void | Promise<void>;

const NO_ATTEMPTS: readonly Attempt[] = [];

/** What is known of an answer while it is produced. */
export class AnswerProgress {
  readonly #trace: RequestTrace;
  #attempts: readonly Attempt[] = NO_ATTEMPTS;
  #chosen: Candidate | undefined;
  #verdict: Verdict | undefined;

  constructor(trace: RequestTrace) {
    this.#trace = trace;
  }

  /** The calls so far, in order. */
  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  /** The candidate that answers. */
  get chosen(): Candidate | undefined {
    return this.#chosen;
  }

  /** The verdict of the safety check about the answer; undefined until it has ended. */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  addAttempt(attempt: Attempt): void {
    this.#setAttempts(this.#attempts.length === 0 ? [attempt] : [...this.#attempts, attempt]);
  }

  /** The last call answered, and its answer failed the check. */
  failLastAttempt(reason: string): Attempt | undefined {
    const last = this.#attempts.at(-1);
    if (last === undefined) return undefined;
    const failed: Attempt = { ...last, outcome: "failed-check", reason };
    this.#setAttempts([...this.#attempts.slice(0, -1), failed]);
    return failed;
  }

  choose(candidate: Candidate): void {
    this.#chosen = candidate;
    this.#trace.chosen = candidate;
  }

  judge(verdict: Verdict): void {
    this.#verdict = verdict;
    this.#trace.outputVerdict = verdict;
  }

  #setAttempts(attempts: readonly Attempt[]): void {
    this.#attempts = attempts;
    this.#trace.attempts = attempts;
  }
}
