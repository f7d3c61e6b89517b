import type { LengthKey } from "./learning-store.ts";

const WINDOW_MS = 3_600_000;
/** So many answers of one account within an hour say how long answers are to such work; more of the same say nothing new. */
const MAX_PER_WINDOW = 20;
/** Far more than accounts ask for in an hour. Beyond it those who were not heard yet have to wait. */
const MAX_COUNTS = 200_000;

/** Gives every account the same say in how long answers usually are, however much it asks. */
export class LengthQuota {
  readonly #maxCounts: number;
  #counts = new Map<string, number>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(mostCounts = MAX_COUNTS) {
    this.#maxCounts = mostCounts;
  }

  /** Whether one more answer of this account counts for this sum. Asking takes it. */
  take(accountId: string, { model, task, domain }: LengthKey, nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= WINDOW_MS) {
      this.#counts = new Map();
      this.#sinceMs = nowMs;
    }
    const key = `${accountId}\n${model}\n${task}\n${domain}`;
    const count = this.#counts.get(key);
    if (count === undefined ? this.#counts.size >= this.#maxCounts : count >= MAX_PER_WINDOW) return false;
    this.#counts.set(key, (count ?? 0) + 1);
    return true;
  }
}
