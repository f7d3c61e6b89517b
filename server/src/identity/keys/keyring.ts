import { createHash, randomInt } from "node:crypto";
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

/** Caches keys, so that a request with a known key needs no call to the store. Cleared when any key changes anywhere. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  readonly #known = new LruMap<string, KeyRecord>(CACHED_KEYS_MAX);
  readonly #unknown = new LruMap<string, number>(CACHED_KEYS_MAX);
  readonly #exempt = new Set<string>();
  #generation = 0;

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

  async find(hash: string): Promise<Caller | undefined> {
    return this.#find(hash, () => this.#store.findByHash(hash));
  }

  /** For background work of a key, which has no secret at hand. */
  async findById(id: string): Promise<Caller | undefined> {
    return this.#find(`id ${id}`, () => this.#store.findById(id));
  }

  async #find(name: string, load: () => Promise<KeyRecord | undefined>): Promise<Caller | undefined> {
    const record = this.#known.get(name) ?? (await this.#load(name, load));
    if (record === undefined) return undefined;
    if (record.expiresAt !== undefined && record.expiresAt <= this.#clock.now()) return undefined;
    return record.caller;
  }

  /** Clears the cache. A key that is being loaded now is not cached, since it may be older than the change. */
  invalidate(): void {
    this.#generation++;
    this.#known.clear();
    this.#unknown.clear();
  }

  async #load(name: string, load: () => Promise<KeyRecord | undefined>): Promise<KeyRecord | undefined> {
    const unknownUntil = this.#unknown.peek(name);
    if (unknownUntil !== undefined && unknownUntil > this.#clock.now()) return undefined;
    const generation = this.#generation;
    const record = await load();
    if (generation !== this.#generation) return record;
    if (record === undefined) this.#unknown.set(name, this.#clock.now() + UNKNOWN_KEY_TTL_MS);
    else this.#known.set(name, record);
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
  return createHash("sha256").update(key).digest("hex");
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
