import type { Caller, RateLimit } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { timeOfId } from "./id.ts";
import type { Inference } from "./inference.ts";
import type { Receipt } from "./parts.ts";
import type { Attempt } from "./provider-failure.ts";
import type { Candidate, Route } from "./route.ts";
import type { Verdict } from "./verdict.ts";

/** What each stage found, written as the request goes along: the request's record, headers and metrics are read off it. */
export class RequestTrace {
  readonly requestId: string;
  readonly path: string;
  /** Read off the id, so that a range of time is a range of ids. */
  readonly receivedAt: Date;
  readonly #clock: Clock;
  readonly #startMs: number;
  #lastMarkMs: number;

  caller: Caller | undefined;
  rateLimit: RateLimit | undefined;
  inference: Inference | undefined;
  route: Route | undefined;
  chosen: Candidate | undefined;
  inputVerdict: Verdict | undefined;
  outputVerdict: Verdict | undefined;
  /** The answer was kept from an earlier run under the same idempotency key. */
  replayed = false;
  /** What the response cache had to say; undefined: nobody asked it. */
  cache: CacheOutcome | undefined;
  /** Of the answer that is given again: by which request it first came, and who gave it. */
  replayOf: { readonly requestId: string; readonly model: Receipt["model"] } | undefined;
  /** What of the request the chosen provider could not be told, by the names of the fields. */
  unsupportedFields: readonly string[] = [];
  readonly attempts: Attempt[] = [];
  /** How many calls the answer is made of, one after the other. */
  segmentCount = 0;
  /** How long each stage took, in milliseconds, in order. */
  readonly stages: Record<string, number> = {};

  constructor(requestId: string, path: string, clock: Clock) {
    this.requestId = requestId;
    this.path = path;
    this.#clock = clock;
    this.receivedAt = new Date(timeOfId(requestId));
    this.#startMs = clock.monotonicMs();
    this.#lastMarkMs = this.#startMs;
  }

  /** The stage that just ended took the time since the last mark. */
  endStage(stage: string): void {
    const now = this.#clock.monotonicMs();
    this.stages[stage] = (this.stages[stage] ?? 0) + now - this.#lastMarkMs;
    this.#lastMarkMs = now;
  }

  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** What was spent waiting for providers so far. */
  get providerMs(): number {
    return this.stages.provider ?? 0;
  }

  /** How long it took until the charge was on disk; undefined before that. */
  get settleMs(): number | undefined {
    return this.stages.settle;
  }
}

/** What the response cache had to say of a request that asked it. */
export type CacheOutcome = CacheHit | { readonly result: "miss" };

/** An answer that was given before was given again. */
export interface CacheHit {
  readonly result: "hit";
  readonly ageSeconds: number;
  /** Whether the request was the very same, or one whose words are much alike. */
  readonly match: "exact" | "similar";
  /** How alike they are, where they are not the same. */
  readonly similarity: number | undefined;
  /** The request that was first given this answer. */
  readonly requestId: string;
  /** `provider/name` of the model that gave it. */
  readonly model: string;
}

/**
 * Under which provider a hit stands in the records and sums: the one that first gave the answer did nothing this time,
 * and its own count would never agree. No provider can have this name.
 */
export const CACHE_PROVIDER = "trunkline.cache";
