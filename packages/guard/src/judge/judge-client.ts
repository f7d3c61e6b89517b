import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
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

/** What came of a question. */
type Outcome =
  | { readonly answer: JudgeResponse; readonly failure?: undefined; readonly remembered: boolean }
  | { readonly answer?: undefined; readonly failure: JudgeFailureKind; readonly remembered: false };

/** The way to a judge: within a time box, so many at once, never twice, and not again what was asked a moment ago. */
export class JudgeClient {
  readonly #parts: JudgeClientOptions;
  readonly #recent: RecentJudgeResponses;
  #inFlight = 0;

  constructor(parts: JudgeClientOptions) {
    this.#parts = parts;
    this.#recent = new RecentJudgeResponses(parts.clock);
  }

  /** Never throws. */
  async ask(question: JudgeRequest): Promise<Outcome> {
    const { onError: onFault } = this.#parts;
    const key = createHash("sha256").update(`${question.channel}\n${question.text}`).digest("base64");
    const known = this.#recent.get(key);
    try {
      if (known !== undefined) return { answer: await known, remembered: true };
      if (this.#inFlight >= this.#parts.atOnce) throw new JudgeFailure("busy", "too many texts are with it");
      const answer = this.#askWithTimeout(question);
      this.#recent.set(key, answer);
      return { answer: await answer, remembered: false };
    } catch (error) {
      // Those who shared the question have nothing to add to what whoever asked it says.
      if (known === undefined) onFault(error);
      return { failure: error instanceof JudgeFailure ? error.kind : "unreachable", remembered: false };
    }
  }

  /** Whatever the judge does with the signal, nobody waits longer. Its place is taken until it is really done. */
  async #askWithTimeout(question: JudgeRequest): Promise<JudgeResponse> {
    const { moderationJudge, timeBoxMs } = this.#parts;
    const box = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const failure = new JudgeFailure("timeout", `it took longer than ${timeBoxMs} ms`);
        box.abort(failure);
        reject(failure);
      }, timeBoxMs);
    });
    this.#inFlight += 1;
    const answer = moderationJudge.ask(question, box.signal).finally(() => {
      this.#inFlight -= 1;
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const TTL_MS = 60_000;
const ENTRIES_MAX = 1_024;

/** What a judge said lately, also while it is still thinking. The one that nobody asked for longest goes first. */
class RecentJudgeResponses {
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly answer: Promise<JudgeResponse>; readonly untilMs: number }>();

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
