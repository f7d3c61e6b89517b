import { createHash } from "node:crypto";
import type { Clock } from "@trunkline/core/clock.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";

/** Longer than providers keep the beginning of a conversation in their caches. */
const REMEMBERED_MS = 3_600_000;
/** A session that goes on with its model is written again only so often. */
const WRITTEN_AGAIN_MS = 300_000;
/** A request waits no longer than this to be told of its session: then it goes without. */
const LOOK_UP_MS = 250;
const SESSIONS_MAX = 10_000;

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
export interface StickyStore {
  find(
    accountId: string,
    session: Buffer,
    now: Date,
  ): Promise<Pick<StickySession, "model" | "expiresAt"> | undefined>;
  keep(sessions: readonly StickySession[]): Promise<void>;
  sweep(now: Date): Promise<void>;
}

interface StickySessionsParts {
  readonly store: StickyStore;
  readonly clock: Clock;
  /** For work that no request waits for. */
  readonly follow: (work: Promise<unknown>) => void;
  /** Told of every trouble with the store: a session is then at worst served by another model. */
  readonly onTrouble: (error: unknown) => void;
}

interface Remembered {
  readonly model: string;
  expiresAtMs: number;
  /** Until when the store knows of it. */
  readonly writtenUntilMs: number;
}

interface Unwritten {
  readonly accountId: string;
  readonly session: string;
  readonly remembered: Remembered;
}

/** Which model answered last in each session, for an hour since its last request. */
export class StickySessions {
  readonly #parts: StickySessionsParts;
  /** The one used longest ago comes first. */
  readonly #sessions = new Map<string, Remembered>();
  readonly #unwritten = new Map<string, Unwritten>();
  #isWriting = false;

  constructor(parts: StickySessionsParts) {
    this.#parts = parts;
  }

  /** `provider/name` of the model that answered last in a session. The store is asked only where this instance knows of none. */
  async modelOf(accountId: string, session: string): Promise<string | undefined> {
    const now = this.#parts.clock.now();
    const known = this.#sessions.get(keyOf(accountId, session));
    if (known !== undefined && known.expiresAtMs > now) return known.model;
    return this.#lookUp(accountId, session, now);
  }

  /** From now on the session stays with the model that has just answered in it. */
  noteAnswer(accountId: string, session: string, model: Model): void {
    const key = keyOf(accountId, session);
    const name = fullNameOf(model);
    const until = this.#parts.clock.now() + REMEMBERED_MS;
    const known = this.#sessions.get(key);
    if (known?.model === name && until - known.writtenUntilMs < WRITTEN_AGAIN_MS) {
      known.expiresAtMs = until;
      this.#put(key, known);
      return;
    }
    const remembered: Remembered = { model: name, expiresAtMs: until, writtenUntilMs: until };
    this.#put(key, remembered);
    this.#write(key, { accountId, session, remembered });
  }

  sweep(): Promise<void> {
    return this.#parts.store.sweep(new Date(this.#parts.clock.now()));
  }

  async #lookUp(accountId: string, session: string, now: number): Promise<string | undefined> {
    const { store, onTrouble } = this.#parts;
    try {
      const found = await within(LOOK_UP_MS, store.find(accountId, digestOf(session), new Date(now)));
      if (found === undefined) return undefined;
      const until = found.expiresAt.getTime();
      const remembered = { model: found.model, expiresAtMs: until, writtenUntilMs: until };
      const key = keyOf(accountId, session);
      // Somebody may have answered in it while the store was asked.
      if (!this.#sessions.has(key)) this.#put(key, remembered);
      return found.model;
    } catch (error) {
      onTrouble(error);
      return undefined;
    }
  }

  #put(key: string, remembered: Remembered): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, remembered);
    if (this.#sessions.size <= SESSIONS_MAX) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }

  /** What comes while a write is under way goes with the next one. */
  #write(key: string, unwritten: Unwritten): void {
    if (this.#unwritten.size >= SESSIONS_MAX) return;
    this.#unwritten.set(key, unwritten);
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#parts.follow(this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    // Not within the request that came first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#unwritten.size > 0) {
      const sessions = Array.from(this.#unwritten.values(), stickySessionOf);
      this.#unwritten.clear();
      await this.#parts.store.keep(sessions).catch(this.#parts.onTrouble);
    }
    this.#isWriting = false;
  }
}

function stickySessionOf({ accountId, session, remembered }: Unwritten): StickySession {
  return {
    accountId,
    session: digestOf(session),
    model: remembered.model,
    expiresAt: new Date(remembered.expiresAtMs),
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
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
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
