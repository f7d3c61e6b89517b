import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import {
  JudgeFailure,
  type JudgeFailureKind,
  type JudgeRequest,
  type JudgeResponse,
  type ModerationJudge,
} from "@trunkline/core/verdict.ts";

interface JudgeClientOptions {
  readonly moderationJudge: ModerationJudge;
  readonly clock: Clock;
  readonly timeBoxMs: number;
  readonly atOnce: number;
  readonly onError: (error: unknown) => void;
}

/** The result of one request to the judge. */
type Outcome =
  | { readonly answer: JudgeResponse; readonly failure?: undefined; readonly remembered: boolean }
  | { readonly answer?: undefined; readonly failure: JudgeFailureKind; readonly remembered: false };

/** Calls a judge with a timeout and a limit on concurrent calls, without retries, and caches recent responses. */
export class JudgeClient {
  readonly #options: JudgeClientOptions;
  readonly #recent: RecentJudgeResponses;
  #inFlight = 0;

  constructor(options: JudgeClientOptions) {
    this.#options = options;
    this.#recent = new RecentJudgeResponses(options.clock);
  }

  /** Never throws. */
  async ask(question: JudgeRequest): Promise<Outcome> {
    const { onError } = this.#options;
    const key = createHash("sha256").update(`${question.channel}\n${question.text}`).digest("base64");
    const known = this.#recent.get(key);
    try {
      if (known !== undefined) return { answer: await known, remembered: true };
      if (this.#inFlight >= this.#options.atOnce) throw new JudgeFailure("busy", "too many texts are with it");
      const answer = this.#askWithTimeout(question);
      this.#recent.set(key, answer);
      return { answer: await answer, remembered: false };
    } catch (error) {
      // Requests that shared this call have nothing to add to the error of the first.
      if (known === undefined) onError(error);
      return { failure: error instanceof JudgeFailure ? error.kind : "unreachable", remembered: false };
    }
  }

  /**
   * Waits no longer than the timeout, even if the judge ignores the signal. The call counts as in flight until it ends.
   */
  async #askWithTimeout(question: JudgeRequest): Promise<JudgeResponse> {
    const { moderationJudge, timeBoxMs } = this.#options;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const failure = new JudgeFailure("timeout", `it took longer than ${timeBoxMs} ms`);
        controller.abort(failure);
        reject(failure);
      }, timeBoxMs);
    });
    this.#inFlight += 1;
    const answer = moderationJudge.ask(question, controller.signal).finally(() => {
      this.#inFlight -= 1;
    });
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const TTL_MS = 60_000;
const ENTRIES_MAX = 1_024;

/** Recent and pending responses of a judge. Evicts the least recently used. */
class RecentJudgeResponses {
  readonly #clock: Clock;
  readonly #answers = new LruMap<string, { readonly answer: Promise<JudgeResponse>; readonly untilMs: number }>(
    ENTRIES_MAX,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Promise<JudgeResponse> | undefined {
    const entry = this.#answers.get(key);
    if (entry === undefined || entry.untilMs > this.#clock.monotonicMs()) return entry?.answer;
    this.#answers.delete(key);
    return undefined;
  }

  /** A failure is dropped at once, so that the next request tries again. */
  set(key: string, answer: Promise<JudgeResponse>): void {
    const entry = { answer, untilMs: this.#clock.monotonicMs() + TTL_MS };
    this.#answers.set(key, entry);
    answer.catch(() => {
      if (this.#answers.peek(key) === entry) this.#answers.delete(key);
    });
  }
}
