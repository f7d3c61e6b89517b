/** The span in which no more than the limit is ever granted. */
export const WINDOW_MS = 60_000;
/** Sums of fractions come out a hair below the whole: a token or a millisecond that lacks no more than this is there. */
export const EPSILON = 1e-6;

/** Grants are dated to the millisecond while they are few, and by tenths of a second where they are many. */
const EXACT_GRANTS = 300;
const COARSE_MS = 100;

/** What a key is allowed. */
export interface RateTerms {
  /** How many in any minute. */
  readonly limit: number;
  /** How many may come at once before the steady rate holds. Never more than the limit. */
  readonly burst: number;
}

/** When and how many. */
type Grant = readonly [atMs: number, tokens: number];

/** What all instances together know about one key. Plain JSON, so that a store can keep it. */
export interface RateState {
  /** When this was reckoned, by the store's clock. */
  readonly atMs: number;
  /** What the bucket held then. */
  readonly tokens: number;
  /** What was granted in the last minute, oldest first. */
  readonly grants: readonly Grant[];
}

/** What an instance asks for. */
export interface TokenRequest {
  readonly want: number;
  /** How many make it worth asking again. */
  readonly useful: number;
  /**
   * The most that the bucket can hold by what the asker knows. A bucket that counts tokens as gone when they are leased is
   * full too soon where they are spent much later.
   */
  readonly ceiling: number;
}

export interface TokenGrant {
  readonly granted: number;
  /** What the bucket still holds. */
  readonly tokens: number;
  /** What the window still has room for. */
  readonly room: number;
  /** 0 where there are tokens left; else how long until it is worth asking again. */
  readonly waitMs: number;
  /** How long until the window has room for the whole burst. */
  readonly burstRoomMs: number;
}

/** A new state, and what whoever asked is told. */
interface TakeResult {
  readonly state: RateState;
  readonly answer: TokenGrant;
}

/** The rules: a bucket that refills steadily bounds what comes at once, a sliding window what comes in any minute. */
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
  // More tokens are worth a wait as they drip steadily. Room comes back in lumps, so the first of it is worth a question.
  const waitMs = isOut ? Math.max((useful - tokens) / perMs, waitForRoomMs(grants, room, 1, nowMs), 0) : 0;
  return {
    state: { atMs: nowMs, tokens, grants },
    answer: { granted, tokens, room, waitMs, burstRoomMs: waitForRoomMs(grants, room, burst, nowMs) },
  };
}

/** A clock that was set back takes the dates with it: nobody waits until it has caught up. */
function adjustToClock(state: RateState, nowMs: number): RateState {
  const backMs = state.atMs - nowMs;
  if (backMs <= 0) return state;
  return {
    atMs: nowMs,
    tokens: state.tokens,
    grants: state.grants.map(([atMs, tokens]) => [atMs - backMs, tokens]),
  };
}

/** Dated never before its time, so that no minute ever holds more than the limit. */
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

/** What the limits need of the store: one state per key, which all instances share. */
export interface RateWindows {
  /**
   * Replaces the state of a key by what `reckon` makes of it, with nobody in between, and tells its answer. `nowMs` is the
   * store's own clock, the only one that counts. `reckon` may be called again where another was faster.
   */
  update<Answer>(keyId: string, updateWindow: UpdateWindow<Answer>): Promise<Answer>;
}

export type UpdateWindow<Answer> = (
  known: RateState | undefined,
  nowMs: number,
) => { readonly state: RateState; readonly answer: Answer };
