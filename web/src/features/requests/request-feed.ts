import { type AnswerOf, ApiError, type QueryOf } from "@trunkline/sdk";

export type RequestPage = AnswerOf<"GET /v1/requests">;
export type RequestRow = RequestPage["data"][number];
export type RequestQuery = QueryOf<"GET /v1/requests">;
type Ask = (query: RequestQuery, signal: AbortSignal) => Promise<RequestPage>;

/** What the list shows at a moment. */
export interface FeedState {
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** How many came since and wait to be shown. */
  readonly waiting: number;
  /** Those that came with the last look. */
  readonly fresh: ReadonlySet<string>;
  readonly phase: "loading" | "ready" | "failed";
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** How far a search for what is rare came before it stopped. */
  readonly searchedUntil: string | null;
}

const PAGE = 100;
/** A search that finds nothing goes on by itself this many times: 100,000 requests. */
const STEPS = 4;
/** A request is on record when it is over, in the place of its arrival: what is new may lie this far back. */
const LATE_MS = 5 * 60 * 1000;
/** With more new pages than these, the list starts over. */
const NEW_PAGES = 5;
const WAIT_MS = 1_000;
const WAITS_MAX = 5;
const NONE: ReadonlySet<string> = new Set();

/** A list of requests that grows at both ends: older ones by scrolling, newer ones as they arrive. */
export class RequestFeed {
  readonly #ask: Ask;
  readonly #filter: RequestQuery;
  readonly #listeners = new Set<() => void>();
  readonly #known = new Set<string>();
  #abort = new AbortController();
  #cursor: string | null = null;
  #waiting: RequestRow[] = [];
  #isPolling = false;
  #state: FeedState = {
    rows: [],
    waiting: 0,
    fresh: NONE,
    phase: "loading",
    error: undefined,
    hasMore: false,
    isLoadingMore: false,
    searchedUntil: null,
  };

  constructor(ask: Ask, filter: RequestQuery) {
    this.#ask = ask;
    this.#filter = filter;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): FeedState => this.#state;

  /** Loads the list, or starts over after a failure. */
  async start(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#known.clear();
    this.#waiting = [];
    this.#cursor = null;
    this.#change({ rows: [], waiting: 0, fresh: NONE, phase: "loading", error: undefined, hasMore: false });
    await this.#fetchOlder();
  }

  stop(): void {
    this.#abort.abort();
  }

  /** The next page of older ones. */
  async loadMore(): Promise<void> {
    if (this.#state.phase !== "ready" || this.#state.isLoadingMore || this.#cursor === null) return;
    await this.#fetchOlder();
  }

  async #fetchOlder(): Promise<void> {
    const { signal } = this.#abort;
    this.#change({ isLoadingMore: true });
    try {
      for (let step = 0; step < STEPS; step++) {
        const page = await this.#fetch({ ...(this.#cursor === null ? {} : { cursor: this.#cursor }) }, signal);
        if (signal.aborted) return;
        this.#cursor = page.next_cursor;
        const rows = this.#unknown(page.data);
        this.#change({
          rows: mergeRows(this.#state.rows, rows),
          phase: "ready",
          error: undefined,
          hasMore: this.#cursor !== null,
          searchedUntil: page.searched_until,
        });
        if (rows.length > 0 || this.#cursor === null) break;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#change({ error, phase: this.#state.rows.length === 0 ? "failed" : "ready" });
    }
    this.#change({ isLoadingMore: false });
  }

  /** Polls for new requests. While held, they wait, so that nothing moves under the reader. */
  async poll(isHeld: boolean): Promise<void> {
    if (this.#isPolling || this.#state.phase !== "ready") return;
    this.#isPolling = true;
    const { signal } = this.#abort;
    try {
      const found = await this.#fetchNew(signal);
      if (signal.aborted || found === undefined) return;
      if (isHeld) {
        this.#waiting = mergeRows(this.#waiting, found);
        this.#change({ waiting: this.#waiting.length });
      } else this.#show(mergeRows(this.#waiting, found));
    } catch {
      // The next look may do better; what is shown stays.
    } finally {
      this.#isPolling = false;
    }
  }

  /** Shows what waits. */
  reveal(): void {
    this.#show(this.#waiting);
  }

  #show(rows: readonly RequestRow[]): void {
    if (rows.length === 0 && this.#state.fresh.size === 0) return;
    this.#waiting = [];
    this.#change({
      rows: rows.length === 0 ? this.#state.rows : mergeRows(this.#state.rows, rows),
      waiting: 0,
      fresh: new Set(rows.map(({ id }) => id)),
    });
  }

  /** What is new since the last poll; undefined if it was so much that the list started over. */
  async #fetchNew(signal: AbortSignal): Promise<RequestRow[] | undefined> {
    const after = anchorOf(this.#state.rows);
    const found: RequestRow[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < NEW_PAGES; pages++) {
      const page = await this.#fetch(
        { ...(after === undefined ? {} : { after }), ...(cursor === undefined ? {} : { cursor }) },
        signal,
      );
      const rows = this.#unknown(page.data);
      found.push(...rows);
      const hasGap = rows.length > 0 && rows.length === page.data.length;
      if (page.next_cursor === null || !hasGap) return found;
      cursor = page.next_cursor;
    }
    await this.start();
    return undefined;
  }

  /** Scrolling faster than the rate limit allows waits a moment and goes on. */
  async #fetch(more: RequestQuery, signal: AbortSignal): Promise<RequestPage> {
    for (let waits = 0; ; waits++) {
      try {
        return await this.#ask({ limit: PAGE, ...this.#filter, ...more }, signal);
      } catch (error) {
        if (!isTooOften(error) || waits === WAITS_MAX || signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
    }
  }

  #unknown(rows: readonly RequestRow[]): RequestRow[] {
    return rows.filter(({ id }) => {
      if (this.#known.has(id)) return false;
      this.#known.add(id);
      return true;
    });
  }

  #change(part: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...part };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether the rate limit refused. */
export function isTooOften(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/** From which request on to look for new ones: a few minutes back, but no further than a page. */
export function anchorOf(rows: readonly RequestRow[]): string | undefined {
  const newest = rows[0];
  if (newest === undefined) return undefined;
  const since = Date.parse(newest.created_at) - LATE_MS;
  const recent = rows.slice(0, PAGE - 1).filter(({ created_at }) => Date.parse(created_at) >= since);
  return recent.at(-1)?.id;
}

/** Two lists, each newest first, as one. Ids sort by their time. */
export function mergeRows(one: readonly RequestRow[], other: readonly RequestRow[]): RequestRow[] {
  const last = one.at(-1);
  const first = other[0];
  if (last === undefined || first === undefined || last.id > first.id) return [...one, ...other];
  return [...one, ...other].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
}
