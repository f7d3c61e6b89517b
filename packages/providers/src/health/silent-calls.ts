import { CONSECUTIVE_SLOW } from "./slow-watch.ts";

/** Fewer calls that take long say nothing of the next one. */
const OVERDUE_CALLS_MIN = 3;
/** Who called within this time is somebody to whom the endpoint matters now. */
const RECENT_USE_MS = 300_000;

interface PendingCall {
  readonly sinceMs: number;
  readonly by: string;
}

interface Use {
  readonly by: string;
  readonly atMs: number;
}

/** The calls of an endpoint that have not spoken yet, the longest waited for first, and for whom they are. */
export class PendingCalls {
  readonly #calls: PendingCall[] = [];
  #lastUse: Use | undefined;
  /** The last one by somebody else than that. */
  #otherUse: Use | undefined;

  add(sinceMs: number, by: string): void {
    this.#calls.push({ sinceMs, by });
    this.recordUse(by, sinceMs);
  }

  remove(sinceMs: number, by: string): void {
    const place = this.#calls.findIndex((call) => call.sinceMs === sinceMs && call.by === by);
    if (place !== -1) this.#calls.splice(place, 1);
  }

  /** Somebody called it then. */
  recordUse(by: string, atMs: number): void {
    const [last, other, use] = [this.#lastUse, this.#otherUse, { by, atMs }];
    if (last !== undefined && atMs < last.atMs) {
      // Heard of late, as from another instance.
      if (by !== last.by && (other === undefined || other.atMs < atMs)) this.#otherUse = use;
      return;
    }
    if (last !== undefined && last.by !== by) this.#otherUse = last;
    this.#lastUse = use;
  }

  /** How long calls have said nothing, where that is already longer than it ever takes; of many, a fifth may be late. */
  overdueMs(nowMs: number, longestMs = Number.POSITIVE_INFINITY): number {
    const place = Math.max(OVERDUE_CALLS_MIN, Math.floor(this.#calls.length / 5));
    const call = this.#calls[place - 1];
    const overdueMs = call === undefined ? 0 : nowMs - call.sinceMs;
    return overdueMs > longestMs ? overdueMs : 0;
  }

  /**
   * Whether several have said nothing for far too long: nobody has to wait until the last of them is given up. What one
   * account asks may be hard to answer. Alone it decides only where nobody else calls.
   */
  areTooSlow(nowMs: number, isSlow: (ms: number) => boolean): boolean {
    const isLate = (call: PendingCall | undefined) => call !== undefined && isSlow(nowMs - call.sinceMs);
    if (!isLate(this.#calls[CONSECUTIVE_SLOW - 1])) return false;
    const by = this.#calls[0]?.by ?? "";
    return !this.#isUsedByOthers(by, nowMs) || this.#calls.some((call) => call.by !== by && isLate(call));
  }

  #isUsedByOthers(by: string, nowMs: number): boolean {
    const use = this.#lastUse?.by === by ? this.#otherUse : this.#lastUse;
    return use !== undefined && nowMs - use.atMs < RECENT_USE_MS;
  }
}
