import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { moveToFront, type RankedTier } from "./rank-models.ts";

/** Longer than providers cache the start of a conversation. */
const SESSION_TTL_MS = 3_600_000;
/** An unchanged session is written again at most this often. */
const REWRITE_AFTER_MS = 300_000;
/** After this time a request is routed without its session. */
const LOOKUP_TIMEOUT_MS = 250;
const MAX_SESSIONS = 10_000;

export interface StickySession {
  readonly accountId: string;
  /** A digest of the client's session id. */
  readonly session: Buffer;
  /** `provider/name` */
  readonly model: string;
  readonly expiresAt: Date;
}

/** Shares sessions between instances. */
export interface StickySessionStore {
  find(accountId: string, session: Buffer, now: Date): Promise<Pick<StickySession, "model" | "expiresAt"> | undefined>;
  keep(sessions: readonly StickySession[]): Promise<void>;
  sweep(now: Date): Promise<void>;
}

interface StickySessionsOptions {
  readonly store: StickySessionStore;
  readonly clock: Clock;
  readonly runInBackground: (work: Promise<unknown>) => void;
  /** Called for every store error. At worst, another model then serves the session. */
  readonly onError: (error: unknown) => void;
}

interface CachedSession {
  readonly model: string;
  expiresAtMs: number;
  /** The expiry in the store. */
  readonly storedUntilMs: number;
}

interface PendingWrite {
  readonly accountId: string;
  readonly session: string;
  readonly cachedSession: CachedSession;
}

/** The model that answered last in each session, for an hour after its last request. */
export class StickySessions {
  readonly #options: StickySessionsOptions;
  readonly #sessions = new LruMap<string, CachedSession>(MAX_SESSIONS);
  readonly #pendingWrites = new Map<string, PendingWrite>();
  #isWriting = false;

  constructor(options: StickySessionsOptions) {
    this.#options = options;
  }

  /**
   * `provider/name` of the model that answered last in a session. The store is read only if this instance has none: then
   * it returns a promise.
   */
  modelFor(accountId: string, session: string): string | Promise<string | undefined> {
    const now = this.#options.clock.now();
    const known = this.#sessions.peek(keyOf(accountId, session));
    if (known !== undefined && known.expiresAtMs > now) return known.model;
    return this.#lookUp(accountId, session, now);
  }

  /** The session stays with this model from now on. */
  recordAnswer(accountId: string, session: string, model: Model): void {
    const key = keyOf(accountId, session);
    const name = fullNameOf(model);
    const until = this.#options.clock.now() + SESSION_TTL_MS;
    const known = this.#sessions.get(key);
    if (known?.model === name && until - known.storedUntilMs < REWRITE_AFTER_MS) {
      known.expiresAtMs = until;
      return;
    }
    const cachedSession: CachedSession = { model: name, expiresAtMs: until, storedUntilMs: until };
    this.#sessions.set(key, cachedSession);
    this.#write(key, { accountId, session, cachedSession });
  }

  sweep(): Promise<void> {
    return this.#options.store.sweep(new Date(this.#options.clock.now()));
  }

  async #lookUp(accountId: string, session: string, now: number): Promise<string | undefined> {
    const { store, onError } = this.#options;
    try {
      const found = await withTimeout(LOOKUP_TIMEOUT_MS, store.find(accountId, digestOf(session), new Date(now)));
      if (found === undefined) return undefined;
      const until = found.expiresAt.getTime();
      const cachedSession = { model: found.model, expiresAtMs: until, storedUntilMs: until };
      const key = keyOf(accountId, session);
      // Another request may have been answered in the session while the store was read.
      if (this.#sessions.peek(key) === undefined) this.#sessions.set(key, cachedSession);
      return found.model;
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  /** Sessions that change during a write are written by the next one. */
  #write(key: string, pendingWrite: PendingWrite): void {
    if (this.#pendingWrites.size >= MAX_SESSIONS) return;
    this.#pendingWrites.set(key, pendingWrite);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#options.runInBackground(this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // Keep the write out of the request that started it.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pendingWrites.size > 0) {
      const sessions = Array.from(this.#pendingWrites.values(), ({ accountId, session, cachedSession }) => ({
        accountId,
        session: digestOf(session),
        model: cachedSession.model,
        expiresAt: new Date(cachedSession.expiresAtMs),
      }));
      this.#pendingWrites.clear();
      await this.#options.store.keep(sessions).catch(this.#options.onError);
    }
    this.#isWriting = false;
  }
}

/** The client's session id may contain private data, or characters that the database does not accept. */
function digestOf(session: string): Buffer {
  return createHash("sha256").update(session).digest();
}

function keyOf(accountId: string, session: string): string {
  return `${accountId} ${session}`;
}

/** undefined: the work took too long. */
async function withTimeout<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface SessionAffinity {
  /** `provider/name` of the model that answered last in the request's session. */
  readonly sessionModel: string | undefined;
  /** The client did not ask for a session explicitly, so it must not cost much more. */
  readonly sessionIsImplied?: boolean | undefined;
  /** The request names a strategy, so the session decides only among candidates that it ranks equal. */
  readonly strategyIsNamed?: boolean | undefined;
}

/**
 * Moves the model that answered last in the session to the first place: its provider has the start of the session in its
 * cache. A model below the quality floor, which an outage may have led to, is not kept.
 */
export function preferSessionModel(
  rankedTier: RankedTier,
  { sessionModel, sessionIsImplied = false, strategyIsNamed = false }: SessionAffinity,
  qualityFloor: number,
): RankedTier {
  if (sessionModel === undefined) return rankedTier;
  // A provider's name has no slash; a model's may have one.
  const slash = sessionModel.indexOf("/");
  const [provider, name] = [sessionModel.slice(0, slash), sessionModel.slice(slash + 1)];
  const { best, ranking } = rankedTier;
  const place = ranking.findIndex(({ candidate: { model } }) => model.name === name && model.provider === provider);
  const last = ranking[place]?.candidate;
  if (last === undefined || best === undefined) return rankedTier;
  if (strategyIsNamed && place >= rankedTier.tiedCount) return rankedTier;
  if (last.quality < qualityFloor && best.quality >= qualityFloor) return rankedTier;
  // A short outage of the best must not make the rest of a conversation expensive, by more than half.
  if (sessionIsImplied && last.quote.estimate * 2n > best.quote.estimate * 3n) return rankedTier;
  return { ...rankedTier, ranking: moveToFront(ranking, place), propensity: 1, stickyTo: sessionModel };
}
