import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";

/** A key's caller, and when its secret expires. */
export interface KeyRecord {
  readonly caller: Caller;
  /** The earlier of the key's and the secret's expiry, milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

export interface KeyStore {
  findByHash(hash: string): Promise<KeyRecord | undefined>;
  findById(id: string): Promise<KeyRecord | undefined>;
}

/** Bounds the memory that a flood of keys can take. */
const CACHED_KEYS_MAX = 50_000;
/** How long an unknown key is cached: long enough to slow down a guessing loop. */
const UNKNOWN_KEY_TTL_MS = 2_000;

/** How long after `refresh` a cached key may be used while it is looked up again. */
const REFRESH_GRACE_MS = 1_000;

interface CachedKey {
  readonly record: KeyRecord;
  /** How often `refresh` had been called when the lookup began. */
  readonly refreshCount: number;
}

/** Caches keys, so that a request with a known key needs no call to the store. Cleared when any key changes anywhere. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #known = new LruMap<string, CachedKey>(CACHED_KEYS_MAX);
  readonly #unknown = new LruMap<string, number>(CACHED_KEYS_MAX);
  readonly #exempt = new Set<string>();
  /** The running lookups. Requests with the same key share one. */
  #lookups = new Map<string, Promise<KeyRecord | undefined>>();
  #refreshCount = 0;
  #refreshedAtMs = 0;

  constructor(store: KeyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The operator may choose a key of any format. Its hash is looked up even where it is not a plausible key. */
  allowAnyFormat(hash: string): void {
    this.#exempt.add(hash);
  }

  allowsAnyFormat(hash: string): boolean {
    return this.#exempt.has(hash);
  }

  /** Returns a promise only where the store must be asked. */
  find(hash: string): Caller | undefined | Promise<Caller | undefined> {
    const record = this.#cached(hash, undefined);
    return record === undefined ? this.#callerAfter(this.#lookUp(hash, undefined)) : this.#callerOf(record);
  }

  /** For background work of a key, which has no secret at hand. */
  findById(id: string): Caller | undefined | Promise<Caller | undefined> {
    const name = `id ${id}`;
    const record = this.#cached(name, id);
    return record === undefined ? this.#callerAfter(this.#lookUp(name, id)) : this.#callerOf(record);
  }

  /** The caller of a cached key; undefined: the store must be asked, or the key has expired. */
  findCached(hash: string): Caller | undefined {
    const record = this.#cached(hash, undefined);
    return record === undefined ? undefined : this.#callerOf(record);
  }

  /** Clears the cache. A key that is being loaded now is not cached, since it may be older than the change. */
  invalidate(): void {
    this.#lookups = new Map();
    this.#known.clear();
    this.#unknown.clear();
  }

  /**
   * For a regular check without a known change: looks each cached key up again when it is used next. Within a second no
   * request waits for that, so that not all requests in flight wait for the store at once.
   */
  refresh(): void {
    this.#refreshCount++;
    this.#refreshedAtMs = this.#clock.monotonicMs();
    this.#unknown.clear();
  }

  /** `id` is undefined where `name` is the key's hash. */
  #cached(name: string, id: string | undefined): KeyRecord | undefined {
    const cached = this.#known.get(name);
    if (cached === undefined || cached.refreshCount === this.#refreshCount) return cached?.record;
    if (this.#clock.monotonicMs() - this.#refreshedAtMs >= REFRESH_GRACE_MS) return undefined;
    // A failure is ignored: the next request that must wait for the store reports its own.
    if (!this.#lookups.has(name)) this.#lookUp(name, id)?.catch(() => undefined);
    return cached.record;
  }

  #callerOf({ caller, expiresAt }: KeyRecord): Caller | undefined {
    return expiresAt !== undefined && expiresAt <= this.#clock.now() ? undefined : caller;
  }

  async #callerAfter(lookup: Promise<KeyRecord | undefined> | undefined): Promise<Caller | undefined> {
    const record = await lookup;
    return record === undefined ? undefined : this.#callerOf(record);
  }

  /** Starts a lookup or joins the running one; undefined: the key is known not to exist. */
  #lookUp(name: string, id: string | undefined): Promise<KeyRecord | undefined> | undefined {
    const unknownUntil = this.#unknown.peek(name);
    if (unknownUntil !== undefined && unknownUntil > this.#clock.now()) return undefined;
    const lookups = this.#lookups;
    let lookup = lookups.get(name);
    if (lookup === undefined) {
      lookup = this.#load(name, id, lookups).finally(() => lookups.delete(name));
      lookups.set(name, lookup);
    }
    return lookup;
  }

  /** `lookups` is no longer the current map where the cache was cleared while the store was asked. */
  async #load(name: string, id: string | undefined, lookups: object): Promise<KeyRecord | undefined> {
    const refreshCount = this.#refreshCount;
    const record = await (id === undefined ? this.#store.findByHash(name) : this.#store.findById(id));
    if (lookups !== this.#lookups) return record;
    if (record !== undefined) this.#known.set(name, { record, refreshCount });
    else {
      this.#known.delete(name);
      this.#unknown.set(name, this.#clock.now() + UNKNOWN_KEY_TTL_MS);
    }
    return record;
  }
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;
const KEY_PATTERN = new RegExp(`^tl_[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

/** A new key: `tl_`, 32 random characters, and a checksum that refuses a mistyped key without a lookup. */
export function newKeySecret(): string {
  let random = "";
  for (let i = 0; i < RANDOM_LENGTH; i++) random += ALPHABET[randomInt(ALPHABET.length)];
  return `tl_${random}${checksumOf(random)}`;
}

/** A new key, and its stored form. */
export function mintKeySecret(): {
  readonly secret: string;
  readonly stored: { readonly hash: string; readonly hint: string };
} {
  const secret = newKeySecret();
  return { secret, stored: { hash: hashOfKey(secret), hint: hintOfKey(secret) } };
}

/** Whether a text can be a key at all. A key of our own format must have a correct checksum. */
export function isPlausibleKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return /^[A-Za-z0-9_-]{16,128}$/.test(text);
  const random = text.slice(3, 3 + RANDOM_LENGTH);
  return text.slice(3 + RANDOM_LENGTH) === checksumOf(random);
}

/** The only form in which a key is stored or looked up. */
export function hashOfKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** The part of a key that lists show. */
export function hintOfKey(key: string): string {
  // A short key, which the operator chose, shows less.
  const [start, end] = key.length < 32 ? [3, 2] : [6, 4];
  return `${key.slice(0, start)}…${key.slice(-end)}`;
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = (ALPHABET[rest % ALPHABET.length] ?? "") + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
