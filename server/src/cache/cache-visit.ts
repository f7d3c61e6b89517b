import type { Part } from "@trunkline/core/answer.ts";
import type { CacheHit, CacheOutcome } from "@trunkline/core/cache-outcome.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { KeptAnswer } from "./kept-answer.ts";

/** An answer that may be given for this request, and what is told of it. */
export interface Hit {
  readonly answer: KeptAnswer;
  /** The model that gave it, as it stands for this request. */
  readonly candidate: Candidate;
  readonly told: CacheHit;
  /** Its parts, one by one, as a provider would give them. */
  again(): AsyncIterable<Part>;
}

/** A longer answer is given once and not kept. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** One request at the cache: what was found for it, and where nothing was, what is to be kept of it. */
export class CacheVisit {
  readonly hit: Hit | undefined;
  readonly #now: number;
  readonly #ttlSeconds: number;
  readonly #keep: (answer: KeptAnswer, bytes: number) => void;
  #parts: Part[] = [];
  #isKeepable = true;

  constructor(
    hit: Hit | undefined,
    now: number,
    ttlSeconds: number,
    keep: (answer: KeptAnswer, bytes: number) => void,
  ) {
    this.hit = hit;
    this.#now = now;
    this.#ttlSeconds = ttlSeconds;
    this.#keep = keep;
    if (hit !== undefined) this.#isKeepable = false;
  }

  get outcome(): CacheOutcome {
    return this.hit?.told ?? { result: "miss" };
  }

  /** What the client is given. What a provider refused may be answered the next time. */
  note(part: Part): void {
    if (part.type === "finish" && part.reason === "refused") this.#isKeepable = false;
    if (this.#isKeepable) this.#parts.push(part);
  }

  /** The answer is whole and paid for: from now on it may be given again. */
  keep(requestId: string, receipt: Receipt): void {
    if (!this.#isKeepable || this.#parts.length === 0) return;
    const bytes = Buffer.byteLength(JSON.stringify(this.#parts));
    if (bytes > KEPT_BYTES_MAX) return;
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
