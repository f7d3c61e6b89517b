import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { clearsFloor, moveToFront, type RankedTier } from "./rank-models.ts";

/** Longer than providers keep the beginning of a conversation in their caches. */
const SESSION_TTL_MS = 3_600_000;
/** A session that goes on with its model is written again only so often. */
const REWRITE_AFTER_MS = 300_000;
/** A request waits no longer than this to be told of its session: then it goes without. */
const LOOKUP_TIMEOUT_MS = 250;
const MAX_SESSIONS = 10_000;

/** Which model a session stays with, and until when. */
export interface StickySession {
  readonly accountId: string;
  /** A digest of the client's own word for it. */
  readonly session: Buffer;
  /** `provider/name` */
  readonly model: string;
  readonly expiresAt: Date;
}

/** Where instances tell each other of their sessions. */
export interface StickySessionStore {
  find(accountId: string, session: Buffer, now: Date): Promise<Pick<StickySession, "model" | "expiresAt"> | undefined>;
  keep(sessions: readonly StickySession[]): Promise<void>;
  sweep(now: Date): Promise<void>;
}

interface StickySessionsOptions {
  readonly store: StickySessionStore;
  readonly clock: Clock;
  /** For work that no request waits for. */
  readonly runInBackground: (work: Promise<unknown>) => void;
  /** Told of every trouble with the store: a session is then at worst served by another model. */
  readonly onError: (error: unknown) => void;
}

interface CachedSession {
  readonly model: string;
  expiresAtMs: number;
  /** Until when the store knows of it. */
  readonly storedUntilMs: number;
}

interface PendingWrite {
  readonly accountId: string;
  readonly session: string;
  readonly cachedSession: CachedSession;
}

/** Which model answered last in each session, for an hour since its last request. */
export class StickySessions {
  readonly #options: StickySessionsOptions;
  /** The one used longest ago comes first. */
  readonly #sessions = new Map<string, CachedSession>();
  readonly #pendingWrites = new Map<string, PendingWrite>();
  #isWriting = false;

  constructor(parts: StickySessionsOptions) {
    this.#options = parts;
  }

  /** `provider/name` of the model that answered last in a session. The store is asked only where this instance knows of none. */
  async modelFor(accountId: string, session: string): Promise<string | undefined> {
    const now = this.#options.clock.now();
    const known = this.#sessions.get(keyOf(accountId, session));
    if (known !== undefined && known.expiresAtMs > now) return known.model;
    return this.#lookUp(accountId, session, now);
  }

  /** From now on the session stays with the model that has just answered in it. */
  recordAnswer(accountId: string, session: string, model: Model): void {
    const key = keyOf(accountId, session);
    const name = fullNameOf(model);
    const until = this.#options.clock.now() + SESSION_TTL_MS;
    const known = this.#sessions.get(key);
    if (known?.model === name && until - known.storedUntilMs < REWRITE_AFTER_MS) {
      known.expiresAtMs = until;
      this.#cache(key, known);
      return;
    }
    const cachedSession: CachedSession = { model: name, expiresAtMs: until, storedUntilMs: until };
    this.#cache(key, cachedSession);
    this.#write(key, { accountId, session, cachedSession });
  }

  sweep(): Promise<void> {
    return this.#options.store.sweep(new Date(this.#options.clock.now()));
  }

  async #lookUp(accountId: string, session: string, now: number): Promise<string | undefined> {
    const { store, onError: onTrouble } = this.#options;
    try {
      const found = await withTimeout(LOOKUP_TIMEOUT_MS, store.find(accountId, digestOf(session), new Date(now)));
      if (found === undefined) return undefined;
      const until = found.expiresAt.getTime();
      const remembered = { model: found.model, expiresAtMs: until, storedUntilMs: until };
      const key = keyOf(accountId, session);
      // Somebody may have answered in it while the store was asked.
      if (!this.#sessions.has(key)) this.#cache(key, remembered);
      return found.model;
    } catch (error) {
      onTrouble(error);
      return undefined;
    }
  }

  #cache(key: string, cachedSession: CachedSession): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, cachedSession);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }

  /** What comes while a write is under way goes with the next one. */
  #write(key: string, pendingWrite: PendingWrite): void {
    if (this.#pendingWrites.size >= MAX_SESSIONS) return;
    this.#pendingWrites.set(key, pendingWrite);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#options.runInBackground(this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // Not within the request that came first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pendingWrites.size > 0) {
      const sessions = Array.from(this.#pendingWrites.values(), stickySessionOf);
      this.#pendingWrites.clear();
      await this.#options.store.keep(sessions).catch(this.#options.onError);
    }
    this.#isWriting = false;
  }
}

function stickySessionOf({ accountId, session, cachedSession }: PendingWrite): StickySession {
  return {
    accountId,
    session: digestOf(session),
    model: cachedSession.model,
    expiresAt: new Date(cachedSession.expiresAtMs),
  };
}

/** The client's word may hold anything, also what no database takes, and is nobody's business. */
function digestOf(session: string): Buffer {
  return createHash("sha256").update(session).digest();
}

function keyOf(accountId: string, session: string): string {
  return `${accountId} ${session}`;
}

/** What the work comes to, if it is over in time. */
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

/** What is known of a request's session. */
export interface SessionAffinity {
  /** `provider/name` of the model that answered last in the request's session. */
  readonly sessionModel: string | undefined;
  /** The client did not ask for a session in so many words: it is not to cost it much. */
  readonly sessionIsImplied?: boolean | undefined;
}

/**
 * Puts the model that answered last in the session before all others, where it is among them: its provider has the
 * session's beginning in its cache. One below the floor of quality, to which an outage may have led, is left again.
 */
export function preferSessionModel(
  rankedTier: RankedTier,
  { sessionModel, sessionIsImplied = false }: SessionAffinity,
  qualityFloor: number,
): RankedTier {
  if (sessionModel === undefined) return rankedTier;
  // A provider's name has no slash in it; a model's may have one.
  const slash = sessionModel.indexOf("/");
  const [provider, name] = [sessionModel.slice(0, slash), sessionModel.slice(slash + 1)];
  const { best, eligibleModels } = rankedTier;
  const place = eligibleModels.findIndex(({ model }) => model.name === name && model.provider === provider);
  const kept = eligibleModels[place];
  if (kept === undefined || best === undefined) return rankedTier;
  if (!clearsFloor(kept, qualityFloor) && clearsFloor(best, qualityFloor)) return rankedTier;
  if (sessionIsImplied && isMuchMoreExpensive(kept, best)) return rankedTier;
  return {
    ...rankedTier,
    eligibleModels: moveToFront(eligibleModels, place),
    propensity: 1,
    stickyTo: sessionModel,
  };
}

/** By more than a half. A short outage of the best must not make a conversation dear for as long as it lasts. */
function isMuchMoreExpensive(one: EligibleModel, other: EligibleModel): boolean {
  return one.quote.estimate * 2n > other.quote.estimate * 3n;
}
