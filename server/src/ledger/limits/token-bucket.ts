import { createHash } from "node:crypto";

/** The sliding window in which no more than the limit is granted. */
export const WINDOW_MS = 60_000;
/** The tolerance for rounding errors: sums of fractions come out slightly below the whole. */
export const EPSILON = 1e-6;

/** Up to this many grants are dated to the millisecond, further ones to a tenth of a second. */
const EXACT_GRANTS = 300;
const COARSE_MS = 100;

/** The rate limit of a key. */
export interface RateTerms {
  /** The most requests in any minute. */
  readonly limit: number;
  /** The most requests at once before the steady rate applies. Never more than the limit. */
  readonly burst: number;
}

type Grant = readonly [atMs: number, tokens: number];

/** The shared state of one key. Plain JSON, so that the store can save it. */
export interface RateState {
  /** When it was computed, by the store's clock. */
  readonly atMs: number;
  /** The tokens in the bucket at that time. */
  readonly tokens: number;
  /** The grants of the last minute, oldest first. */
  readonly grants: readonly Grant[];
}

/** An instance's request for tokens. */
export interface TokenRequest {
  readonly want: number;
  /** The number of tokens that makes another request worthwhile. */
  readonly useful: number;
  /**
   * The most tokens that the bucket can hold, as far as the instance knows. The bucket counts tokens as spent when they
   * are leased, so it refills too early when they are spent much later.
   */
  readonly ceiling: number;
}

export interface TokenGrant {
  readonly granted: number;
  /** The tokens left in the bucket. */
  readonly tokens: number;
  /** The tokens that the window still allows. */
  readonly room: number;
  /** 0 where tokens are left; otherwise the wait until another request is worthwhile. */
  readonly waitMs: number;
  /** The wait until the window has room for the whole burst. */
  readonly burstRoomMs: number;
}

/** The new state, and the grant. */
interface TakeResult {
  readonly state: RateState;
  readonly answer: TokenGrant;
}

/** A steadily refilled bucket limits bursts; a sliding window limits the requests of any minute. */
export function takeTokens(
  known: RateState | undefined,
  nowMs: number,
  { limit, burst }: RateTerms,
  { want, useful, ceiling }: TokenRequest,
): TakeResult {
  const perMs = limit / WINDOW_MS;
  const before = known === undefined ? { atMs: nowMs, tokens: burst, grants: [] } : adjustToClock(known, nowMs);
  const grants = before.grants.filter(([atMs]) => atMs + WINDOW_MS > nowMs + EPSILON);
  const filled = Math.min(burst, ceiling, before.tokens + (nowMs - before.atMs) * perMs);
  const free = limit - grants.reduce((sum, [, tokens]) => sum + tokens, 0);

  const granted = Math.max(0, Math.floor(Math.min(want, filled + EPSILON, free)));
  if (granted > 0) recordGrant(grants, nowMs, granted);
  const tokens = filled - granted;
  const room = free - granted;

  const isOut = tokens < 1 - EPSILON || room < 1;
  // Tokens refill steadily, so it waits for a useful number. Room comes back in chunks, so it waits only for the first.
  const waitMs = isOut ? Math.max((useful - tokens) / perMs, waitForRoomMs(grants, room, 1, nowMs), 0) : 0;
  return {
    state: { atMs: nowMs, tokens, grants },
    answer: { granted, tokens, room, waitMs, burstRoomMs: waitForRoomMs(grants, room, burst, nowMs) },
  };
}

/** Shifts the state when the store's clock was set back. Otherwise keys would wait until the clock caught up. */
function adjustToClock(state: RateState, nowMs: number): RateState {
  const backMs = state.atMs - nowMs;
  if (backMs <= 0) return state;
  return {
    atMs: nowMs,
    tokens: state.tokens,
    grants: state.grants.map(([atMs, tokens]) => [atMs - backMs, tokens]),
  };
}

/** Rounds the date up, never down, so that no minute exceeds the limit. */
function recordGrant(grants: Grant[], nowMs: number, granted: number): void {
  const stepMs = grants.length < EXACT_GRANTS ? 1 : COARSE_MS;
  const dated = Math.ceil(nowMs / stepMs) * stepMs;
  const last = grants.at(-1);
  if (last === undefined || last[0] < dated) grants.push([dated, granted]);
  else grants[grants.length - 1] = [last[0], last[1] + granted];
}

function waitForRoomMs(grants: readonly Grant[], room: number, needed: number, nowMs: number): number {
  let freed = room;
  let waitMs = 0;
  for (const [atMs, tokens] of grants) {
    if (freed >= needed) break;
    freed += tokens;
    waitMs = atMs + WINDOW_MS - nowMs;
  }
  return waitMs;
}

/** What the limiters need of the store: one state per key, shared by all instances. */
export interface RateWindows {
  /**
   * Replaces the state of a key atomically by the result of `updateWindow`, and returns its answer. `nowMs` is the store's
   * own clock. `updateWindow` is called again after a conflict with another instance.
   */
  update<Answer>(keyId: string, updateWindow: UpdateWindow<Answer>): Promise<Answer>;
}

export type UpdateWindow<Answer> = (
  known: RateState | undefined,
  nowMs: number,
) => { readonly state: RateState; readonly answer: Answer };

/** The store identifies windows by UUID, so the name's digest is written as one. */
export function windowIdOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
