/** This many slow answers in a row eject an endpoint. */
const CONSECUTIVE_SLOW = 5;
const SLOW_FACTOR = 5;
const SLOW_MS_MIN = 3_000;
/** A slow answer also exceeds the p95 by this factor: a model may think long now and then. */
const ABOVE_P95_FACTOR = 1.5;
/** With fewer answers there is no usual time to compare with. */
const SETTLED_AFTER = 20;
/** The usual time moves slowly: by this share with each answer. */
const NEWEST_SHARE = 1 / 64;
const LARGEST_LOG_STEP = Math.log(2);

/** An endpoint's usual time to the first part, as it is stored. */
export interface BaselineTime {
  readonly ms: number;
  readonly answers: number;
}

/** Detects that an endpoint has become slow compared with its own past. */
export class SlowdownDetector {
  #answers = 0;
  #log = 0;
  #consecutiveSlow = 0;
  /** The p95 before the current row of slow answers. */
  #worstMs = 0;

  /** Records an answer's time to the first part. True if it completes a row of slow answers. */
  add(ms: number, p95Ms: number | undefined): boolean {
    if (this.#consecutiveSlow === 0) this.#worstMs = p95Ms ?? 0;
    this.#consecutiveSlow = this.isSlow(ms) ? this.#consecutiveSlow + 1 : 0;
    const step = Math.log(ms + 1) - this.#log;
    if (this.#consecutiveSlow >= CONSECUTIVE_SLOW) {
      // Moves half of the way: a lasting slowness soon becomes the usual time and ejects the endpoint no more.
      this.#log += step / 2;
      this.#consecutiveSlow = 0;
      return true;
    }
    this.#answers++;
    const share = Math.max(NEWEST_SHARE, 1 / this.#answers);
    const cut = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    this.#log += (this.#answers > SETTLED_AFTER ? cut : step) * share;
    return false;
  }

  /** Whether an answer was far slower than usual. */
  isSlow(ms: number): boolean {
    if (this.#answers < SETTLED_AFTER || ms < SLOW_MS_MIN) return false;
    return ms >= SLOW_FACTOR * (Math.exp(this.#log) - 1) && ms >= ABOVE_P95_FACTOR * this.#worstMs;
  }

  state(): BaselineTime {
    return { ms: Math.exp(this.#log) - 1, answers: this.#answers };
  }

  restore({ ms, answers }: BaselineTime): void {
    this.#log = Math.log(ms + 1);
    this.#answers = answers;
    this.#consecutiveSlow = 0;
  }
}

/** Fewer overdue calls say nothing about the next one. */
const OVERDUE_CALLS_MIN = 3;
/** An account that called within this time uses the endpoint now. */
const RECENT_USE_MS = 300_000;

interface PendingCall {
  readonly sinceMs: number;
  readonly accountId: string;
}

interface Use {
  readonly accountId: string;
  atMs: number;
}

function isCall(call: PendingCall | undefined, sinceMs: number, accountId: string): boolean {
  return call?.sinceMs === sinceMs && call.accountId === accountId;
}

/** The calls of an endpoint without a first part yet, the oldest first, with their accounts. */
export class PendingCalls {
  readonly #calls: PendingCall[] = [];
  #lastUse: Use | undefined;
  /** The last use by another account than that. */
  #otherUse: Use | undefined;

  add(sinceMs: number, accountId: string): void {
    this.#calls.push({ sinceMs, accountId });
    this.recordUse(accountId, sinceMs);
  }

  remove(sinceMs: number, accountId: string): void {
    const calls = this.#calls;
    let index = 0;
    while (index < calls.length && !isCall(calls[index], sinceMs, accountId)) index++;
    if (index === calls.length) return;
    // Unlike splice, this makes no list of what is removed, and keeps the room for the next call.
    for (; index + 1 < calls.length; index++) calls[index] = calls[index + 1] as PendingCall;
    calls.pop();
  }

  recordUse(accountId: string, atMs: number): void {
    const last = this.#lastUse;
    const other = this.#otherUse;
    if (last === undefined) this.#lastUse = { accountId, atMs };
    else if (last.accountId === accountId) last.atMs = Math.max(last.atMs, atMs);
    else if (atMs >= last.atMs) {
      this.#otherUse = last;
      this.#lastUse = { accountId, atMs };
    }
    // A use through another instance becomes known late.
    else if (other === undefined || other.atMs < atMs) this.#otherUse = { accountId, atMs };
  }

  /** How long calls have waited for their first part, if that exceeds the longest usual time; a fifth of many may. */
  overdueMs(nowMs: number, longestMs = Number.POSITIVE_INFINITY): number {
    const rank = Math.max(OVERDUE_CALLS_MIN, Math.floor(this.#calls.length / 5));
    const call = this.#calls[rank - 1];
    const overdueMs = call === undefined ? 0 : nowMs - call.sinceMs;
    return overdueMs > longestMs ? overdueMs : 0;
  }

  /**
   * Whether several calls have waited far too long for their first part. The endpoint is then ejected before they time
   * out. One account's requests may be hard to answer: they decide alone only if no other account uses the endpoint.
   */
  areTooSlow(nowMs: number, slowdown: SlowdownDetector): boolean {
    const decisive = this.#calls[CONSECUTIVE_SLOW - 1];
    if (decisive === undefined || !slowdown.isSlow(nowMs - decisive.sinceMs)) return false;
    const accountId = this.#calls[0]?.accountId ?? "";
    if (!this.#isUsedByOthers(accountId, nowMs)) return true;
    return this.#calls.some((call) => call.accountId !== accountId && slowdown.isSlow(nowMs - call.sinceMs));
  }

  #isUsedByOthers(accountId: string, nowMs: number): boolean {
    const use = this.#lastUse?.accountId === accountId ? this.#otherUse : this.#lastUse;
    return use !== undefined && nowMs - use.atMs < RECENT_USE_MS;
  }
}
