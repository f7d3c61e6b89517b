import type { Part } from "@trunkline/core/answer.ts";
import type { CacheHit, CacheOutcome } from "@trunkline/core/cache-outcome.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { CachedAnswer } from "./kept-answer.ts";

/** An answer that may be given for this request, and what is told of it. */
export interface CachedHit {
  readonly answer: CachedAnswer;
  /** The model that gave it, as it stands for this request. */
  readonly candidate: Candidate;
  readonly outcome: CacheHit;
  /** Its parts, one by one, as a provider would give them. */
  replay(): AsyncIterable<Part>;
}

/** A longer answer is given once and not kept. */
const CACHED_BYTES_MAX = 1024 * 1024;

/** One request at the cache: what was found for it, and where nothing was, what is to be kept of it. */
export class CacheLookup {
  readonly cachedHit: CachedHit | undefined;
  readonly #now: number;
  readonly #ttlSeconds: number;
  readonly #keep: (answer: CachedAnswer, bytes: number) => void;
  #parts: Part[] = [];
  #isKeepable = true;

  constructor(
    cachedHit: CachedHit | undefined,
    now: number,
    ttlSeconds: number,
    keep: (answer: CachedAnswer, bytes: number) => void,
  ) {
    this.cachedHit = cachedHit;
    this.#now = now;
    this.#ttlSeconds = ttlSeconds;
    this.#keep = keep;
    if (cachedHit !== undefined) this.#isKeepable = false;
  }

  get outcome(): CacheOutcome {
    return this.cachedHit?.outcome ?? { result: "miss" };
  }

  /** What the client is given. What a provider refused may be answered the next time. */
  addPart(part: Part): void {
    if (part.type === "finish" && part.reason === "refused") this.#isKeepable = false;
    if (this.#isKeepable) this.#parts.push(part);
  }

  /** The answer is whole and paid for: from now on it may be given again. */
  save(requestId: string, receipt: Receipt): void {
    if (!this.#isKeepable || this.#parts.length === 0) return;
    const bytes = Buffer.byteLength(JSON.stringify(this.#parts));
    if (bytes > CACHED_BYTES_MAX) return;
    const { type: _, model, cost: __, latencyMs: ___, legs: ____, ...usage } = receipt;
    this.#keep(
      {
        requestId,
        model: fullNameOf(model),
        parts: this.#parts,
        usage,
        madeAt: new Date(this.#now),
        expiresAt: new Date(this.#now + this.#ttlSeconds * 1000),
      },
      bytes,
    );
    this.#parts = [];
  }
}
